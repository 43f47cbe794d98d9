"""The table of jobs and engines, from the rows that a run has written."""

from __future__ import annotations

from typing import Any

from rich.table import Table

_RATIOS = {
    "time / Spark": ("slackwater-spark", "seconds"),
    "CPU / Spark": ("slackwater-spark", "cpu_seconds"),
    "time / at once": ("slackwater-spark-at-once", "seconds"),
    "time / local": ("slackwater", "seconds"),
    "CPU / local": ("slackwater", "cpu_seconds"),
}
_FIGURES = ("turns", "rows", "rows/s", "started", "start-up s", "CPU s/M", "peak MB", "state MB", "written MB/batch")
_COLUMNS = ("job", "engine", *_FIGURES, *_RATIOS, "")
_ON_THE_LEFT = (0, 1, len(_COLUMNS) - 1)
TITLE = (
    "whole processes: time and processor time of each engine over ours (on Spark, on Spark with all rows at once, in "
    "process), median (lowest - highest); above 1 ours is ahead"
)


def table(rows: list[dict[str, Any]]) -> Table:
    """Return a line for each job and engine; a ratio above 1 says how many times as long as ours it took."""
    shown = Table(title=TITLE)
    for place, column in enumerate(_COLUMNS):
        shown.add_column(column, justify="left" if place in _ON_THE_LEFT else "right")
    for row in rows:
        shown.add_row(*_line(row))
    return shown


def markdown(rows: list[dict[str, Any]]) -> str:
    """Return the same as a table of a page."""
    rule = ["---" if place in _ON_THE_LEFT else "---:" for place in range(len(_COLUMNS))]
    lines = [list(_COLUMNS), rule, *(_line(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(row: dict[str, Any]) -> list[str]:
    if "no_figures" in row:
        return [row["job"], row["engine"], *[""] * (len(_COLUMNS) - 3), row["no_figures"]]
    return [*_figures(row), row["differs"]]


def _figures(row: dict[str, Any]) -> list[str]:
    return [
        row["job"],
        row["engine"],
        str(len(row["all_seconds"])),
        f"{row['rows']:,}",
        f"{row['rows_per_second']:,.0f}",
        f"{row['rows_per_second_started']:,.0f}",
        f"{row['startup_seconds']:.1f}",
        f"{row['cpu_seconds_per_million']:.1f}",
        _megabytes(row["peak_bytes"]),
        _megabytes(row["state_bytes"]),
        _megabytes(row["checkpoint_bytes_per_batch"]),
        *(_ratio(row["ratios"][ours], figure) for ours, figure in _RATIOS.values()),
    ]


def _megabytes(size: float | None) -> str:
    if size is None:
        return ""
    return f"{size / 1e6:,.1f}" if size < 1e8 else f"{size / 1e6:,.0f}"


def _ratio(ratios: dict[str, list[float]] | None, figure: str) -> str:
    if ratios is None:
        return ""
    lowest, median, highest = ratios[figure]
    return f"{median:.2f}" if lowest == highest else f"{median:.2f} ({lowest:.2f} - {highest:.2f})"
