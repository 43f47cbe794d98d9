"""Read files of any layout as streams, and play streams back in arrival order, at full speed or paced."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from slackwater.errors import DatasetError, ParameterError
from slackwater.parquet import read_parquet
from slackwater.sources.columns import Layout, Unit, to_streams
from slackwater.sources.dataset import Dataset, event_times_of
from slackwater.sources.delays import Floats
from slackwater.time import Times, running_clock

Streams = Dataset | pa.Table | Mapping[str, pa.Table]


def read_files(
    path: str | os.PathLike[str],
    *,
    event_time: str,
    arrival: str | None = None,
    arrival_time: str | None = None,
    unit: Unit = "us",
) -> dict[str, pa.Table]:
    """Read a Parquet or CSV file, or a folder of them, as one stream per file in the columns of a dataset.

    The named columns become event_time, arrival and arrival_time; the others stay as payload. `unit` is that of integer
    times. Without `arrival`, the rows of one file arrive in their order, and several files need `arrival_time`.
    """
    source = Path(path)
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    tables = {file.stem: _read_file(file) for file in files if file.suffix in (".parquet", ".csv") and file.is_file()}
    if not tables:
        raise DatasetError(
            str(source), problem="is no Parquet or CSV file, nor a folder with one", remedy="check the path"
        )
    layout = Layout(event_time, arrival=arrival, arrival_time=arrival_time, unit=unit)
    return to_streams(str(source), tables, layout)


def replay(
    source: Streams,
    *,
    batch_rows: int = 1_000,
    speed: float | None = None,
    rows_per_second: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[tuple[str, pa.Table]]:
    """Yield (stream, rows) in arrival order: each `batch_rows` arrivals over all streams give one table per stream.

    `batch_rows=1` therefore keeps the exact order between streams; the column `arrival` has it in any case. Without
    `speed` and `rows_per_second` nothing waits. `speed=2.0` is twice real time by arrival_time, or by the clock of the
    event times where a stream has no arrival_time; a batch comes when its last row is due. A slow consumer is not
    waited for: later batches come at once until they are on time again.

    >>> table = pa.table({"event_time": pa.array([1, 2, 3], pa.timestamp("us", tz="UTC")), "arrival": [0, 1, 2]})
    >>> [(stream, rows.num_rows) for stream, rows in replay(table, batch_rows=2)]
    [('stream', 2), ('stream', 1)]
    """
    _check(batch_rows, speed, rows_per_second)
    streams = _as_streams(source)
    arrivals = [table["arrival"].to_numpy() for table in streams.values()]
    merged = np.sort(np.concatenate(arrivals))
    due = _due_seconds(streams, speed, rows_per_second)
    return _batches(streams, arrivals, merged, due, batch_rows, clock, sleep)


def _batches(
    streams: Mapping[str, pa.Table],
    arrivals: list[Times],
    merged: Times,
    due: Floats | None,
    batch_rows: int,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Iterator[tuple[str, pa.Table]]:
    started = clock()
    sent = [0] * len(arrivals)
    for last in _last_of_batches(len(merged), batch_rows):
        if due is not None and (wait := started + float(due[last]) - clock()) > 0:
            sleep(wait)
        for position, (name, table) in enumerate(streams.items()):
            begin, sent[position] = sent[position], int(np.searchsorted(arrivals[position], merged[last], "right"))
            if sent[position] > begin:
                yield name, table.slice(begin, sent[position] - begin)


def _last_of_batches(rows: int, batch_rows: int) -> list[int]:
    return [min(begin + batch_rows, rows) - 1 for begin in range(0, rows, batch_rows)]


def _due_seconds(streams: Mapping[str, pa.Table], speed: float | None, rows_per_second: float | None) -> Floats | None:
    """Return the seconds after the start at which each arrival is due, or None where nothing is to wait."""
    count = sum(table.num_rows for table in streams.values())
    if rows_per_second is not None:
        return np.arange(1, count + 1) / rows_per_second
    if speed is None or count == 0:
        return None
    timed = all("arrival_time" in table.column_names for table in streams.values())
    times = [_microseconds(table, "arrival_time") if timed else event_times_of(table) for table in streams.values()]
    order = np.argsort(np.concatenate([table["arrival"].to_numpy() for table in streams.values()]))
    moments = running_clock(np.concatenate(times)[order], None)
    due: Floats = (moments - moments[0]) / (speed * 1e6)
    return due


def _microseconds(table: pa.Table, column: str) -> Times:
    return table[column].cast(pa.int64()).to_numpy()


def _as_streams(source: Streams) -> Mapping[str, pa.Table]:
    if isinstance(source, Dataset):
        return source.streams
    tables = {"stream": source} if isinstance(source, pa.Table) else source
    return to_streams("replay", tables, Layout())


def _check(batch_rows: int, speed: float | None, rows_per_second: float | None) -> None:
    if batch_rows < 1:
        raise ParameterError("batch_rows", batch_rows, must="be >= 1", remedy="use 1 for the exact order")
    if speed is not None and rows_per_second is not None:
        raise ParameterError("speed", speed, must="be left out with rows_per_second", remedy="choose one of them")
    for name, value in (("speed", speed), ("rows_per_second", rows_per_second)):
        if value is not None and value <= 0:
            raise ParameterError(name, value, must="be > 0", remedy="leave it out for full speed")


def _read_file(file: Path) -> pa.Table:
    if file.suffix == ".parquet":
        return read_parquet(file)
    try:
        return pyarrow.csv.read_csv(file)
    except (OSError, pa.ArrowInvalid) as error:
        raise DatasetError(str(file), problem=f"cannot be read ({error})", remedy="check the file") from error
