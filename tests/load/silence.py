"""One of two streams falls silent while the other goes on: who waits for it, with `idle_after` and without.

The silence is an hour of event time; in processing time it lasts until the query has read what came meanwhile, and with
`idle_after` until what the other stream has brought is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.spark.control_stream import put
from tests.load.running import LoadError
from tests.load.shaped import start_shape, write_shape
from tests.load.shapes import SHAPES
from tests.load.verify import Verdict, verify

SHAPE = "one stream silent for an hour"
IDLE_AFTER = "2 seconds"
_LIMIT = 120.0


@dataclass(frozen=True)
class Silence:
    """What was there of rows that came before and in the silence when it ended, and of all in the end."""

    query: str
    idle_after: str | None
    rows: int
    before_the_burst: int  # results that were written when the silence ended
    seconds: float
    verdict: Verdict

    @property
    def is_good(self) -> bool:
        return self.verdict.is_good


def run_silence(spark: Any, query: str, folder: Path, *, idle_after: str | None, rows: int = 60_000) -> Silence:
    """Let the second stream be silent in the middle third of the rows, then let both go on."""
    table = SHAPES[SHAPE].make(rows)
    third, began = rows // 3, time.monotonic()
    parts = [table.slice(0, third), table.slice(third, third), table.slice(2 * third)]
    write_shape(folder, parts[0], query, 1, first=0)
    trigger = {"processingTime": "500 milliseconds"}
    running = start_shape(spark, query, folder, trigger, idle_after=idle_after)
    try:
        _wait(running, lambda: _read(running) >= third)
        _write_loud(folder, parts[1])
        _wait(running, lambda: _read(running) >= 2 * third)
        if idle_after:
            last = int(pc.max(parts[1]["ts"]).as_py()) - 10_000_000  # the slack holds back less than this
            _wait(running, lambda: _latest(folder, query) >= last)
        before = _results(folder)
        write_shape(folder, parts[2], query, 1, first=2)
        _wait(running, lambda: _read(running) >= rows)
        put(folder / "control" / "drain.json", '{"kind": "drain"}\n')
        _wait(running, lambda: _drained(folder, rows))
    finally:
        running.stop()
    seconds = time.monotonic() - began
    return Silence(query, idle_after, rows, before, seconds, verify(query, folder))


def _write_loud(folder: Path, rows: pa.Table) -> None:
    """Write rows of the stream that goes on."""
    hidden = folder / "in" / "a" / "_0000001.parquet"
    pq.write_table(rows.drop("stream"), hidden)
    hidden.rename(hidden.with_name(hidden.name[1:]))


def _wait(running: Any, done: Callable[[], bool]) -> None:
    until = time.monotonic() + _LIMIT
    while not done():
        if not running.isActive:
            running.awaitTermination()  # raises why
        if time.monotonic() > until:
            raise LoadError(f"a query did not go on: {running.lastProgress}")
        time.sleep(0.2)


def _read(running: Any) -> int:
    return sum(progress["numInputRows"] for progress in running.recentProgress)


def _batches(folder: Path, output: str) -> list[Path]:
    return list((folder / output).glob("batch=*/part-*.parquet"))


def _results(folder: Path) -> int:
    return sum(pq.read_metadata(file).num_rows for file in _batches(folder, "results"))


def _latest(folder: Path, query: str) -> int:
    """Return the largest event time of results, in us."""
    column = "ts" if query == "merge" else "event_time"
    found = [pq.read_table(file, columns=[column], partitioning=None)[column] for file in _batches(folder, "results")]
    values = [pc.max(each.cast(pa.int64())).as_py() for each in found if len(each)]
    return max((value for value in values if value is not None), default=0)


def _drained(folder: Path, rows: int) -> bool:
    """Return whether the last decision says that nothing is held any more."""
    tables = [pq.read_table(file, partitioning=None) for file in _batches(folder, "decisions")]
    if not tables:
        return False
    last = pa.concat_tables(tables).select(["arrived", "buffered"]).to_pylist()
    return any(each["arrived"] == rows and each["buffered"] == 0 for each in last)
