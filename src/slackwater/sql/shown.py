"""Rows as lines of text for the console."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from slackwater.wording import printable

_WIDEST = 60


def shown(table: pa.Table, most: int) -> list[str]:
    """Return a header and the first rows, columns aligned; what a terminal could mistake for a command is left out.

    >>> shown(pa.table({"line": [5, 7], "area": ["north", "s"]}), 1)
    ['line  area', '5     north', '... 1 more row']
    """
    rows = table.slice(0, most).to_pylist()
    header = [printable(name) for name in table.column_names]
    lines = [
        header,
        *([_cell(value) for value in row.values()] for row in rows),
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(table.num_columns)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    more = table.num_rows - len(rows)
    return [*text, *([f"... {more:,} more row{'' if more == 1 else 's'}"] if more > 0 else [])]


def titled(show: Callable[[str], None], number: int, what: str, rows: str) -> None:
    """Show rows under what they are."""
    show(f"query {number}, {what}:\n{rows}")


def _cell(value: Any) -> str:
    text = _words(value)
    return printable(text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}...")


def _words(value: Any) -> str:
    match value:
        case None:
            return ""
        case dt.datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case float():
            return f"{value:.6g}"
        case {"start": start, "end": end, **rest} if not rest:
            return f"{_words(start)} .. {_words(end)}"
        case dict():
            return "{" + ", ".join(f"{name}: {_words(inner)}" for name, inner in value.items()) + "}"
    return str(value)
