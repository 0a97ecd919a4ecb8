"""Programs of instructions: text, DRAM images, launches."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vta import _core
from vta._error import mapped, refused, wrapped
from vta.model import Path
from vta.package import Check

if TYPE_CHECKING:  # which takes long to import
    from numpy.typing import NDArray

    Memory = Mapping[str | int, NDArray[Any] | bytes]


@dataclass(frozen=True)
class Launch:
    """What one program did.

    Attributes:
        program: of a package the layer that it computes; else "".
        outcome: "finished", or how else it ended.
        cycles: clock cycles, where the engine counts them.
        text: all of it, as ``vta exec`` prints it; `document` as ``vta exec --json`` has it.
    """

    program: str
    outcome: str
    cycles: int | None
    text: str = field(repr=False)
    document: dict[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Execution:
    """A run of a program: what each launch did, and DRAM as it is then, from address 0 on."""

    launches: tuple[Launch, ...]
    memory: bytes = field(repr=False)
    labels: dict[str, int] = field(repr=False)

    @property
    def finished(self) -> bool:
        """Whether all of it ended as programs should."""
        return all(launch.outcome == "finished" for launch in self.launches)

    def read(self, where: str | int, dtype: Any, shape: int | tuple[int, ...]) -> NDArray[Any]:
        """An array of what lies in DRAM at a label or an address; it may not be written.

        Raises:
            Error: where the program has no such label, or the array would not lie in its image.
        """
        import numpy as np

        if not isinstance(where, str):
            address = operator.index(where)
        elif where in self.labels:
            address = self.labels[where]
        else:
            raise refused(f"memory {where}", "", "is no label of the program")
        sizes = tuple(map(operator.index, shape if isinstance(shape, (tuple, list)) else (shape,)))
        kind = np.dtype(dtype)
        if kind.hasobject or not kind.itemsize:
            raise refused("dtype", str(kind), "must be of numbers")
        size = math.prod(sizes, start=kind.itemsize)
        if min(sizes, default=0) < 0 or address < 0 or address + size > len(self.memory):
            raise refused(f"memory {where}", f"{size} bytes", f"must lie in the image, of {len(self.memory)} bytes")
        array: NDArray[Any] = np.frombuffer(self.memory, np.uint8, size, address).view(kind).reshape(sizes)
        return array

    def __str__(self) -> str:
        """What ``vta exec`` prints."""
        return "".join(f"{launch.program}: {launch.text}" if launch.program else launch.text for launch in self.launches)


class Program:
    """Instructions and the memory that they begin with: `asm` makes one of text, `Program.load` reads one."""

    def __init__(self, core: _core.Program) -> None:
        self._core = wrapped(core, _core.Program, "program", "vta.asm or vta.Program.load")

    @staticmethod
    def load(
        path: Path, config: Path | Mapping[str, Any] | None = None, *, insn: int | str | None = None, count: int | None = None
    ) -> Program:
        """Reads text (``*.s``), a package, or, where `insn` or `count` say where its instructions are, a DRAM image.

        Args:
            config: the accelerator variant of an image, or of text that names none.
            insn: the address of an image's first instruction; `count`: how many there are.

        Raises:
            Error: where the file is none of these, or holds already what an option says.
        """
        own = dict(config) if isinstance(config, Mapping) else config
        return Program(_core.read_program(path, own, {"insn": insn, "count": count}))

    @property
    def config(self) -> dict[str, Any]:
        """The accelerator variant that it is for."""
        result: dict[str, Any] = json.loads(self._core.config())
        return result

    @property
    def labels(self) -> dict[str, int]:
        """Addresses by the text's labels."""
        return self._core.labels()

    @property
    def image(self) -> bytes:
        """DRAM as it begins: byte n lies at address n."""
        return self._core.image()

    @property
    def instructions(self) -> tuple[tuple[str, int, int], ...]:
        """(name, address, how many) of each program in it."""
        return tuple(self._core.ranges())

    def disassemble(self, *, number: bool = False) -> str:
        """Its text, as ``vta dis`` prints it; with the numbers of instructions where that is asked for."""
        return self._core.disassemble(number)

    def check(self, *, published: bool = False) -> list[Check]:
        """Proves each of its programs, as ``vta check`` does; with `published` each report says what
        published executors disagree on, too."""
        return [Check.of(row) for row in json.loads(self._core.check(published))]

    def run(
        self,
        engine: str | None = None,
        memory: Memory | None = None,
        *,
        limit: float | None = None,
        apart: bool = False,
        unproved: bool = False,
        credentials: Path | None = None,
        wait: float | None = None,
        priority: int | None = None,
    ) -> Execution:
        """Proves it and runs it, as ``vta exec`` does.

        Args:
            engine: as ``vta exec --engine`` takes it; None is "functional".
            memory: arrays or bytes that lie in DRAM before it runs, by labels or addresses.
            limit: seconds after which a program is stopped.
            apart: each layer of a package by a program of its own.
            unproved: run what the proof refuses, too; not on boards.
            credentials, wait, priority: as those of `Session`.

        Raises:
            Error: where the proof refuses it, memory does not lie in its image, or the engine is none.
        """
        options = {
            "engine": engine,
            "limit": limit,
            "apart": apart,
            "unproved": unproved,
            "credentials": credentials,
            "wait": wait,
            "priority": priority,
        }
        launches, image = self._core.run(mapped(memory, "memory") or {}, options)
        return Execution(tuple(_launch(launch) for launch in json.loads(launches)), image, self.labels)

    def save(self, path: Path) -> None:
        """Writes what ``vta asm`` writes: a package, or a DRAM image."""
        self._core.save(path)

    def __repr__(self) -> str:
        count = sum(count for _, _, count in self.instructions)
        return f"<vta.Program {self._core.name!r} for {self.config['name']}, {count} instructions>"


def asm(text: str, config: Path | Mapping[str, Any] | None = None, *, name: str = "text") -> Program:
    """Assembles text, as ``vta asm`` does.

    Args:
        text: docs/assembly.md says what it may hold.
        config: the accelerator variant, where the text names none.
        name: stands for the text in errors.

    Raises:
        Error: naming line, token and rule.
    """
    own = dict(config) if isinstance(config, Mapping) else config
    return Program(_core.assemble(text, own, name))


def _launch(document: dict[str, Any]) -> Launch:
    program, text = document.pop("program"), document.pop("text")
    return Launch(program, document["outcome"], document.get("cycles"), text, document)
