"""The Spark join query against Spark's own stream-stream inner join, with a watermark delay that loses nothing.

Both read the same files, one of each stream per micro-batch, and write Parquet with foreachBatch; ours writes late rows
and decisions too. The results are counted first and must be equal; what the rival still holds at the end is released by
a last file of rows that match nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.harness import Case, discarding, nothing
from benchmarks.join_local import arrival_order, keyed
from benchmarks.spark_files import read, run_ours, run_rival, scratch, write_files

STORES = {"RocksDB": "RocksDBStateStoreProvider", "in memory": "HDFSBackedStateStoreProvider"}
LIMITS = {"RocksDB": 0.1, "in memory": 1 / 3}


def cases(*, quick: bool) -> Iterator[Case]:
    """The rival with each of its state stores."""
    rows, files = (40_000, 2) if quick else (1_000_000, 4)
    with scratch() as (spark, folder):
        for name, seed in (("a", 1), ("b", 2)):
            _write_files(folder / name, arrival_order(keyed(rows, seed), seed), files)
        for store, limit in LIMITS.items():
            ours, native = _ours(spark, folder), _native(spark, folder, store)
            assert ours == native, (ours, native)
            yield Case(
                "Spark join, out of order",
                lambda: nothing(_ours(spark, folder)),
                discarding(_native, spark, folder, store),
                limit,
                f"Spark's stream-stream join, {store}",
                {"rows": [rows, rows], "files": files, "results": ours},
                is_warm=True,
            )


def _write_files(folder: Path, table: pa.Table, files: int) -> None:
    """Write slices in arrival order, then rows of all buckets, far in the future, that let all before them be final."""
    table = table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us", tz="UTC")))
    write_files(folder, table, files)
    last = table.slice(table.num_rows - 50)
    # The second half lets the first be released, and that lets the other stream's last rows go.
    later = pc.add(last["ts"], pa.array(np.repeat([600_000_000, 610_000_000], 25), pa.duration("us")))
    keys = np.arange(-50, 0) if folder.name == "a" else np.arange(-100, -50)
    last = last.set_column(0, "ts", later).set_column(1, "key", pa.array(keys))
    pq.write_table(last.set_column(3, "seq", pc.add(last["seq"], 2_000_000_000)), folder / "999.parquet")


def _ours(spark: SparkSession, folder: Path) -> int:
    a, b = (sw.stream(read(spark, folder / name), name=name, event_time="ts", arrival="seq") for name in "ab")
    joined = sw.join(a, b, on="key", within="5 seconds", contract=sw.FixedSlack("1 second"), buckets=2)
    return _matching(spark, run_ours(joined, folder))


def _native(spark: SparkSession, folder: Path, store: str) -> int:
    spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        f"org.apache.spark.sql.execution.streaming.state.{STORES[store]}",
    )
    a, b = (read(spark, folder / name).withWatermark("ts", "1 second").alias(name) for name in "ab")
    close = "a.key = b.key and a.ts between b.ts - interval 5 seconds and b.ts + interval 5 seconds"
    joined = a.join(b, F.expr(close)).select(
        F.greatest("a.ts", "b.ts").alias("event_time"), F.struct("a.*").alias("a"), F.struct("b.*").alias("b")
    )
    out = run_rival(joined, folder)
    spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        f"org.apache.spark.sql.execution.streaming.state.{STORES['RocksDB']}",
    )
    return _matching(spark, out)


def _matching(spark: SparkSession, out: Path) -> int:
    return spark.read.parquet(str(out / "results")).where("a.key >= 0").count()
