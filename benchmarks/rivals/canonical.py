"""What a result is, whoever found it: the same columns as integers, sorted, and their hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.rivals.jobs import GROUPS

_COLUMNS = {
    "merge": ("ts", "key", "value"),
    "join2": ("event_time", "key", "a_ts", "a_value", "b_ts", "b_value"),
    "join3": ("event_time", "key", "a_ts", "a_value", "b_ts", "b_value", "c_ts", "c_value"),
    **{job: ("start", group, "n", "total", "most") for job, group in GROUPS.items()},
}
_TIMES = ("ts", "event_time", "a_ts", "b_ts", "c_ts", "start")
_NAMES = {"a_key": "key", "window_start": "start"}  # of columns within structs


@dataclass(frozen=True)
class Results:
    """How many, and a hash of all of them; whether they came in event-time order: those of each key, of a merge all."""

    rows: int
    digest: str
    in_order: bool


def results(job: str, folder: Path) -> Results:
    """Return what a job has written: Parquet files, or CSV files with times in milliseconds.

    CSV files may have a header, and then a column `diff`, in which everything but 1 is a result that was taken back.
    """
    table = _read(job, folder)
    columns = [column.to_numpy() for column in table.columns]
    order = np.lexsort(columns[::-1])
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(column[order]).tobytes() for column in columns))
    times, keys = columns[0], columns[1] if job != "merge" else np.zeros(len(order))
    return Results(len(order), digest.hexdigest(), _in_order(times, keys))


def _in_order(times: np.ndarray[Any, Any], keys: np.ndarray[Any, Any]) -> bool:
    by_key = np.argsort(keys, kind="stable")
    return bool(np.all((np.diff(times[by_key]) >= 0) | (np.diff(keys[by_key]) != 0)))


def _read(job: str, folder: Path) -> pa.Table:
    parquet = [file for file in sorted(folder.rglob("*.parquet"), key=_written) if "checkpoint" not in file.parts]
    tables = [_flat(pq.ParquetFile(file).read()) for file in parquet]
    if not tables:
        tables = [_from_csv(job, file) for file in sorted(folder.rglob("*")) if file.is_file() and file.stat().st_size]
    return _own(pa.concat_tables([_integers(table.select(list(_COLUMNS[job]))) for table in tables]))


def _own(table: pa.Table) -> pa.Table:
    """Leave out rows of the closing file, which have negative keys and areas."""
    return table.filter(pc.greater_equal(table[1], pa.scalar(0)))


def _written(file: Path) -> tuple[int, str]:
    """Order files by the micro-batch in whose folder they are, then by name."""
    batches = [part for part in file.parts if part.startswith("batch=")]
    return (int(batches[0].removeprefix("batch=")) if batches else 0), file.name


def _flat(table: pa.Table) -> pa.Table:
    names = [name.replace(".", "_") for name in table.flatten().column_names]
    return table.flatten().rename_columns([_NAMES.get(name, name) for name in names])


def _from_csv(job: str, file: Path) -> pa.Table:
    headed = file.read_text()[0] not in "-0123456789"
    reading = pa.csv.ReadOptions(column_names=None if headed else list(_COLUMNS[job]))
    table = pa.csv.read_csv(file, read_options=reading)
    if "diff" in table.column_names and pc.any(pc.not_equal(table["diff"], pa.scalar(1))).as_py():
        raise ValueError(f"{file} has results that were taken back")
    for name in set(_TIMES) & set(table.column_names):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pc.multiply(table[name], 1_000))
    return table


def _integers(table: pa.Table) -> pa.Table:
    """Return all columns as int64, times in microseconds."""
    for place, field in enumerate(table.schema):
        column = table[field.name]
        if pa.types.is_timestamp(field.type):
            column = column.cast(pa.timestamp("us", tz=field.type.tz))
        table = table.set_column(place, field.name, column.cast(pa.int64()))
    return table
