"""Searches for quicker schedules, by the names of what `vta tune --html` shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vta import _core
from vta._error import mapped
from vta._html import table
from vta._progress import Listener, listener
from vta.model import Model, Path, listed


@dataclass(frozen=True)
class Attempt:
    """A schedule that was tried.

    Attributes:
        point: its decisions, as a log has them.
        estimate: what was thought that it costs, `cost` what it does, in the search's unit; None where it failed.
        failure: of what.
    """

    point: str
    estimate: int
    cost: int | None
    failure: str | None = None


@dataclass(frozen=True)
class Task:
    """Steps of the network that compile alike, and the best schedule found for them.

    Attributes:
        step: the first of them; `steps` is how many there are.
        workload: what they compute.
        size: of the space of schedules.
        bound: no schedule costs less; `untuned` is what a compile finds without a log, `best` what
            the search found, each of one step.
        point: of the best.
        end: why the search of it ended before its trials; "" where it did not.
        failure: where no schedule works.
    """

    step: str
    workload: str
    steps: int
    size: float
    bound: int
    end: str
    trials: tuple[Attempt, ...] = field(repr=False)
    point: str
    best: int | None = None
    untuned: int | None = None
    failure: str | None = None


@dataclass(frozen=True)
class Tuning:
    """What a search found; a notebook shows its tasks as a table, `print` the tool's.

    Attributes:
        on: what the trials ran on: a config, a CPU or a GPU.
        measurer: by which they were measured.
        log: the file that `compile` takes for `log`.
        unit: of costs.
        effort: trials of a task that a compile makes without a log.
    """

    model: str
    on: str
    measurer: str
    log: str
    unit: str
    effort: int
    tasks: tuple[Task, ...]
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    table: str = field(default="", repr=False, compare=False)

    @staticmethod
    def of(document: dict[str, Any], text: str) -> Tuning:
        """That of the JSON."""
        own = {name: document[name] for name in ("model", "measurer", "log", "unit", "effort")}
        tasks = tuple(
            Task(**{**task, "trials": tuple(Attempt(**trial) for trial in task["trials"])}) for task in document["tasks"]
        )
        return Tuning(**own, on=document["config"], tasks=tasks, document=document, table=text)

    def __str__(self) -> str:
        """The table that ``vta tune`` prints."""
        return self.table

    def _repr_html_(self) -> str:
        rows = ((task.step, task.steps, task.untuned, task.best, task.bound, len(task.trials), task.end) for task in self.tasks)
        columns = ("step", "steps", "untuned", "best", "bound", "trials", "end")
        return table(f"{self.model} on {self.on}, {self.unit}", columns, rows)


def tune(
    model: Model | Path,
    log: Path,
    config: Path | Mapping[str, Any] | None = None,
    target: str | Iterable[str] | None = None,
    *,
    trials: int | None = None,
    budget: float | None = None,
    jobs: int | None = None,
    html: Path | None = None,
    device: str | None = None,
    precision: str | None = None,
    place: Mapping[str, str] | None = None,
    rounding: str | None = None,
    exact: bool = False,
    dim: Mapping[str, int] | None = None,
    assume: str | None = None,
    threads: int | None = None,
    export: Path | None = None,
    import_: Path | None = None,
    progress: Listener | bool | None = None,
) -> Tuning:
    """Searches for quicker schedules of a network's layers, as ``vta tune`` does.

    An exception that a signal raises, such as KeyboardInterrupt, ends the search: the log then has
    what was tried, and another call goes on from there.

    Args:
        model, config, target, precision, place, rounding, exact, dim, assume, threads: as those of
            `compile`.
        log: what is tried is appended there, and what is there is not tried again.
        trials: of each task.
        budget: seconds, after which no task tries more than its first few.
        jobs: trials at once.
        html: a page for a browser, to be written.
        device: the GPU, "cuda:N" or "opencl:N".
        export, import_: of trials on another machine; the names of files, as the command has them.
        progress: called with (task and its best, its number, how many there are) while it goes on;
            what it raises ends the search. True: a bar; None: one in a notebook.

    Raises:
        Error: where an option is not legal, another search has the log, or there is nothing to search.
    """
    options = {
        "log": log,
        "target": listed(target),
        "trials": trials,
        "budget": budget,
        "jobs": jobs,
        "html": html,
        "device": device,
        "precision": precision,
        "place": mapped(place, "place"),
        "rounding": rounding,
        "exact": exact,
        "dim": mapped(dim, "dim"),
        "assume": assume,
        "threads": threads,
        "export": export,
        "import": import_,
    }
    source = model._core if isinstance(model, Model) else model
    own = dict(config) if isinstance(config, Mapping) else config
    document, text = _core.tune(source, own, options, listener(progress, "tune"))
    return Tuning.of(json.loads(document), text)
