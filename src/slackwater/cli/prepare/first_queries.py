"""Small queries of every operator, in process and on Spark: whoever has run them once has loaded what queries need.

`slackwater prepare` runs it as a process of its own, since a JVM writes its archive of classes when it ends:
`python -m slackwater.cli.prepare.first_queries FOLDER ARCHIVE`. It prints the number of that JVM's process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.spark.java_start import noting_options

_ROWS = 600
_SECOND = 1_000_000


def main() -> None:
    """Run all queries, in process and then on Spark."""
    folder, archive = map(Path, sys.argv[1:])
    in_process()
    spark = sw.session(app="slackwater-prepare", spark__driver__extraJavaOptions=noting_options(archive))
    spark.sparkContext.setLogLevel("ERROR")
    print(spark._jvm.java.lang.ProcessHandle.current().pid(), flush=True)  # noqa: T201
    _on_spark(spark, folder)
    spark.stop()


def in_process() -> None:
    """Run every operator on a table."""
    for output in _queries(lambda name: rows()):
        assert output.results is not None


def rows() -> pa.Table:
    """Return some rows, a third of them out of order."""
    times = [(n - 7 * (n % 3 == 0)) * _SECOND // 10 for n in range(_ROWS)]
    keys = [f"key {n % 5}" for n in range(_ROWS)]
    return pa.table({"ts": pa.array(times, pa.timestamp("us", "UTC")), "key": keys, "value": list(map(float, times))})


def _on_spark(spark: Any, folder: Path) -> None:
    """Run every operator on files, as queries that end with them."""
    incoming = folder / "incoming"
    incoming.mkdir()
    pq.write_table(rows(), incoming / "rows.parquet")
    schema = spark.read.parquet(str(incoming)).schema
    queries = _queries(lambda name: spark.readStream.schema(schema).parquet(str(incoming)))
    for number, output in enumerate(queries):
        places = {name: str(folder / f"{name}-{number}") for name in ("results", "late", "decisions", "checkpoint")}
        output.start(**places, trigger={"availableNow": True}).awaitTermination()


def _queries(frame: Callable[[str], Any]) -> Iterator[Any]:
    one, other = (sw.stream(frame(name), name=name, event_time="ts") for name in ("one", "other"))
    few = sw.DropRatio(0.01, over="10 seconds")
    yield sw.reorder(one, contract=few)
    yield sw.reorder(one, by="key", contract=sw.FixedSlack("1 second"))
    yield sw.merge(one, other, contract=sw.FixedSlack("1 second"))
    yield sw.join(one, other, on="key", within="1 second", contract=sw.Recall(0.99, over="10 seconds"))
    values = {"n": sw.count(), "most": sw.max("value"), "total": sw.sum("value")}
    yield sw.aggregate(one, by="key", size="3 seconds", slide="1 second", values=values, contract=few)


if __name__ == "__main__":
    main()
