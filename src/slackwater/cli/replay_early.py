"""The option --early of the command `replay`: how accurate early results are, and how much earlier they come."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from slackwater.cli.tables import figures_table
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
    from slackwater.report.early import HEADS, early_rows, early_section, read_early

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
        title = f"early by {shown:g} of the slide, {contract}"
        console.print(figures_table(title, HEADS, early_rows(found, shown), names=2))
        sections.append(early_section(contract, found))
    return sections
