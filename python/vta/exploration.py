"""Accelerator variants, costed, by the names of `vta explore --json`; docs/explore.md says what each number is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from vta import _core
from vta._error import mapped
from vta._html import table
from vta._progress import Listener, listener
from vta.model import Model, Path, listed

Source = Path | Model | Any  # Any: bytes, or an onnx.ModelProto


@dataclass(frozen=True)
class CostedPoint:
    """A variant of the space.

    Attributes:
        point: its index in the space; `config` is its name, `values` its parameters' values by name.
        front: nothing beats it; `confirmed`: the RTL takes these cycles.
        latency_ms: of a run, mean of the networks; `fps`: inferences per second.
        energy_mj: of an inference, by a model.
        area: the largest share of what the part offers; without a part, multiplications per cycle.
        error_percent: where there are samples.
    """

    point: int
    config: str
    values: dict[str, Any]
    front: bool
    confirmed: bool
    latency_ms: float
    fps: float
    energy_mj: float
    area: float
    scratchpad_bytes: int
    error_percent: float | None = None
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Exploration:
    """What a space's points come to; a notebook shows the front as a table, `print` the tool's text.

    Attributes:
        folder: with summary.json, a page for browsers, and the configs of the front.
        points: that were costed and keep to the constraints, by the first objective.
    """

    space: str
    folder: str
    objectives: tuple[str, ...]
    seconds: float
    points: tuple[CostedPoint, ...]
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    table: str = field(default="", repr=False, compare=False)

    @property
    def front(self) -> tuple[CostedPoint, ...]:
        """The points that nothing beats."""
        return tuple(point for point in self.points if point.front)

    @staticmethod
    def of(document: dict[str, Any], folder: str, text: str) -> Exploration:
        """That of the JSON."""
        parameters = document["space"]["parameters"]
        return Exploration(
            space=document["space"]["name"],
            folder=folder,
            objectives=tuple(document["objectives"]),
            seconds=document["seconds"],
            points=tuple(_point(one, parameters) for one in document["points"]),
            document=document,
            table=text,
        )

    def __str__(self) -> str:
        """What ``vta explore`` prints."""
        return self.table

    def _repr_html_(self) -> str:
        names = [parameter["name"] for parameter in self.document["space"]["parameters"]]
        numbers = ["latency_ms", "fps", "energy_mj", "area", "confirmed"]
        rows = (
            [point.config, *(getattr(point, name) for name in numbers), *(point.values[name] for name in names)]
            for point in self.front
        )
        return table(f"{self.space}: what nothing beats", ["config", *numbers, *names], rows)


@dataclass(frozen=True)
class Step:
    """A config with one parameter a step up or down.

    Attributes:
        before, after: its values.
        ms, energy_mj: of the networks then.
        lut, ff, dsp, bram: more than the config takes.
        why: it has no costs.
    """

    parameter: str
    before: str
    after: str
    ms: float | None = None
    energy_mj: float | None = None
    lut: float | None = None
    ff: float | None = None
    dsp: float | None = None
    bram: float | None = None
    why: str | None = None


@dataclass(frozen=True)
class Sensitivity:
    """What each parameter of a config does, the one that helps most first."""

    config: str
    ms: float
    energy_mj: float
    steps: tuple[Step, ...]
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    table: str = field(default="", repr=False, compare=False)

    @staticmethod
    def of(document: dict[str, Any], text: str) -> Sensitivity:
        """That of the JSON."""
        steps = tuple(
            Step(before=one["from"], after=one["to"], **{name: value for name, value in one.items() if name not in ("from", "to")})
            for one in document["steps"]
        )
        own = {name: document[name] for name in ("config", "ms", "energy_mj")}
        return Sensitivity(**own, steps=steps, document=document, table=text)

    def __str__(self) -> str:
        """What ``vta explore --sensitivity`` prints."""
        return self.table

    def _repr_html_(self) -> str:
        columns = ("parameter", "before", "after", "ms", "energy_mj", "lut", "ff", "dsp", "bram", "why")
        rows = ([getattr(step, name) for name in columns] for step in self.steps)
        return table(f"{self.config}: {self.ms:.4g} ms, {self.energy_mj:.4g} mJ", columns, rows)


def explore(
    models: Source | Iterable[Source],
    space: Path | Mapping[str, Any],
    output: Path,
    *,
    objective: str | Iterable[str] | None = None,
    weights: Iterable[float] | None = None,
    energy: str | None = None,
    eval: str | None = None,
    dim: Mapping[str, int] | None = None,
    assume: str | None = None,
    points: int | None = None,
    search: str | None = None,
    seed: int | None = None,
    budget: float | None = None,
    jobs: int | None = None,
    effort: int | None = None,
    confirm: int | None = None,
    reports: int | None = None,
    pruning: bool = True,
    progress: Listener | bool | None = None,
) -> Exploration:
    """Costs many accelerator variants with networks, as ``vta explore`` does.

    An exception that a signal raises, such as KeyboardInterrupt, ends it: the folder then has what
    was costed, and another call goes on from there.

    Args:
        models: files of networks, names that ``vta model`` knows, or what `load_model` gives or takes; one, or several.
        space: a file, or a dict of what is in one: a config whose values may be lists, and constraints.
        output: the folder of the results; what is there goes on.
        objective: of "latency", "area", "energy" and "error".
        weights: of the models in means.
        energy, eval, dim, assume, points, search, seed, budget, jobs, effort, confirm, reports: as
            the command's options; None is their default. `budget` is in seconds.
        pruning: leave out points whose ideal is beaten by another point.
        progress: called with (the point, its number, how many there are) while it goes on; what it
            raises ends it. True: a bar; None: one in a notebook.

    Raises:
        Error: where an option, a network or the space is not legal, or no point could be costed.
    """
    options = {
        "output": output,
        "objective": listed(objective),
        "weights": listed(weights),
        "energy": energy,
        "eval": eval,
        "dim": mapped(dim, "dim"),
        "assume": assume,
        "points": points,
        "search": search,
        "seed": seed,
        "budget": budget,
        "jobs": jobs,
        "effort": effort,
        "confirm": confirm,
        "reports": reports,
        "no_pruning": not pruning,
    }
    own = dict(space) if isinstance(space, Mapping) else space
    document, text = _core.explore(_models(models), own, None, options, listener(progress, "explore"))
    return Exploration.of(json.loads(document), str(output), text)


def sensitivity(
    models: Source | Iterable[Source],
    config: Path | Mapping[str, Any],
    *,
    weights: Iterable[float] | None = None,
    energy: str | None = None,
    dim: Mapping[str, int] | None = None,
    assume: str | None = None,
    effort: int | None = None,
    jobs: int | None = None,
    progress: Listener | bool | None = None,
) -> Sensitivity:
    """What each parameter of a config does, a step up or down, as ``vta explore --sensitivity`` has it.

    Args:
        models, weights, energy, dim, assume, effort, jobs, progress: as those of `explore`.
        config: a shipped name, the path of a file, or a dict.

    Raises:
        Error: as `explore`; and where the config itself cannot be costed.
    """
    options = {
        "weights": listed(weights),
        "energy": energy,
        "dim": mapped(dim, "dim"),
        "assume": assume,
        "effort": effort,
        "jobs": jobs,
    }
    own = dict(config) if isinstance(config, Mapping) else config
    document, text = _core.explore(_models(models), None, own, options, listener(progress, "explore"))
    return Sensitivity.of(json.loads(document), text)


def _models(models: Source | Iterable[Source]) -> list[Any]:
    is_one = isinstance(models, (str, PathLike, bytes, Model)) or hasattr(models, "SerializeToString")
    each: Any = [models] if is_one else models
    return [model._core if isinstance(model, Model) else model for model in each]


def _point(document: dict[str, Any], parameters: list[dict[str, Any]]) -> CostedPoint:
    names = ("point", "config", "front", "latency_ms", "fps", "energy_mj", "area", "scratchpad_bytes", "error_percent")
    values = {one["name"]: one["values"][value] for one, value in zip(parameters, document["values"], strict=True)}
    own = {name: document[name] for name in names if name in document}
    return CostedPoint(**own, values=values, confirmed=document.get("confirmed", False), document=document)
