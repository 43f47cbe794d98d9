"""PyFlink, DataStreams: keyed functions in Python, between a CSV source and a CSV sink of the JVM.

Java's interval join has no counterpart in PyFlink, so that merge and joins are what its users write instead (see
`flink_state.py`); windows are its own. Rows enter and leave through tables, which read and write CSV in the JVM.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyflink.common import Configuration, Row, Time, Types
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import SlidingEventTimeWindows
from pyflink.table import StreamTableEnvironment

from benchmarks.rivals.engines.flink_source import SETTINGS, csv, source
from benchmarks.rivals.engines.flink_state import Joined, Merged
from benchmarks.rivals.jobs import CORES, SIZE_MS, SLIDE_MS, STREAMS, by_group, main

# More than all keys, so that states stay in Python between bundles.
PYTHON = {
    "python.executable": sys.executable,
    "python.state.cache-size": "20000",
    "python.fn-execution.bundle.size": "10000",
}
_GROUP, _VALUE = 1, 2


def begin() -> StreamTableEnvironment:
    """Start the JVM; the cluster within it starts with the job."""
    settings = Configuration()
    for name, value in {**SETTINGS, **PYTHON}.items():
        settings.set_string(name, value)
    return StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment(settings))


def merge(tables: StreamTableEnvironment, data: Path, out: Path) -> None:
    """All rows under one key, through a heap."""
    rows = _tagged(tables, data, "merge").key_by(lambda row: 0, Types.INT())
    _write(tables, rows.process(Merged(), _integers(3)).set_parallelism(1), out, 3, parallelism=1)


def join(tables: StreamTableEnvironment, data: Path, out: Path, job: str) -> None:
    """Rows of a key wait for those of the other streams."""
    rows = _tagged(tables, data, job).key_by(lambda row: row[2], Types.LONG())
    width = 2 + 2 * len(STREAMS[job])
    _write(tables, rows.process(Joined(len(STREAMS[job])), _integers(width)), out, width)


def aggregate(tables: StreamTableEnvironment, data: Path, out: Path, group: str) -> None:
    """Its own sliding windows; the third column is the event time, which tables hand on with the rows."""
    tables.execute_sql(source("d", data))
    rows = tables.to_data_stream(tables.sql_query(f"SELECT ts, `{group}`, `value`, rt FROM d"))
    windows = SlidingEventTimeWindows.of(Time.milliseconds(SIZE_MS), Time.milliseconds(SLIDE_MS))
    keyed = rows.key_by(lambda row: row[_GROUP], Types.LONG()).window(windows)
    _write(tables, keyed.aggregate(_Sums(), _Windows(), Types.PICKLED_BYTE_ARRAY(), _integers(5)), out, 5)


class _Sums(AggregateFunction):
    """Rows, sum and maximum."""

    def create_accumulator(self) -> tuple[int, int, int]:
        return 0, 0, -1

    def add(self, row: Any, sums: tuple[int, int, int]) -> tuple[int, int, int]:
        value = row[_VALUE]
        return sums[0] + 1, sums[1] + value, value if value > sums[2] else sums[2]

    def get_result(self, sums: tuple[int, int, int]) -> tuple[int, int, int]:
        return sums

    def merge(self, one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
        return one[0] + other[0], one[1] + other[1], max(one[2], other[2])


class _Windows(ProcessWindowFunction):
    """Adds the start of the window and the group."""

    def process(self, key: int, context: Any, elements: Iterable[tuple[int, int, int]]) -> Iterable[Row]:
        return [Row(context.window().start, key, *sums) for sums in elements]


def _tagged(tables: StreamTableEnvironment, data: Path, job: str) -> Any:
    """Return rows `(stream, time in ms, key, value)` of all streams of a job."""
    for name in STREAMS[job]:
        tables.execute_sql(source(name, data))
    parts = [f"SELECT {place}, ts, `key`, `value` FROM {name}" for place, name in enumerate(STREAMS[job])]
    return tables.to_data_stream(tables.sql_query(" UNION ALL ".join(parts)))


def _integers(width: int) -> Any:
    return Types.ROW([Types.LONG()] * width)


def _write(tables: StreamTableEnvironment, rows: Any, out: Path, width: int, parallelism: int = CORES) -> None:
    columns = ", ".join(f"f{place} BIGINT" for place in range(width))
    sink = f"{csv(out)}, 'sink.parallelism' = '{parallelism}'"
    tables.execute_sql(f"CREATE TABLE results ({columns}) WITH ({sink})")
    tables.from_data_stream(rows).execute_insert("results").wait()


JOBS = {
    "merge": merge,
    "join2": lambda tables, data, out: join(tables, data, out, "join2"),
    "join3": lambda tables, data, out: join(tables, data, out, "join3"),
    **by_group(aggregate),
}

if __name__ == "__main__":
    main(begin, JOBS)
