"""Polars on rows already sorted: a limit, because it has no disorder to handle and sees everything at once.

Times are cut into bins of twice the window, as for DuckDB.
"""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.rivals.jobs import CORES, SIZE_MS, SLIDE_MS, WITHIN_MS, Job, by_group, main, nothing

os.environ["POLARS_MAX_THREADS"] = str(CORES)  # read when Polars is imported

import polars as pl

_WITHIN = pl.duration(milliseconds=WITHIN_MS)
_MET = ["key", "bin"]


def merge(_: None, data: Path, out: Path) -> None:
    """Merge two sorted frames."""
    a, b = (_scan(data, name).select("ts", "key", "value") for name in "ab")
    _write(a.merge_sorted(b, key="ts"), out)


def join2(_: None, data: Path, out: Path) -> None:
    """Join by key and bin, keep what is close, in the order of the results."""
    _write(_latest(_two(data), "ab"), out)


def join3(_: None, data: Path, out: Path) -> None:
    """Join two, keep what is close, then the third."""
    three = _two(data).join(_reaching(data, "c"), on=_MET).filter(_close("a", "c") & _close("b", "c"))
    _write(_latest(three, "abc"), out)


def aggregate(_: None, data: Path, out: Path, group: str) -> None:
    """Aggregate slides first, then windows from slides."""
    pane = pl.col("ts").dt.truncate(f"{SLIDE_MS}ms").alias("start")
    value = pl.col("value")
    lifted = (pl.len().cast(pl.Int64).alias("n"), value.sum().alias("total"), value.max().alias("most"))
    panes = _scan(data, "d").group_by(pane, group).agg(*lifted).collect().lazy()
    earlier = [
        panes.with_columns(pl.col("start") - pl.duration(milliseconds=SLIDE_MS * back))
        for back in range(SIZE_MS // SLIDE_MS)
    ]
    combined = (pl.col("n").sum(), pl.col("total").sum(), pl.col("most").max())
    _write(pl.concat(earlier).group_by("start", group).agg(*combined).sort("start"), out)


JOBS: dict[str, Job] = {"merge": merge, "join2": join2, "join3": join3, **by_group(aggregate)}


def _scan(data: Path, name: str) -> pl.LazyFrame:
    return pl.scan_parquet(data / "sorted" / f"{name}.parquet")


def _side(data: Path, name: str) -> pl.LazyFrame:
    return _scan(data, name).select("key", pl.col("ts").alias(f"{name}_ts"), pl.col("value").alias(f"{name}_value"))


def _two(data: Path) -> pl.LazyFrame:
    a = _side(data, "a").with_columns(_bin("a", 0))
    return a.join(_reaching(data, "b"), on=_MET).filter(_close("a", "b"))


def _reaching(data: Path, name: str) -> pl.LazyFrame:
    """Return rows of a stream twice, in each of the bins within reach."""
    return pl.concat([_side(data, name).with_columns(_bin(name, reach)) for reach in (-WITHIN_MS, WITHIN_MS)])


def _bin(name: str, reach: int) -> pl.Expr:
    return ((pl.col(f"{name}_ts").dt.epoch("us") + reach * 1_000) // (2_000 * WITHIN_MS)).alias("bin")


def _close(one: str, other: str) -> pl.Expr:
    return (pl.col(f"{one}_ts") - pl.col(f"{other}_ts")).abs() <= _WITHIN


def _latest(frame: pl.LazyFrame, names: str) -> pl.LazyFrame:
    latest = pl.max_horizontal([f"{name}_ts" for name in names])
    return frame.with_columns(latest.alias("event_time")).sort("event_time")


def _write(frame: pl.LazyFrame, out: Path) -> None:
    frame.collect().write_parquet(out / "results.parquet")


if __name__ == "__main__":
    main(nothing, JOBS)
