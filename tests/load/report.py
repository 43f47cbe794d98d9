"""Figures of load as tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from tests.load.saturation import Saturation
from tests.load.soak import Soak
from tests.load.verify import Verdict


def write_json(file: Path, outcomes: Sequence[Any]) -> None:
    """Add outcomes to a file, a line each."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        for outcome in outcomes:
            lines.write(json.dumps({"kind": type(outcome).__name__, **asdict(outcome)}) + "\n")


def saturation_table(found: Sequence[Saturation]) -> Table:
    """Return what queries kept up."""
    table = Table(title="Saturation")
    for column in ("query", "cores", "rows/s", "least and most of a batch", "seconds a batch", "verified"):
        table.add_column(column)
    for each in found:
        spread = f"{each.least:,.0f} to {each.most:,.0f}"
        rate, took = f"{each.rows_per_second:,.0f}", f"{each.batch_seconds:.2f}"
        table.add_row(each.query, str(each.cores), rate, spread, took, words_of(each.verdict))
    return table


def soak_table(found: Soak) -> Table:
    """Return what grew, and what did not."""
    title = f"Soak: {found.query}, {found.minutes:g} minutes at {found.rows_per_second:,.0f} rows/s"
    table = Table(title=f"{title}, {found.batches} batches, {words_of(found.verdict)}")
    for column in ("figure", "mean", "growth an hour", "95 % interval", ""):
        table.add_column(column)
    for name, each in found.slopes.items():
        interval = f"{each.low:+.4g} to {each.high:+.4g}"
        verdict = "flat" if each.is_flat else "grows" if each.per_hour > 0 else "shrinks"
        table.add_row(name, f"{each.level:,.4g}", f"{each.per_hour:+.4g}", interval, verdict)
    return table


def words_of(verdict: Verdict) -> str:
    """Return the outcome of a verification in a line."""
    wrong = f"{verdict.lost} lost, {verdict.doubled} doubled, {verdict.made_up} made up"
    return f"{verdict.arrived:,} rows, {verdict.late:,} late: {wrong}, {verdict.out_of_order} out of order"
