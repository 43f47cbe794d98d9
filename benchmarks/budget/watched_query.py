"""A query whose Python workers are watched: `python -m benchmarks.budget.watched_query FOLDER NAME ROWS`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import slackwater as sw
from benchmarks.budget.on_spark import PLANS
from benchmarks.data import out_of_order
from benchmarks.spark_files import write_files

FILES, STARTING = 12, 4
_CLOCKS = "benchmarks.budget.watched_daemon"


def main() -> None:
    """Run it to its end, and forget what the first batches noted."""
    folder, name, rows = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    clocks = {"spark__python__daemon__module": _CLOCKS} if "SLACKWATER_WATCHED" in os.environ else {}
    spark = sw.session(app="watched", **clocks)
    spark.sparkContext.setLogLevel("ERROR")
    for stream in ("a", "b"):
        write_files(folder / "rows" / stream, out_of_order(rows * FILES), FILES)
    outputs = {each: str(folder / each) for each in ("results", "late", "decisions", "checkpoint")}
    query = PLANS[name](spark, folder / "rows").start(**outputs)
    while len(query.recentProgress) < STARTING:
        query.awaitTermination(0.05)
    for noted in folder.glob("*.jsonl"):
        noted.unlink()
    query.processAllAvailable()
    query.stop()
    spark.stop()


if __name__ == "__main__":
    main()
