"""Tensor expressions: what is computed, element by element.

    a, b = te.placeholder("a", (64, 64), "float32"), te.placeholder("b", (64, 64), "float32")
    k = te.reduce_axis("k", 64)
    c = te.compute("c", [("i", 64), ("j", 64)], lambda i, j: te.sum(a(i, k) * b(k, j), k))
    schedule = vta.Schedule(te.lower("matmul", [a, b, c]))

Expressions are made of elements, indices and numbers by + - * / // % < <= > >= & | ~ >> and abs,
and by the functions below. Both sides have one type: a whole number takes that of the other side,
and `astype` changes it. Raises of all: Error where operands do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from vta import _core
from vta._core import Expr, ReduceAxis, Reduction
from vta._core import TeTensor as Tensor
from vta.schedule import Function

Value: TypeAlias = Expr | ReduceAxis | int | float | bool
Shape: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | Sequence[int | tuple[str, int]]


def placeholder(name: str, shape: Shape, dtype: str = "int8") -> Tensor:
    """An input. `dtype`: "int8", "uint8", "int16", "int32", "int64", "float32" or "bool"."""
    return _core.te_placeholder(name, shape, dtype)


def reduce_axis(name: str, extent: int) -> ReduceAxis:
    """An axis that a reduction runs over; as an index it is its variable."""
    return ReduceAxis(name, extent)


def compute(name: str, axes: Axes, define: Callable[..., Value | Reduction], scope: str = "global") -> Tensor:
    """A tensor whose element at i, j, ... is ``define(i, j, ...)``.

    Args:
        axes: of each dimension its extent, or (name of the loop, extent).
        scope: where it lives: "global", memory; or "local".
    """
    return _core.te_compute(name, axes, define, scope)


def pad(name: str, tensor: Tensor, before: Shape, after: Shape, value: float = 0) -> Tensor:
    """The tensor with so many elements of `value` around each dimension."""
    return _core.te_pad(name, tensor, before, after, value)


def sum(value: Value, axes: ReduceAxis | Sequence[ReduceAxis], start: Value | None = None) -> Reduction:
    """The sum over axes, from `start` on."""
    return _core.te_reduce("sum", value, axes, start)


def max(value: Value, axes: ReduceAxis | Sequence[ReduceAxis], start: Value | None = None) -> Reduction:
    """The greatest over axes."""
    return _core.te_reduce("max", value, axes, start)


def min(value: Value, axes: ReduceAxis | Sequence[ReduceAxis], start: Value | None = None) -> Reduction:
    """The least over axes."""
    return _core.te_reduce("min", value, axes, start)


def constant(value: float, dtype: str) -> Expr:
    """A number of a type."""
    return _core.te_constant(value, dtype)


def cast(dtype: str, value: Value) -> Expr:
    """The value in another type: whole numbers wrap, from float they are cut off and saturate."""
    return _core.te_cast(dtype, value)


def select(condition: Value, then: Value, otherwise: Value) -> Expr:
    """One of two: only that one is computed."""
    return _core.te_select(condition, then, otherwise)


def equal(a: Value, b: Value) -> Expr:
    """Whether they are the same."""
    return _core.te_apply("==", a, b)


def minimum(a: Value, b: Value) -> Expr:
    """The lesser of two."""
    return _core.te_apply("min", a, b)


def maximum(a: Value, b: Value) -> Expr:
    """The greater of two."""
    return _core.te_apply("max", a, b)


def apply(operation: str, *operands: Value) -> Expr:
    """Any operation of expressions by its name: "exp", "log", "sqrt", "tanh", "erf", "floor", "pow", ..."""
    return _core.te_apply(operation, *operands)


def exp(value: Value) -> Expr:
    """e to that power; float32, as those below."""
    return _core.te_apply("exp", value)


def log(value: Value) -> Expr:
    """The natural logarithm."""
    return _core.te_apply("log", value)


def sqrt(value: Value) -> Expr:
    """The square root."""
    return _core.te_apply("sqrt", value)


def tanh(value: Value) -> Expr:
    """The hyperbolic tangent."""
    return _core.te_apply("tanh", value)


def erf(value: Value) -> Expr:
    """The error function."""
    return _core.te_apply("erf", value)


def lower(name: str, parameters: Sequence[Tensor]) -> Function:
    """The loops that compute the tensors which are no placeholders. What is not among the parameters is
    local to the function.

    Raises:
        Error: where a placeholder that is used is not among them, or a name occurs twice.
    """
    return Function(_core.te_lower(name, parameters))


def parse(text: str) -> Function:
    """A function as `print` shows it. Raises: Error with the line where the text is wrong."""
    return Function(_core.te_parse(text))
