"""Schedules: checked rewrites of a function's loops, remembered as a trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path as FilePath

from vta import _core
from vta._error import refused, wrapped
from vta.model import Path, Tensor, listed, tensors
from vta.package import Package


class Function:
    """Loops around computations over tensors: `te.lower` makes one, a `Schedule` rewrites it, `print` shows it."""

    def __init__(self, core: _core.Function) -> None:
        self._core = wrapped(core, _core.Function, "function", "te.lower or te.parse")

    @property
    def name(self) -> str:
        """As it was lowered."""
        return self._core.name

    @property
    def parameters(self) -> tuple[Tensor, ...]:
        """The tensors that it works on."""
        return tensors(self._core.params())

    def __str__(self) -> str:
        return str(self._core)


class Schedule:
    """A function whose loops are changed step by step; each step is proved to keep what is computed.

    The methods below have the names of the primitives; loops and blocks are given by their names, as
    `print` shows them. Raises of each: Error where the step is not legal, which then changes nothing.
    """

    def __init__(self, function: Function) -> None:
        self._core = _core.Schedule(_function(function))

    @property
    def function(self) -> Function:
        """As it is now."""
        return Function(self._core.function())

    def loops(self, block: str) -> list[str]:
        """The loops around a block, outermost first."""
        return self._core.loops(block)

    @property
    def trace(self) -> str:
        """The steps, a line each: what `replay` takes, and ``vta compile --schedule NODE=FILE`` for a layer."""
        return self._core.trace()

    def replay(self, trace: str) -> None:
        """Applies the lines of a text; empty ones and what follows # are left out."""
        self._core.replay(trace)

    def save(self, path: Path) -> None:
        """Writes `trace` to a file."""
        try:
            FilePath(path).write_text(self.trace)
        except (OSError, ValueError) as error:
            raise refused("path", str(path), str(error)) from error

    def load(self, path: Path) -> None:
        """Replays the trace in a file."""
        try:
            text = FilePath(path).read_text()
        except (OSError, ValueError) as error:
            raise refused("path", str(path), str(error)) from error
        self.replay(text)

    def build(self, *, cpu: str | Iterable[str] | None = None) -> Package:
        """As `vta.build`."""
        return build(self.function, cpu=cpu)

    def __str__(self) -> str:
        """The function's text."""
        return str(self.function)

    def split(self, block: str, loop: str, factor: int) -> list[str]:
        """Parts of `factor` iterations, the last guarded if it is short. Returns: outer inner."""
        return self._core.apply("split", block, loop, factor)

    def split_parts(self, block: str, loop: str, parts: int) -> list[str]:
        """`parts` parts of equal size, the last ones guarded. Returns: outer inner."""
        return self._core.apply("split_parts", block, loop, parts)

    def fuse(self, block: str, outer: str, inner: str) -> str:
        """Two loops, one directly in the other, become one. Returns: loop."""
        return self._core.apply("fuse", block, outer, inner)[0]

    def reorder(self, block: str, loop: str, *loops: str) -> None:
        """The named loops stand in this order."""
        self._core.apply("reorder", block, loop, *loops)

    def tile(self, block: str, y: str, x: str, y_factor: int, x_factor: int) -> list[str]:
        """Split both and move the inner parts inside. Returns: yo xo yi xi."""
        return self._core.apply("tile", block, y, x, y_factor, x_factor)

    def partition(self, block: str, loop: str, iterations: int) -> str:
        """The first `iterations` are one loop and the rest, with a block of its own, another. Returns: block."""
        return self._core.apply("partition", block, loop, iterations)[0]

    def unroll(self, block: str, loop: str) -> None:
        """The loop is to be written out."""
        self._core.apply("unroll", block, loop)

    def vectorize(self, block: str, loop: str) -> None:
        """Iterations become lanes of vectors."""
        self._core.apply("vectorize", block, loop)

    def parallel(self, block: str, loop: str) -> None:
        """Iterations of the outermost loop become tasks for threads."""
        self._core.apply("parallel", block, loop)

    def bind(self, block: str, loop: str, to: str) -> None:
        """Iterations become a GPU's blocks (in another loop of blocks: a team of them), or threads."""
        self._core.apply("bind", block, loop, to)

    def annotate(self, block: str, loop: str, key: str, value: int) -> None:
        """A hint on the loop, or on the block where loop is -."""
        self._core.apply("annotate", block, loop, key, value)

    def cache_read(self, block: str, buffer: str, scope: str) -> str:
        """The block reads a copy in another memory. Returns: buffer."""
        return self._core.apply("cache_read", block, buffer, scope)[0]

    def cache_write(self, block: str, scope: str) -> list[str]:
        """The block computes in another memory, a copy writes back. Returns: buffer block."""
        return self._core.apply("cache_write", block, scope)

    def read_at(self, block: str, buffer: str, loop: str, scope: str) -> list[str]:
        """Each iteration of the loop begins with all that the block reads of the buffer in it. Returns: buffers."""
        return self._core.apply("read_at", block, buffer, loop, scope)

    def compute_at(self, block: str, consumer: str, loop: str) -> list[str]:
        """Compute in each iteration what it needs. Returns: loops."""
        return self._core.apply("compute_at", block, consumer, loop)

    def reverse_compute_at(self, block: str, producer: str, loop: str) -> list[str]:
        """Use, at the end of each iteration, what it made. Returns: loops."""
        return self._core.apply("reverse_compute_at", block, producer, loop)

    def compute_inline(self, block: str) -> None:
        """Readers compute the elements themselves."""
        self._core.apply("compute_inline", block)

    def inplace(self, block: str, buffer: str) -> None:
        """The block writes over the buffer that it reads."""
        self._core.apply("inplace", block, buffer)

    def roll(self, buffer: str, loop: str, dim: int, advance: int) -> None:
        """What the iteration before made stays: `dim` moves on by `advance`, of which two are kept."""
        self._core.apply("roll", buffer, loop, dim, advance)

    def double_buffer(self, buffer: str, loop: str, copies: int = 2) -> None:
        """Iterations take copies of the buffer in turn, two where it is not said."""
        self._core.apply("double_buffer", buffer, loop, copies)

    def prefetch(self, block: str, loop: str) -> str:
        """Iterations make what a later one reads, in the copy that is not read longest. Returns: block."""
        return self._core.apply("prefetch", block, loop)[0]

    def set_scope(self, buffer: str, scope: str) -> None:
        """The buffer lives in another memory."""
        self._core.apply("set_scope", buffer, scope)

    def set_stride(self, buffer: str, *strides: int) -> None:
        """Its elements lie so far apart in each dimension."""
        self._core.apply("set_stride", buffer, *strides)

    def storage_align(self, buffer: str, dim: int, factor: int, offset: int) -> None:
        """Elements of the dimension lie a multiple of the factor apart, and an offset."""
        self._core.apply("storage_align", buffer, dim, factor, offset)

    def transform_layout(self, buffer: str, *dims: int | str) -> None:
        """Dimensions in another order, or divided: 0 1/16 2 1%16."""
        self._core.apply("transform_layout", buffer, *dims)

    def decompose_reduction(self, block: str, loop: str) -> str:
        """The start of the reduction runs before the loop. Returns: block."""
        return self._core.apply("decompose_reduction", block, loop)[0]

    def rfactor(self, block: str, loop: str) -> str:
        """Partial results, one for each iteration, and then one of them all. Returns: block."""
        return self._core.apply("rfactor", block, loop)[0]

    def pad(self, block: str, buffer: str) -> str:
        """Reads outside the buffer come from a padded copy. Returns: buffer."""
        return self._core.apply("pad", block, buffer)[0]

    def tensorize(self, block: str, loop: str, intrinsic: str) -> None:
        """The loops inwards become a call of the intrinsic."""
        self._core.apply("tensorize", block, loop, intrinsic)

    def virtual_thread(self, block: str, loop: str) -> None:
        """Iterations become contexts with a slot each."""
        self._core.apply("virtual_thread", block, loop)


def _function(value: Function) -> _core.Function:
    return wrapped(value, Function, "function", "te.lower or te.parse")._core


def build(what: Function | Schedule, *, cpu: str | Iterable[str] | None = None) -> Package:
    """A package of one kernel, compiled by LLVM: a `Session` runs it.

    The parameters that the function writes are the package's outputs, the others its inputs.

    Args:
        cpu: CPUs that it is made for, as those of `compile`; None: this machine's.

    Raises:
        Error: where iterations of a parallel loop depend on each other, or LLVM cannot be loaded.
    """
    function = what.function if isinstance(what, Schedule) else what
    return Package(_core.build(_function(function), {"cpu": listed(cpu)}))


def intrinsics() -> dict[str, str]:
    """What `Schedule.tensorize` may name: dot products of CPUs, each with the loops that it stands for."""
    return _core.intrinsics()


def primitives() -> Sequence[tuple[str, str, str, str]]:
    """(name, words, the names that it makes, what it does) of each primitive of schedules."""
    return _core.primitives()
