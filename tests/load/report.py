"""Figures of load as tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from tests.load.overload import TIMES, Overload
from tests.load.saturation import Saturation
from tests.load.shaped import Shaped
from tests.load.silence import Silence
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
    for column in ("query", "cores", "rows/s", "least and most of a batch", "seconds a batch", "MB", "verified"):
        table.add_column(column)
    for each in found:
        spread = f"{each.least:,.0f} to {each.most:,.0f}"
        rate, took = f"{each.rows_per_second:,.0f}", f"{each.batch_seconds:.2f}"
        memory = f"{each.memory_mb:,.0f}"
        table.add_row(each.query, str(each.cores), rate, spread, took, memory, words_of(each.verdict))
    return table


def soak_table(found: Soak) -> Table:
    """Return what grew, and what did not."""
    title = f"Soak: {found.query}, {found.minutes:g} minutes at {found.rows_per_second:,.0f} rows/s"
    table = Table(title=f"{title}, {found.batches} batches, {words_of(found.verdict)}")
    for column in ("figure", "mean", "growth an hour", "95 % interval", ""):
        table.add_column(column)
    for name, each in found.slopes.items():
        interval = f"{each.low:+.4g} to {each.high:+.4g}"
        verdict = "MUST NOT GROW" if name in found.growing else each.verdict
        table.add_row(name, f"{each.level:,.4g}", f"{each.per_hour:+.4g}", interval, verdict)
    return table


def overload_table(found: Sequence[Overload]) -> Table:
    """Return how queries fared while far too much was offered."""
    table = Table(title=f"Overload: {TIMES} times what a query can take")
    names = ("query", "saturation", "offered", "taken", "most in a batch", "memory MB", "most slack")
    for column in (*names, "bytes of Python, of heap, a waiting row", "verified"):
        table.add_column(column)
    for each in found:
        rates = (f"{rate:,.0f}" for rate in (each.saturation, each.offered, each.taken))
        batch = f"{each.most_in_a_batch:,} of {each.bound:,}"
        kinds = (each.python, each.heap)
        growth = ", ".join(f"{kind.bytes_per_row:+.1f} ({kind.low:+.1f} to {kind.high:+.1f})" for kind in kinds)
        slack = f"{each.most_slack_us / 1e6:g} s of {each.cap_us / 1e6:g} s"
        most = f"{each.most_memory_mb:,.0f} of {each.bound_memory_mb:,.0f}"
        words = words_of(each.verdict) + ("" if each.is_bounded else ", MEMORY NOT BOUNDED")
        table.add_row(each.query, *rates, batch, most, slack, growth, words)
    return table


def shapes_table(found: Sequence[Shaped]) -> Table:
    """Return what queries made of shapes."""
    table = Table(title="Streams that nobody wishes for")
    for column in ("shape", "query", "engine", "rows", "seconds", "MB", "late", "verified"):
        table.add_column(column)
    for each in found:
        late = ", ".join(f"{reason} {count:,}" for reason, count in sorted(each.reasons.items()))
        figures = (f"{each.rows:,}", f"{each.seconds:.1f}", f"{each.memory_mb:,.0f}")
        words = words_of(each.verdict) + ("" if each.accounted else ", NOT ACCOUNTED FOR")
        words += f", {each.misrouted} FUTURE BY MISTAKE, OR NOT" if each.misrouted else ""
        table.add_row(each.shape, each.query, each.engine, *figures, late, words)
    return table


def silence_table(found: Sequence[Silence]) -> Table:
    """Return what became of streams of which one was silent for an hour."""
    table = Table(title="One of two streams silent for an hour, then a burst")
    names = ("query", "engine", "idle_after", "rows", "seconds", "results due before the burst", "held then", "wrong")
    for column in (*names, "verified"):
        table.add_column(column)
    for each in found:
        ruled = each.ruled
        held = f"{each.held:,} of {ruled.must_hold:,}"
        wrong = f"{ruled.too_early} too early, {ruled.too_long} too long, {ruled.misjudged} late or not by mistake"
        words = words_of(each.verdict) + ("" if each.accounted else ", NOT ACCOUNTED FOR")
        figures = (f"{each.rows:,}", f"{each.seconds:.1f}", f"{ruled.due:,}", held, wrong, words)
        table.add_row(each.query, each.engine, each.idle_after or "none", *figures)
    return table


def words_of(verdict: Verdict) -> str:
    """Return the outcome of a verification in a line."""
    wrong = f"{verdict.lost} lost, {verdict.doubled} doubled, {verdict.made_up} made up"
    return f"{verdict.arrived:,} rows, {verdict.late:,} late: {wrong}, {verdict.out_of_order} out of order"
