"""Where long work is: calls of the caller's, or a bar in a notebook."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable
from typing import Any

Listener = Callable[[str, int, int], Any]


def listener(progress: Listener | bool | None, what: str) -> Listener | None:
    """What the C++ of the module calls: `progress` itself; of None and True a bar, of None in a notebook alone."""
    if callable(progress):
        return progress
    if progress is False or (progress is None and not _in_notebook()):
        return None
    return Bar(what)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


class Bar:
    """A line that is drawn over and over, as HTML where the display has that."""

    def __init__(self, what: str) -> None:
        self.what, self.place, self.number, self.total = what, "", 0, 0
        self._handle: Any = None

    def __call__(self, place: str, number: int, total: int) -> None:
        self.place, self.number, self.total = place, number, total
        if not _in_notebook():
            print(f"\r{self!s:<79.79}", end="", file=sys.stderr, flush=True)
        elif self._handle:
            self._handle.update(self)
        else:
            from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

            self._handle = display(self, display_id=True)

    def __str__(self) -> str:
        count = f" {self.number} of {self.total}" if self.total else ""
        return f"{self.what}:{count} {self.place}"

    def _repr_html_(self) -> str:
        return f'<progress max="{max(self.total, 1)}" value="{self.number}"></progress> {html.escape(str(self))}'
