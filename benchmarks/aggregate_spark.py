"""Window aggregates on Spark against its own `groupBy(window(...), key)` with RocksDB.

Both read the same files, one per micro-batch, wait as long, and write Parquet with foreachBatch; ours writes late rows
and decisions too. A last row far in the future closes every window. The results are compared first and must be equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.harness import Case, nothing
from benchmarks.spark_files import read, run_ours, run_rival, scratch, write_files

SLIDE = 10  # seconds
LIMITS = {3: 1 / 2, 30: 1 / 10}
BUCKETS = 2


def cases(*, quick: bool) -> Iterator[Case]:
    """Windows of three and of thirty slides, many groups and few, in batches of a usual size and of a backlog.

    A query that is behind takes larger batches, so what either sustains at most is said by the larger ones.
    """
    usual, backlog = [(2_000_000, 4, 10_000), (4_000_000, 4, 1_000)], [(8_000_000, 4, 10_000), (16_000_000, 4, 1_000)]
    sizes = [(100_000, 2, 100)] if quick else usual + backlog
    for rows, files, groups in sizes:
        with scratch() as (spark, folder):
            _write(folder / "in", rows, files, groups)
            for overlap in LIMITS:
                yield _case(spark, folder, overlap, {"rows": rows, "files": files, "groups": groups})


def _case(spark: SparkSession, folder: Path, overlap: int, config: dict[str, int]) -> Case:
    ours, native = (_sorted(spark, run(spark, folder, overlap)) for run in (_ours, _native))
    assert ours.equals(native), (ours.num_rows, native.num_rows)
    return Case(
        f"Spark aggregate, {config['groups']} groups, windows of {overlap} slides, "
        f"{config['rows'] // config['files']} rows a batch",
        lambda: nothing(_ours(spark, folder, overlap)),
        lambda: nothing(_native(spark, folder, overlap)),
        LIMITS[overlap],
        "groupBy(window(...), key), RocksDB",
        {**config, "results": ours.num_rows},
        is_warm=True,
    )


def _write(folder: Path, rows: int, files: int, groups: int) -> None:
    """Write rows of which a fifth is out of order, by up to five seconds, 5,000 for each second of event time."""
    random = np.random.default_rng(1)
    delays = np.where(random.random(rows) < 0.8, 0, random.integers(0, 5_000_000, rows))
    ts = pa.array(np.arange(rows) * 200 - delays + 10**15).cast(pa.timestamp("us", tz="UTC"))
    table = pa.table(
        {"ts": ts, "key": pa.array(random.integers(0, groups, rows)), "x": pa.array(random.integers(0, 1_000, rows))}
    )
    write_files(folder, table, files)
    far = pa.array(np.full(groups, 12 * 10**14)).cast(pa.timestamp("us", tz="UTC"))
    last = pa.table({"ts": far, "key": pa.array(np.arange(groups)), "x": pa.array(np.zeros(groups, np.int64))})
    pq.write_table(last, folder / "999.parquet")


def _ours(spark: SparkSession, folder: Path, overlap: int) -> Path:
    out = sw.aggregate(
        sw.stream(read(spark, folder / "in"), event_time="ts"),
        by="key",
        size=f"{overlap * SLIDE} seconds",
        slide=f"{SLIDE} seconds",
        values={"n": sw.count(), "total": sw.sum("x"), "most": sw.max("x")},
        contract=sw.FixedSlack("10 seconds"),
        buckets=BUCKETS,
    )
    return run_ours(out, folder)


def _native(spark: SparkSession, folder: Path, overlap: int) -> Path:
    window = F.window("ts", f"{overlap * SLIDE} seconds", f"{SLIDE} seconds")
    values = F.count("*").alias("n"), F.sum("x").alias("total"), F.max("x").alias("most")
    late = read(spark, folder / "in").withWatermark("ts", "10 seconds")
    return run_rival(late.groupBy(window, "key").agg(*values), folder)


def _sorted(spark: SparkSession, out: Path) -> pa.Table:
    rows: DataFrame = spark.read.parquet(str(out / "results")).where("window.end < timestamp_seconds(1100000000)")
    flat = rows.select(F.col("window.start").alias("start"), "key", "n", "total", "most").toArrow()
    return flat.sort_by([("start", "ascending"), ("key", "ascending")]).combine_chunks()
