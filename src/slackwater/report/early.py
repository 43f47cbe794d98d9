"""How accurate early results are, by how early they are: a figure for notebooks and pages, and a table.

Both take rows as `slackwater replay --early` writes them: one for each contract, value, aggressiveness and estimate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from slackwater.report.comparisons import span
from slackwater.report.page import Section
from slackwater.report.plots import Figure, share_lines

HEADS = ("value", "estimate", "accuracy", "worst", "intervals held", "early after end", "final after end")


def read_early(path: Path) -> list[dict[str, Any]]:
    """Read the rows that were written."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def accuracy_over_earliness(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the mean accuracy by the share of the slide that results are early, a line for each value and estimate.

    >>> rows = [{"value": "n", "estimate": "raw", "aggressiveness": a, "accuracy": 1 - a / 2} for a in (0.5, 0.25)]
    >>> figure = accuracy_over_earliness(rows)
    >>> figure.data[0].name, list(figure.data[0].x), list(figure.data[0].y)
    ('n, raw', [0.25, 0.5], [0.875, 0.75])
    """
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in sorted(rows, key=lambda row: float(row["aggressiveness"])):
        lines.setdefault(f"{row['value']}, {row['estimate']}", []).append((row["aggressiveness"], row["accuracy"]))
    return share_lines(lines, x="early by, share of the slide", y="mean accuracy")


def early_rows(rows: Sequence[Mapping[str, Any]], shown: float) -> list[tuple[str, ...]]:
    """Return the rows of one aggressiveness as text, in the order of `HEADS`."""
    return [
        (
            str(row["value"]),
            str(row["estimate"]),
            f"{row['accuracy']:.2%}",
            f"{row['worst']:.1%}",
            "" if row["held"] is None else f"{row['held']:.1%}",
            _signed(row["early_us"]),
            _signed(row["final_us"]),
        )
        for row in rows
        if row["aggressiveness"] == shown
    ]


def early_section(contract: str, rows: Sequence[Mapping[str, Any]]) -> Section:
    """Return the figure of one contract as a section of a page."""
    caption = (
        "How near early values are to the final ones on average: (F - |F - E|) / F. Raw is what the rows so far add up "
        "to, corrected what is expected in the end."
    )
    return Section(f"Accuracy of early results: {contract}", caption, accuracy_over_earliness(rows))


def _signed(duration: float) -> str:
    """Write a duration in us that may be negative.

    >>> _signed(-30e6), _signed(12.5e6)
    ('-30 s', '12.5 s')
    """
    return f"-{span(-duration)}" if duration < 0 else span(duration)
