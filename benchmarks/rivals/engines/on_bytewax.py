"""Bytewax: two processes, keyed state in Python. It has windows, but neither an interval join nor a reorder step.

The merge and the joins are what its users write for it (see `bytewax_state.py`); windows are its own.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import bytewax.operators as op
import bytewax.operators.windowing as win
import pyarrow as pa
import pyarrow.parquet as pq
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import cluster_main

from benchmarks.rivals.engines.bytewax_state import Joined, Merged
from benchmarks.rivals.jobs import GROUPS, SIZE_MS, SLIDE_MS, STREAMS, main

Built = tuple[Dataflow, Any, list[str]]
# Rows of a batch: each looks at all keys whose windows are open, so that with 1,000 many keys took nine times as long.
BATCH = 50_000
BATCHES = {"aggregate": 250_000}
SECOND = "SLACKWATER_RIVALS_BYTEWAX"  # set in the second of two processes: the addresses of both
PAUSE = timedelta(seconds=60)  # its clock goes on with the system's between rows, also while a busy machine reads none


class _Rows(StatefulSourcePartition[tuple[str, tuple[int, int, int]], None]):
    """The rows of one stream as `(key, (stream, time in us, value))`."""

    def __init__(self, folder: Path, stream: int, key: str, most: int) -> None:
        self._batches = _batches(folder, stream, key, most)

    def next_batch(self) -> list[Any]:
        return next(self._batches)

    def snapshot(self) -> None:
        return None


def _batches(folder: Path, stream: int, key: str, most: int) -> Iterator[list[Any]]:
    for file in sorted(folder.glob("0*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(most, columns=["ts", key, "value"]):
            columns = [batch["ts"].cast(pa.int64()), batch[key], batch["value"]]
            times, keys, values = (column.to_pylist() for column in columns)
            yield [(str(k), (stream, time, value)) for time, k, value in zip(times, keys, values, strict=True)]


class _Streams(FixedPartitionedSource[Any, None]):
    """A partition for each stream, so that the processes read different ones."""

    def __init__(self, data: Path, names: str, key: str, most: int) -> None:
        self._data, self._names, self._key, self._most = data, names, key, most

    def list_parts(self) -> list[str]:
        return list(self._names)

    def build_part(self, step_id: str, for_part: str, resume_state: None) -> _Rows:
        return _Rows(self._data / "arrived" / for_part, self._names.index(for_part), self._key, self._most)


class _File(StatelessSinkPartition[Any]):
    def __init__(self, file: Path, columns: list[str]) -> None:
        self._schema = pa.schema([(name, pa.int64()) for name in columns])
        self._writer = pq.ParquetWriter(file, self._schema)
        self._rows: list[tuple[int, ...]] = []

    def write_batch(self, items: list[tuple[int, ...]]) -> None:
        self._rows += items
        if len(self._rows) >= 50_000:
            self._write()

    def close(self) -> None:
        if self._rows:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        columns = zip(*self._rows, strict=True)
        self._writer.write_table(pa.table([pa.array(column) for column in columns], schema=self._schema))
        self._rows = []


class _Files(DynamicSink[Any]):
    """A Parquet file for each worker."""

    def __init__(self, out: Path, columns: list[str]) -> None:
        self._out, self._columns = out, columns

    def build(self, step_id: str, worker_index: int, worker_count: int) -> _File:
        return _File(self._out / f"{worker_index}.parquet", self._columns)


def merge(data: Path) -> Built:
    """All rows under one key, through a heap."""
    flow, rows = _read(data, "merge", "key")
    under_one = op.map("one", rows, lambda item: ("all", (item[1][1], item[1][0], int(item[0]), item[1][2])))
    merged = op.stateful_batch("merge", under_one, lambda state: Merged(2))
    return flow, op.map("flat", merged, lambda item: item[1]), ["ts", "key", "value"]


def join(data: Path, job: str) -> Built:
    """Rows of a key wait for those of the other streams."""
    flow, rows = _read(data, job, "key")
    many = len(STREAMS[job])
    joined = op.stateful_batch("join", rows, lambda state: Joined(many))
    flat = op.map("flat", joined, lambda item: (item[1][0], int(item[0]), *item[1][1:]))
    columns = [f"{name}_{column}" for name in STREAMS[job] for column in ("ts", "value")]
    return flow, flat, ["event_time", "key", *columns]


def aggregate(data: Path, job: str) -> Built:
    """Its own sliding windows."""
    flow, rows = _read(data, job, GROUPS[job])
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    microsecond = timedelta(microseconds=1)
    clock = win.EventClock(lambda row: epoch + row[1] * microsecond, wait_for_system_duration=PAUSE)
    windower = win.SlidingWindower(timedelta(milliseconds=SIZE_MS), timedelta(milliseconds=SLIDE_MS), epoch)
    windows = win.fold_window("windows", rows, clock, windower, lambda: (0, 0, 0), _add, _combine, ordered=False)
    start = SLIDE_MS * 1_000  # a window's number counts slides from the epoch
    flat = op.map("flat", windows.down, lambda item: (item[1][0] * start, int(item[0]), *item[1][1]))
    return flow, flat, ["start", GROUPS[job], "n", "total", "most"]


def _add(state: tuple[int, int, int], row: tuple[int, int, int]) -> tuple[int, int, int]:
    return state[0] + 1, state[1] + row[2], max(state[2], row[2])


def _combine(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], max(one[2], other[2])


def _read(data: Path, job: str, key: str) -> tuple[Dataflow, Any]:
    flow = Dataflow(job)
    return flow, op.input("in", flow, _Streams(data, STREAMS[job], key, BATCHES.get(job, BATCH)))


def _run(build: Callable[[Path], Any]) -> Callable[[Any, Path, Path], None]:
    def job(addresses: list[str], data: Path, out: Path) -> None:
        flow, rows, columns = build(data)
        op.output("out", rows, _Files(out, columns))
        if SECOND in os.environ:
            cluster_main(flow, addresses, 1)
            return
        both = {**os.environ, SECOND: ";".join(addresses)}
        with subprocess.Popen([sys.executable, "-m", __spec__.name, *sys.argv[1:]], env=both) as second:
            cluster_main(flow, addresses, 0)
        assert second.returncode == 0

    return job


def begin() -> list[str]:
    """Return the addresses of the two processes."""
    if SECOND in os.environ:
        return os.environ[SECOND].split(";")
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return addresses


JOBS = {
    "merge": _run(merge),
    "join2": _run(lambda data: join(data, "join2")),
    "join3": _run(lambda data: join(data, "join3")),
    **{job: _run(partial(aggregate, job=job)) for job in GROUPS},
}

if __name__ == "__main__":
    main(begin, JOBS)
