"""What deciding costs on Spark: processor time of adaptation against that of all processes of a query at full speed.

A decision falls on every second of event time, a thousand rows. All rows of a query go to one bucket, with an arrival
column, so that in process the very same decisions are made: there the time of adaptation is measured, by a timer of the
process's own processor time (`budget/stages.py`). The query's is that of the driver, its JVM and all Python workers,
read from /proc, in a session that has run it before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import slackwater as sw
from benchmarks.budget.stages import seconds_of
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.processor_time import of_tree
from benchmarks.spark_files import read, run_ours, scratch, write_files

LIMIT = 0.01
_VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}

Plan = Callable[[Sequence[Any]], Any]  # of streams


def cases(*, quick: bool) -> Iterator[Case]:
    """A join, an aggregate and a reorder, each under a contract that decides."""
    rows, files = (50_000, 2) if quick else (1_000_000, 4)
    tables = [out_of_order(rows, seed=seed, gap_us=1_000, mean_delay_us=200_000) for seed in (1, 2)]
    with scratch() as (spark, folder):
        for name, table in zip("ab", tables, strict=True):
            write_files(folder / name, table, files)
        for name, plan, streams in (
            ("join, Recall(0.99)", _join, "ab"),
            ("aggregate, DropRatio(0.01)", _aggregate, "a"),
            ("reorder, DropRatio(0.01)", _reorder, "a"),
        ):
            yield _case(name, plan, streams, tables, spark, folder)


def _case(name: str, plan: Plan, streams: str, tables: list[pa.Table], spark: SparkSession, folder: Path) -> Case:
    in_process = partial(_in_process, plan, streams, tables)
    on_spark = partial(_on_spark, plan, streams, spark, folder)
    decisions = in_process().decisions.num_rows
    found = pq.read_table(on_spark() / "decisions").num_rows
    # A micro-batch that ends within an interval cuts it, so that there may be a decision more for each.
    assert abs(found - decisions) <= 10, (found, decisions)
    return Case(
        f"adaptation, {name}",
        lambda: seconds_of(in_process)["adapt"],
        lambda: _processor_seconds(on_spark),
        LIMIT,
        "all processor time on Spark",
        {"rows": tables[0].num_rows * len(streams), "decisions": decisions},
        is_warm=True,
    )


def _in_process(plan: Plan, streams: str, tables: list[pa.Table]) -> Any:
    output = plan([_stream(table, name) for name, table in zip(streams, tables, strict=False)])
    assert output.results.num_rows > 0
    return output


def _on_spark(plan: Plan, streams: str, spark: SparkSession, folder: Path) -> Path:
    return run_ours(plan([_stream(read(spark, folder / name), name) for name in streams]), folder)


def _processor_seconds(work: Callable[[], object]) -> float:
    before = of_tree(os.getpid())
    work()
    return of_tree(os.getpid()) - before


def _stream(rows: Any, name: str) -> sw.Stream:
    return sw.stream(rows, name=name, event_time="event_time", arrival="seq")


def _join(streams: Sequence[sw.Stream]) -> Any:
    return sw.join(*streams, on="key", within="1 second", contract=sw.Recall(0.99))


def _aggregate(streams: Sequence[sw.Stream]) -> Any:
    contract = sw.DropRatio(0.01)
    return sw.aggregate(streams[0], by="key", size="30 seconds", slide="10 seconds", values=_VALUES, contract=contract)


def _reorder(streams: Sequence[sw.Stream]) -> Any:
    return sw.reorder(streams[0], contract=sw.DropRatio(0.01))
