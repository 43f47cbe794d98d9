"""Bytes of state for each row that is held, against the Arrow size of the columns that are kept of it.

What is held is known because everything is: a slack or a window longer than the stream. The state is what Spark's own
reader of state stores finds in the checkpoint: keys and values of all state variables, with the operator's notes. A
last case holds the same rows at the end of a longer stream: what is gone must not be kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from benchmarks.harness import Case
from benchmarks.join_local import arrival_order, keyed
from benchmarks.spark_files import read, scratch, write_files

LIMIT = 2.0
FILES = 4
LONGER = 4
LONG = "10 hours"


def cases(*, quick: bool) -> Iterator[Case]:
    """A reorder buffer, the windows of a join, and both in a longer stream."""
    rows = 20_000 if quick else 400_000
    with scratch() as (spark, folder):
        tables = {name: _timed(arrival_order(keyed(rows, seed), seed)) for seed, name in enumerate("ab", start=1)}
        for name, table in tables.items():
            write_files(folder / name, table, FILES)
        size = sum(table.nbytes / table.num_rows for table in tables.values()) / 2
        for name, build, streams in (("reorder buffer", _reorder, 1), ("join", _join, 2)):
            yield Case(
                f"state bytes per row held, {name}",
                partial(_bytes_per_row, spark, folder, build, rows=rows, streams=streams),
                partial(float, size),
                LIMIT,
                "Arrow size of the kept columns",
                {"rows": rows, "arrow_bytes_per_row": size},
                turns=1,
                is_warm=True,  # bytes are the same every time
            )
        yield _longer(spark, folder, rows // 4)


def _longer(spark: SparkSession, folder: Path, rows: int) -> Case:
    """Compare what a join holds at the end of two streams, one longer, with the same window."""
    for times in (1, LONGER):
        for seed, name in enumerate("ab", start=1):
            table = _timed(arrival_order(keyed(rows * times, seed), seed))
            write_files(folder / f"{times}" / name, table, FILES * times)
    return Case(
        f"state bytes of a join, stream {LONGER}x as long",
        lambda: _bytes(spark, _run(_join(spark, folder / f"{LONGER}", within="5 seconds", slack="1 second"), folder)),
        lambda: _bytes(spark, _run(_join(spark, folder / "1", within="5 seconds", slack="1 second"), folder)),
        1.1,
        "the short stream",
        {"rows": rows * LONGER},
        turns=1,
        is_warm=True,
    )


def stored_bytes(spark: SparkSession, checkpoint: Path, variable: str) -> int:
    """Return the bytes of a state variable's values, as Spark keeps them."""
    state = spark.read.format("statestore").option("path", str(checkpoint)).option("stateVarName", variable).load()
    body = next(name for name in ("value", "user_map_value") if name in state.columns)
    field = state.select(f"{body}.*").columns[0]
    found = state.select(F.sum(F.octet_length(F.col(f"{body}.{field}")))).first()
    return int(found[0] or 0) if found else 0


def _bytes_per_row(spark: SparkSession, folder: Path, build: Callable[..., Any], *, rows: int, streams: int) -> float:
    checkpoint = _run(build(spark, folder), folder)
    return _bytes(spark, checkpoint, marks=streams > 1) / (streams * rows)


def _bytes(spark: SparkSession, checkpoint: Path, *, marks: bool = True) -> float:
    variables = ("meta", "chunks", *(("marks",) if marks else ()))
    return float(sum(stored_bytes(spark, checkpoint, variable) for variable in variables))


def _run(output: Any, folder: Path) -> Path:
    out = Path(tempfile.mkdtemp(dir=folder))
    outputs = {name: str(out / name) for name in ("results", "late", "decisions", "checkpoint")}
    output.start(**outputs, trigger={"availableNow": True}).awaitTermination()
    return out / "checkpoint"


def _reorder(spark: SparkSession, folder: Path) -> Any:
    stream = sw.stream(read(spark, folder / "a"), name="a", event_time="ts", arrival="seq")
    return sw.reorder(stream, contract=sw.FixedSlack(LONG))


def _join(spark: SparkSession, folder: Path, *, within: str = LONG, slack: str = LONG) -> Any:
    """Return a join; its slack keeps rows from meeting, so that there are no results to wait for."""
    a, b = (sw.stream(read(spark, folder / name), name=name, event_time="ts", arrival="seq") for name in "ab")
    return sw.join(a, b, on="key", within=within, contract=sw.FixedSlack(slack), buckets=2)


def _timed(table: pa.Table) -> pa.Table:
    return table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us", tz="UTC")))
