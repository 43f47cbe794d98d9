"""The rows that all engines read: the same in each of three forms, written once before anything is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.rivals.jobs import TIMES_THE_ROWS
from benchmarks.spark_files import in_order_of_names

KEYS = 10_000
AREAS = 1_000
PER_SECOND = 1_000  # rows of most streams
START_MS = 1_700_000_000_000
CLOSING = "999.parquet"
_NO_HEADER = pa.csv.WriteOptions(include_header=False)


def write(folder: Path, *, rows: int, files: int) -> None:
    """Write the streams, of `rows` each or a multiple.

    `arrived/a/000.parquet` ...: in arrival order, and a last file of rows far in the future that no result has, for
    engines that must see time pass before they let the last results go. `csv/a.csv` and, with a header,
    `headed/a.csv`: the same without those, `ts` in milliseconds, for engines that read no Parquet or read files in any
    order. `sorted/a.parquet`: by event time.
    """
    for index, name in enumerate("abcd"):
        in_order = _in_order(rows, index, TIMES_THE_ROWS.get(name, 1))
        arrived = _arrived(in_order, index)
        (folder / "arrived" / name).mkdir(parents=True)
        for form in ("sorted", "csv", "headed"):
            (folder / form).mkdir(exist_ok=True)
        pq.write_table(in_order, folder / "sorted" / f"{name}.parquet")
        pa.csv.write_csv(_in_milliseconds(arrived), folder / "csv" / f"{name}.csv", _NO_HEADER)
        pa.csv.write_csv(_in_milliseconds(arrived), folder / "headed" / f"{name}.csv")
        step = -(-arrived.num_rows // files)
        for number in range(files):
            pq.write_table(arrived.slice(number * step, step), folder / "arrived" / name / f"{number:03}.parquet")
        pq.write_table(_closing(arrived, index), folder / "arrived" / name / CLOSING)
        in_order_of_names(folder / "arrived" / name)


def _in_order(rows: int, index: int, times_the_rows: int) -> pa.Table:
    random = np.random.default_rng(index)
    span, rows = rows * 1_000 // PER_SECOND, rows * times_the_rows
    times = (np.sort(random.integers(0, span, rows)) + START_MS) * 1_000
    return pa.table(
        {
            "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "key": pa.array(random.integers(0, KEYS, rows)),
            "area": pa.array(random.integers(0, AREAS, rows)),
            "value": pa.array(np.arange(rows) + index * 1_000_000_000),
        }
    )


def _arrived(table: pa.Table, index: int) -> pa.Table:
    """Return the rows as they arrive: a third is late, by 20 ms on average and at most 900."""
    random = np.random.default_rng(100 + index)
    times = table["ts"].cast(pa.int64()).to_numpy()
    late = np.where(random.random(len(times)) < 0.3, random.exponential(20_000, len(times)), 0)
    order = np.argsort(times + np.minimum(late, 900_000), kind="stable")
    # Rows of a stream that share a `seq` keep their order in the files.
    return table.take(order).append_column("seq", pa.array(np.sort(times) * 3 + index))


def _closing(arrived: pa.Table, index: int) -> pa.Table:
    """Return fifty rows of keys that no other stream has; the second half lets the first half go."""
    keys = np.arange(50) - 50 * (index + 1)
    last = pc.max(arrived["ts"].cast(pa.int64())).as_py()
    times = last + np.repeat([600_000_000, 610_000_000], 25)
    return pa.table(
        {
            "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "key": pa.array(keys),
            "area": pa.array(keys),
            "value": pa.array(-1 - np.arange(50)),
            "seq": pa.array(times * 3 + index),
        }
    )


def _in_milliseconds(table: pa.Table) -> pa.Table:
    return table.set_column(0, "ts", pc.divide(table["ts"].cast(pa.int64()), 1_000)).drop_columns("seq")
