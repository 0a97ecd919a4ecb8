"""The one exception of the toolkit, and what raises it in Python."""

from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class Error(RuntimeError):
    """What a caller, a file, a machine or a run caused, in one line: ``where: subject = value: rule``.

    Attributes:
        where: the file, the model or the step; "" where there is none.
        subject: what is wrong there, such as an input or a keyword.
        value: the value that was found; "" where there is none.
        rule: what it breaks.
    """

    where: str
    subject: str
    value: str
    rule: str

    def __init__(self, message: str, where: str = "", subject: str = "", value: str = "", rule: str = "") -> None:
        super().__init__(message)
        self.where, self.subject, self.value, self.rule = where, subject, value, rule

    def __reduce__(self) -> tuple[type["Error"], tuple[str, str, str, str, str]]:
        return type(self), (str(self), self.where, self.subject, self.value, self.rule)


def refused(subject: str, value: str, rule: str) -> Error:
    """An error of the caller's, without a place; what cannot be printed stands there as Python writes it."""
    subject, value = (repr(text)[1:-1] if not text.isprintable() else text for text in (subject, value))
    return Error(f"{subject}{' = ' if value else ''}{value}: {rule}", "", subject, value, rule)


def mapped(value: Any, subject: str) -> dict[Any, Any] | None:
    """As a dict, None of an empty one. Raises: Error where it is no mapping."""
    if value is None or isinstance(value, dict):
        return value or None
    if not isinstance(value, Mapping):
        raise refused(subject, type(value).__name__, "must be a dict")
    return dict(value) or None


def wrapped(value: Any, kind: type[T], subject: str, how: str) -> T:
    """The same value. Raises: Error where it is not of the kind, of which `how` says what makes one."""
    if not isinstance(value, kind):
        raise refused(subject, type(value).__name__, f"must be a vta.{kind.__name__}: {how} makes one")
    return value
