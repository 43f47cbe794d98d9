"""One start of a join whose state outlives it: `python -m benchmarks.recovery_run ours|spark FOLDER`.

Reads `FOLDER/a` and `FOLDER/b`, keeps its checkpoint in `FOLDER/checkpoint`; prints JSON: seconds from starting the
query to its first commit, and bytes of what the checkpoint has of the state.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.query import StreamingQuery

import slackwater as sw
from benchmarks.rivals.jobs import size_of
from benchmarks.spark_files import read

WITHIN = "1 hour"
CORES = 2


def main() -> None:
    """Start, run what is there, print."""
    engine, folder = sys.argv[1], Path(sys.argv[2])
    spark = sw.session(app="recovery", master=f"local[{CORES}]", spark__sql__shuffle__partitions=str(CORES))
    spark.sparkContext.setLogLevel("ERROR")
    commits = folder / "checkpoint" / "commits"
    before = _committed(commits)
    started = time.time()
    query = (_ours if engine == "ours" else _native)(spark, folder)
    query.awaitTermination()
    first = min(_committed(commits)[number] for number in _committed(commits).keys() - before.keys())
    figures = {"first_commit_seconds": first - started, "state_bytes": size_of(folder / "checkpoint" / "state")}
    print(json.dumps(figures), flush=True)


def _committed(commits: Path) -> dict[int, float]:
    """Return when each batch was committed."""
    if not commits.is_dir():
        return {}
    return {int(file.name): file.stat().st_mtime for file in commits.iterdir() if file.name.isdigit()}


def _ours(spark: SparkSession, folder: Path) -> StreamingQuery:
    a, b = (sw.stream(read(spark, folder / name), name=name, event_time="ts") for name in "ab")
    joined = sw.join(a, b, on="key", within=WITHIN, contract=sw.FixedSlack("1 second"), buckets=CORES)
    outputs = {name: str(folder / name) for name in ("results", "late", "decisions", "checkpoint")}
    query: StreamingQuery = joined.start(**outputs, trigger={"availableNow": True})
    return query


def _native(spark: SparkSession, folder: Path) -> StreamingQuery:
    a, b = (read(spark, folder / name).withWatermark("ts", "1 second").alias(name) for name in "ab")
    close = f"a.key = b.key and a.ts between b.ts - interval {WITHIN} and b.ts + interval {WITHIN}"
    joined = a.join(b, F.expr(close)).select(F.struct("a.*").alias("a"), F.struct("b.*").alias("b"))

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(folder / "results" / f"batch={number}"))

    writer = joined.writeStream.foreachBatch(write).option("checkpointLocation", str(folder / "checkpoint"))
    return writer.trigger(availableNow=True).start()


if __name__ == "__main__":
    main()
