"""Packages: networks that were compiled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vta import _core
from vta._error import mapped, wrapped
from vta.model import Model, Path, Tensor, listed, tensors


@dataclass(frozen=True)
class Check:
    """What the proof says of one program.

    Attributes:
        program: the layer that it computes, or the first and the last of several.
        ok: no timing can break it.
        text: the verdict, as ``vta check`` prints it.
        report: the same for machines.
        published: what published executors disagree on, where that was asked for.
    """

    program: str
    ok: bool
    text: str
    report: dict[str, Any]
    published: dict[str, Any] | None = None

    @staticmethod
    def of(document: dict[str, Any]) -> Check:
        """That of the JSON."""
        return Check(**document)


class Package:
    """Programs, kernels and constants of a network: `compile` makes one, `Package.load` reads one.

    Any number of sessions and threads may use it; constants lie in memory once for all of them.
    """

    def __init__(self, core: _core.Package) -> None:
        self._core = wrapped(core, _core.Package, "package", "vta.compile or vta.Package.load")

    @staticmethod
    def load(
        path: Path,
        *,
        target: str | Iterable[str] | None = None,
        native: str | None = None,
        trusted: Path | None = None,
        expect_hash: str | None = None,
        sandbox: bool = False,
        kernel_limit: float | None = None,
        memory_limit: int | str | None = None,
    ) -> Package:
        """Reads a package. Its kernels are native code: those of a package that nothing vouches for
        (`trusted`, `expect_hash`) run in a process of their own.

        Args:
            path: a ``*.vta`` file.
            target: which of several packages in the file.
            native, trusted, expect_hash, sandbox, kernel_limit, memory_limit: as the options of
                ``vta run``; None is their default. `kernel_limit` is in seconds.

        Raises:
            Error: where the file is none, is damaged, or is not trusted and must be.
        """
        options = {
            "target": listed(target),
            "native": native,
            "trusted": trusted,
            "expect_hash": expect_hash,
            "sandbox": sandbox,
            "kernel_limit": kernel_limit,
            "memory_limit": memory_limit,
        }
        return Package(_core.read_package(path, options))

    @property
    def name(self) -> str:
        """The model's."""
        return self._core.model

    @property
    def compile_s(self) -> float:
        """Seconds that compiling took; 0 of one that was read."""
        return self._core.compile_s

    @property
    def config(self) -> dict[str, Any] | None:
        """The accelerator variant that its programs are for; None where it has none."""
        text = self._core.config()
        return None if text is None else json.loads(text)

    @property
    def targets(self) -> tuple[str, ...]:
        """Who runs its steps: "vta", "cuda", "opencl", "cpu"."""
        return tuple(self._core.targets())

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What a run takes, in the model's order."""
        return tensors(self._core.inputs())

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """What a run gives, in the model's order."""
        return tensors(self._core.outputs())

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return self._core.to_bytes()

    def save(self, path: Path) -> None:
        """Writes a file that `load`, ``vta run`` and ``vta-run`` take, whole or not at all."""
        self._core.save(path)

    def check(self) -> list[Check]:
        """Proves each of its programs, on the binary, as ``vta check`` does."""
        return [Check.of(row) for row in json.loads(self._core.check())]

    def disassemble(self, *, number: bool = False) -> str:
        """Its text, as ``vta dis`` prints it; with the numbers of instructions where that is asked for."""
        return self._core.disassemble(number)

    def __repr__(self) -> str:
        config = self.config
        where = f" for {config['name']}" if config else ""
        return f"<vta.Package {self.name!r}{where}, targets {', '.join(self.targets)}>"


def compile(
    model: Model | Path,
    config: Path | Mapping[str, Any] | None = None,
    target: str | Iterable[str] | None = None,
    *,
    cpu: str | Iterable[str] | None = None,
    precision: str | None = None,
    place: Mapping[str, str] | None = None,
    rounding: str | None = None,
    exact: bool = False,
    effort: int | None = None,
    jobs: int | None = None,
    log: Path | None = None,
    schedule: Mapping[str, Path] | None = None,
    schedule_fallback: bool = False,
    memory_limit: int | str | None = None,
    dump_dir: Path | None = None,
    dim: Mapping[str, int] | None = None,
    assume: str | None = None,
    threads: int | None = None,
) -> Package:
    """Compiles a network, as ``vta compile`` does; None is the default of the option of that name.

    Args:
        model: a `Model`, or the path of a file, for which `dim` and `assume` are.
        config: the accelerator variant: a shipped name ("default"), the path of a file, or a dict as
            `load_config` gives it.
        target: in order of preference: "vta", "cuda" or "opencl", "cpu".
        cpu: CPUs that kernels are made for; "native" is this machine's.
        place: targets of nodes, by the nodes' names.
        schedule: files with a layer's schedule, by the layer's name.
        effort: schedules of a layer that the cycle model costs before one is taken.
        log: what ``vta tune`` found.
        memory_limit: bytes that a run may need, or with K, M or G behind them.
        threads: that kernels of the CPU are cut for; a run may have others.

    Raises:
        Error: where an option is not legal, the network is none, or does not fit.
    """
    options = {
        "target": listed(target),
        "cpu": listed(cpu),
        "precision": precision,
        "place": mapped(place, "place"),
        "rounding": rounding,
        "exact": exact,
        "effort": effort,
        "jobs": jobs,
        "log": log,
        "schedule": mapped(schedule, "schedule"),
        "schedule_fallback": schedule_fallback,
        "memory_limit": memory_limit,
        "dump_dir": dump_dir,
        "dim": mapped(dim, "dim"),
        "assume": assume,
        "threads": threads,
    }
    source = model._core if isinstance(model, Model) else model
    own = dict(config) if isinstance(config, Mapping) else config
    return Package(_core.compile(source, own, options))


def configs() -> list[str]:
    """The names of the shipped accelerator variants, sorted."""
    return _core.configs()


def load_config(config: Path | Mapping[str, Any]) -> dict[str, Any]:
    """An accelerator variant with all of its parameters, to be read, or changed and compiled for.

    Args:
        config: a shipped name, the path of a file, or a dict of one.

    Raises:
        Error: where it names none, or a parameter is not legal.
    """
    own = dict(config) if isinstance(config, Mapping) else config
    result: dict[str, Any] = json.loads(_core.config(own))
    return result
