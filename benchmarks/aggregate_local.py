"""Window aggregates in process against Polars, which groups the same rows by a ready-made pane id.

Polars gets the columns, the pane of each row and nothing to decide: no clock, no late rows, no windows to close. The
overlap cases compare windows of 30 and 300 slides with windows of 3, per result: in large batches, then one slide at a
time, where a result must not cost more for the panes that its window shares with the one before. The early cases show
every window half a slide early, against the same without early results, by the time of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import slackwater as sw
from benchmarks.harness import Case
from slackwater.core.aggregate import WindowAggregate
from slackwater.core.algebra import Count, Max, Sum
from slackwater.core.cells import Input
from slackwater.core.panes import Panes
from slackwater.events import Events

GROUPS = 10_000
SLIDE = 1_000_000  # us


def cases(*, quick: bool) -> Iterator[Case]:
    """Count, sum and max of many rows per group and pane, and of few; then windows of growing overlap."""
    rows = 500_000 if quick else 5_000_000
    for name, per_slide in (("dense", 100_000), ("sparse", 2_000)):
        table = _rows(rows, per_slide=per_slide)
        config = {"rows": rows, "groups": GROUPS, "per_slide": per_slide}
        ours, rival = partial(_aggregate, table), partial(_polars, _with_pane(table))
        yield Case(f"aggregate, {name} panes", ours, rival, 1.5, "Polars, grouping by pane id", config)
    some = _rows(rows // 5, per_slide=2_000, groups=200)
    for overlap in (30, 300):
        per_row = partial(_per_result, some, overlap * SLIDE)
        yield Case(
            f"aggregate, windows of {overlap} slides",
            per_row,
            partial(_per_result, some, 3 * SLIDE),
            1.5,
            "windows of 3 slides, per result",
            {"rows": rows // 5, "groups": 200, "per_slide": 2_000},
        )
    for overlap in (30, 300):
        yield Case(
            f"aggregate by the slide, windows of {overlap} slides",
            partial(_slide_by_slide, overlap, 700 if quick else 1_500),
            partial(_slide_by_slide, 3, 700 if quick else 1_500),
            2.0,
            "windows of 3 slides, per result",
            {"rows per slide": 2_000, "groups": 1_000},
        )
    yield from _early_cases(rows)


def _early_cases(rows: int) -> Iterator[Case]:
    table = _rows(rows, per_slide=100_000, groups=200)
    config = {"rows": rows, "groups": 200, "per_slide": 100_000}
    rival = partial(_processor_time, table, None)
    for estimate, limit in (("raw", 1.02), ("corrected", 1.5)):
        early = sw.Early(aggressiveness=0.5, estimate=estimate)  # type: ignore[arg-type]
        ours = partial(_processor_time, table, early)
        yield Case(f"aggregate, early results, {estimate}", ours, rival, limit, "no early results", config)


def _processor_time(table: pa.Table, early: sw.Early | None) -> float:
    started = time.process_time()
    _results(table, SLIDE, early)
    return time.process_time() - started


def _slide_by_slide(overlap: int, slides: int) -> float:
    """Return how long a result takes where every batch ends a slide; a fifth of the rows is up to a slide late."""
    logic = WindowAggregate(Panes(overlap * SLIDE, SLIDE), (Count(), Sum(), Max())).build()
    random = np.random.default_rng(1)
    took, results, rows = 0.0, 0, 2_000
    for slide in range(slides):
        late = np.where(random.random(rows) < 0.8, 0, SLIDE)
        times = slide * SLIDE + random.integers(0, SLIDE, rows) - late
        events = Events(times, np.full(rows, slide), np.arange(rows))
        group, value = random.integers(0, 1_000, rows), Input(random.integers(0, 1_000, rows))
        started = time.process_time()
        closed = logic.on_batch(logic.arrive(events), group, [value] * 3, slack=0).windows
        took += time.process_time() - started
        results += 0 if closed is None else len(closed)
    return took / results


def _rows(count: int, *, per_slide: int, groups: int = GROUPS, seed: int = 1) -> pa.Table:
    """Make a stream of which a fifth is out of order, by up to two slides."""
    random = np.random.default_rng(seed)
    delays = np.where(random.random(count) < 0.8, 0, random.integers(0, 2 * SLIDE, count))
    return pa.table(
        {
            "ts": pa.array(np.arange(count) * SLIDE // per_slide - delays).cast(pa.timestamp("us")),
            "key": pa.array(random.integers(0, groups, count)),
            "x": pa.array(random.integers(0, 1_000, count)),
        }
    )


def _aggregate(table: pa.Table) -> None:
    _results(table, SLIDE)


def _per_result(table: pa.Table, size: int) -> float:
    started = time.perf_counter()
    results = _results(table, size)
    return (time.perf_counter() - started) / int(results.num_rows)


def _results(table: pa.Table, size: int, early: sw.Early | None = None) -> Any:
    out = sw.aggregate(
        sw.stream(table, event_time="ts"),
        by="key",
        size=sw.Duration(size),
        slide=sw.Duration(SLIDE),
        values={"n": sw.count(), "total": sw.sum("x"), "most": sw.max("x")},
        contract=sw.FixedSlack("2 seconds"),
        early=early,
    )
    return out.results


def _with_pane(table: pa.Table) -> pl.DataFrame:
    pane = table["ts"].cast(pa.int64()).to_numpy() // SLIDE
    frame = pl.from_arrow(table.append_column("pane", pa.array(pane)))
    assert isinstance(frame, pl.DataFrame)
    return frame


def _polars(frame: pl.DataFrame) -> None:
    total, most = pl.col("x").sum().alias("total"), pl.col("x").max().alias("most")
    frame.group_by("pane", "key").agg(pl.len().alias("n"), total, most)
