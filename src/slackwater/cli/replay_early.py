"""The option --early of the command `replay`: how accurate early results are, and how much earlier they come."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from slackwater.report.page import Section


def check_early_share(share: float | None) -> None:
    """Check that windows can be shown that early."""
    if share is not None and not 0 <= share <= 1:
        remedy = "0.25 is a quarter of the slide before the end of each window"
        raise ParameterError("--early", share, must="be >= 0 and <= 1", remedy=remedy)


def show_early(
    shown: float, parts: Sequence[Any], output: Path, console: Console, progress: Callable[[Any], Any]
) -> list[Section]:
    """Run the windows with early results, keep the figures, print a table for each contract, return sections."""
    from slackwater.report.early import early_section, read_early

    rows: list[dict[str, Any]] = []
    for part in parts:
        if part.early is not None:
            with progress(part) as notice:
                rows += part.early(shown, notice)
    path = output / "early.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    sections = []
    for contract, together in groupby(read_early(path), key=lambda row: str(row["contract"])):
        found = list(together)
        _print(console, contract, found, shown)
        sections.append(early_section(contract, found))
    return sections


def _print(console: Console, contract: str, rows: list[dict[str, Any]], shown: float) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from slackwater.report.early import HEADS, early_rows

    title = f"early by {shown:g} of the slide, {contract}"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for number, head in enumerate(HEADS):
        table.add_column(head.replace(" ", "\n", 1), justify="left" if number < 2 else "right", no_wrap=True)
    for row in early_rows(rows, shown):
        table.add_row(*map(Text, row))
    console.print(table)
