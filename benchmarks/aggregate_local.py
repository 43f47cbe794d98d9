"""Window aggregates in process against Polars, which groups the same rows by a ready-made pane id.

Polars gets the columns, the pane of each row and nothing to decide: no clock, no late rows, no windows to close. The
overlap cases compare windows of 30 and 300 slides with windows of 3, per result.
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

GROUPS = 10_000
SLIDE = 1_000_000  # us


def cases(*, quick: bool) -> Iterator[Case]:
    """Count, sum and max of many rows per group and pane, and of few; then windows of growing overlap."""
    rows = 500_000 if quick else 5_000_000
    for name, per_slide in (("dense", 100_000), ("sparse", 2_000)):
        table = _rows(rows, per_slide=per_slide)
        config = {"rows": rows, "groups": GROUPS, "per_slide": per_slide}
        ours, rival = partial(_aggregate, table), partial(_polars, _with_pane(table))
        yield Case(f"aggregate, {name} panes", ours, rival, 2.0, "Polars, grouping by pane id", config)
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


def _rows(count: int, *, per_slide: int, groups: int = GROUPS, seed: int = 1) -> pa.Table:
    """Make a stream of which a fifth is out of order, by up to two slides."""
    random = np.random.default_rng(seed)
    delays = np.where(random.random(count) < 0.8, 0, random.integers(0, 2 * SLIDE, count))
    return pa.table(
        {
            "ts": pa.array(np.arange(count) * SLIDE // per_slide - delays).cast(pa.timestamp("us")),
            "key": random.integers(0, groups, count),
            "x": random.integers(0, 1_000, count),
        }
    )


def _aggregate(table: pa.Table) -> None:
    _results(table, SLIDE)


def _per_result(table: pa.Table, size: int) -> float:
    started = time.perf_counter()
    results = _results(table, size)
    return (time.perf_counter() - started) / results.num_rows


def _results(table: pa.Table, size: int) -> Any:
    out = sw.aggregate(
        sw.stream(table, event_time="ts"),
        by="key",
        size=sw.Duration(size),
        slide=sw.Duration(SLIDE),
        values={"n": sw.count(), "total": sw.sum("x"), "most": sw.max("x")},
        contract=sw.FixedSlack("2 seconds"),
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
