"""Streams whose event time goes as fast as the trigger that reads them: a file has the events of one trigger's time.

Each file is drawn and written by itself, and its clock goes on where that of the one before ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.data import out_of_order
from benchmarks.join_local import arrival_order, keyed
from benchmarks.spark_files import in_order_of_names

MEAN_DELAY_US = 20_000
REACH_US = 10_000_000  # what a row of the join sees of the other stream: 5 seconds before and after
_BASE = 1_700_000_000_000_000
_SEQUENCE = 1 << 32  # more than any file has rows

Draw: TypeAlias = Callable[[int, int, int], dict[str, pa.Table]]  # rows, number of the file, its event time in us


def write_stream(folder: Path, draw: Draw, rows: Iterable[int], span_us: int) -> None:
    """Write a file of each stream for each number of rows."""
    for number, count in enumerate(rows):
        for name, table in draw(count, number, span_us).items():
            (folder / name).mkdir(parents=True, exist_ok=True)
            pq.write_table(table, folder / name / f"{number:03}.parquet")
    for stream in folder.iterdir():
        in_order_of_names(stream)


def one(rows: int, number: int, span_us: int) -> dict[str, pa.Table]:
    """Return the rows of `out_of_order`, at that pace.

    >>> [one(4, number, 8)["in"]["seq"].to_pylist() for number in (0, 1)]
    [[0, 1, 2, 3], [4294967296, 4294967297, 4294967298, 4294967299]]
    """
    delay = MEAN_DELAY_US * rows // span_us  # in events, as all times here are until the next line
    table = out_of_order(rows, seed=number, gap_us=1, mean_delay_us=delay)
    times = (_integers(table, "event_time") - _BASE) * span_us // rows
    table = table.set_column(0, "event_time", _times(times + _BASE + number * span_us))
    return {"in": table.set_column(1, "seq", pa.array(_integers(table, "seq") + number * _SEQUENCE))}


def two(rows: int, number: int, span_us: int) -> dict[str, pa.Table]:
    """Return the rows of two streams, at that pace, with as many keys as give each row one result of a join."""
    per_second, keys = rows * 1_000_000 // span_us, rows * REACH_US // span_us
    streams = {}
    for name, seed in (("a", 2 * number + 1), ("b", 2 * number + 2)):
        table = arrival_order(keyed(rows, seed, keys=keys, per_second=per_second), seed)
        streams[name] = table.set_column(0, "ts", _times(_integers(table, "ts") + number * span_us))
    return streams


def _integers(table: pa.Table, column: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return table[column].cast(pa.int64()).to_numpy()


def _times(us: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Array[Any]:
    return pa.array(us).cast(pa.timestamp("us", tz="UTC"))
