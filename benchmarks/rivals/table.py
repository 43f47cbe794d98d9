"""The table of jobs and engines, from the rows that a run has written."""

from __future__ import annotations

from typing import Any

from rich.table import Table

_RATIOS = {
    "time / spark": ("slackwater-spark", "seconds"),
    "CPU / spark": ("slackwater-spark", "cpu_seconds"),
    "time / local": ("slackwater", "seconds"),
    "CPU / local": ("slackwater", "cpu_seconds"),
}
_COLUMNS = ("job", "engine", "rows/s", "started", "CPU s/M", "peak MB", "state MB", *_RATIOS, "")


def table(rows: list[dict[str, Any]]) -> Table:
    """Return a line for each job and engine; a ratio above 1 says how many times as long as ours it took."""
    shown = Table(title="whole processes; ratios to slackwater on Spark and in process, median (lowest - highest)")
    for place, column in enumerate(_COLUMNS):
        shown.add_column(column, justify="left" if place in (0, 1, len(_COLUMNS) - 1) else "right")
    for row in rows:
        if "no_figures" in row:
            shown.add_row(row["job"], row["engine"], *[""] * (len(_COLUMNS) - 3), row["no_figures"])
        else:
            shown.add_row(*_figures(row), row["differs"])
    return shown


def _figures(row: dict[str, Any]) -> list[str]:
    state = row["checkpoint_bytes"]
    return [
        row["job"],
        row["engine"],
        f"{row['rows_per_second']:,.0f}",
        f"{row['rows_per_second_started']:,.0f}",
        f"{row['cpu_seconds_per_million']:.1f}",
        f"{row['peak_bytes'] / 1e6:,.0f}",
        "" if state is None else f"{state / 1e6:.1f}",
        *(_ratio(row["ratios"][ours], figure) for ours, figure in _RATIOS.values()),
    ]


def _ratio(ratios: dict[str, list[float]] | None, figure: str) -> str:
    if ratios is None:
        return ""
    lowest, median, highest = ratios[figure]
    return f"{median:.2f}" if lowest == highest else f"{median:.2f} ({lowest:.2f} - {highest:.2f})"
