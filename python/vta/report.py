"""The report of a run, by the names of `vta run --report`; docs/report.md says what each number is."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from vta._html import table


@dataclass(frozen=True)
class Layer:
    """What a layer computed, moved and took; or the sum of some. What an engine does not know is None.

    Attributes:
        name, op, shape: of the model's node.
        where: "vta", the accelerator, "cpu", or a GPU's target.
        macs: multiplications with an addition, without padding; `macs_executed` with it.
        dram_bytes, kernel_bytes: that the accelerator, or a kernel, moved.
        wall_ms: of this simulation.
        cycles: clock cycles of the accelerator, `ms` at its clock, `fps` per second.
        peak: share of the multipliers' peak, 0 to 1; `bound` that of `bound_machine` over the cycles.
        why: why no program computes it.
        work: of a kernel, its operations by kind; `host_ms` what it takes on boards' CPUs, by a model.
    """

    name: str
    op: str
    shape: str
    where: str
    macs: int
    macs_executed: int
    dram_bytes: int
    kernel_bytes: int
    instructions: int
    uops: int
    wall_ms: float
    why: str | None = None
    launch: int | None = None
    cycles: int | None = None
    ms: float | None = None
    fps: float | None = None
    peak: float | None = None
    bound_ideal: int | None = None
    bound_machine: int | None = None
    bound: float | None = None
    lost_to: str | None = None
    off_by: int | None = None
    slow: dict[str, float] | None = None
    estimated_cycles: int | None = None
    energy_mj: float | None = None
    work: dict[str, int] | None = field(default=None, repr=False)
    host_ms: dict[str, float] | None = None
    counters: dict[str, Any] | None = field(default=None, repr=False)
    modules: dict[str, Any] | None = field(default=None, repr=False)
    causes: dict[str, Any] | None = field(default=None, repr=False)
    path: dict[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Memory:
    """What a session takes, in bytes, each counted once."""

    peak_bytes: int
    activation_bytes: int
    tensor_bytes: int
    constant_bytes: int
    workspace_bytes: int
    code_bytes: int
    threads: int
    gpu_bytes: int = 0


@dataclass(frozen=True)
class Report:
    """One run. `document` is all of it as the JSON has it, `hosts` what boards' CPUs would take, by a model; a notebook shows the layers
    as a table."""

    model: str
    batch: int
    is_float: bool
    wall_ms: float
    copy_ms: float
    memory: Memory
    layers: tuple[Layer, ...]
    vta: Layer
    cpu: Layer
    total: Layer
    config: str | None = None
    engine: str | None = None
    clock_mhz: float | None = None
    macs_per_cycle: int | None = None
    arch_hash: str | None = None
    timing_hash: str | None = None
    inexact: dict[str, int] | None = None
    host_bytes_bound: int | None = None
    host_steps_bound: int | None = None
    hosts: list[dict[str, Any]] = field(default_factory=list, repr=False)
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    table: str = field(default="", repr=False, compare=False)

    @staticmethod
    def of(document: dict[str, Any], text: str = "") -> Report:
        """That of the JSON of a run; keys that are not known here stay in `document` alone."""
        values = _known(Report, document)
        values["memory"] = Memory(**_known(Memory, document["memory"]))
        values["layers"] = tuple(_layer(layer) for layer in document["layers"])
        for total in ("vta", "cpu", "total"):
            values[total] = _layer(document[total])
        return Report(**values, document=document, table=text)

    def __str__(self) -> str:
        """The table that `vta run` prints."""
        return self.table

    def _repr_html_(self) -> str:
        columns = [name for name in _COLUMNS if any(getattr(layer, name) is not None for layer in self.layers)]
        title = " on ".join(text for text in (self.model, self.engine) if text)
        return table(title, columns, ([_shown(layer, name) for name in columns] for layer in (*self.layers, self.total)))


_COLUMNS = ("name", "op", "where", "macs", "dram_bytes", "wall_ms", "cycles", "ms", "peak", "bound", "lost_to")


def _known(kind: type[Any], document: dict[str, Any]) -> dict[str, Any]:
    names = {one.name for one in dataclasses.fields(kind)} - {"document", "table"}
    return {name: value for name, value in document.items() if name in names}


def _layer(document: dict[str, Any]) -> Layer:
    return Layer(**_known(Layer, document))


def _shown(layer: Layer, name: str) -> Any:
    value = getattr(layer, name)
    return f"{100 * value:.1f} %" if value is not None and name in ("peak", "bound") else value
