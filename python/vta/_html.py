"""Tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """As HTML. Numbers stand at the right, None is an empty cell."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{html.escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        text = ""
    elif isinstance(value, bool):
        text = "yes" if value else ""
    elif isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, float):
        text = f"{value:.4g}"
    else:
        text = str(value)
    align = "left" if isinstance(value, str) else "right"
    return f'<td style="text-align: {align}">{html.escape(text)}</td>'
