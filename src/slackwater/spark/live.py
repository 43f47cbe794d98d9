"""A stored stream played into Spark as if it were live: one Parquet file, in arrival order, at a chosen rate."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from slackwater.errors import DatasetError, ParameterError
from slackwater.parquet import claimed_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

FORMAT = "slackwater_live"
MAX_ROWS_PER_BATCH = 200_000  # at full speed: a batch stays small enough for the state of one operator call
ROWS_PER_PARTITION = 50_000
ROWS_PER_ARROW_BATCH = 10_000


def live_stream(
    spark: SparkSession,
    path: str | os.PathLike[str],
    *,
    stream: str | None = None,
    rows_per_second: float | None = None,
    rows_per_batch: int | None = None,
) -> DataFrame:
    """Return a streaming DataFrame of one stream's Parquet file, or of `stream` in a dataset folder.

    Rows come in the file's order, `rows_per_second` of them per second of the machine's clock, or `rows_per_batch` per
    trigger, or both (the second is then the upper limit of a batch), or at full speed in batches of at most 200,000.
    After the last row the query goes on without new rows. Offsets are row numbers in Spark's checkpoint: a repeated
    batch reads the same rows, a restarted query goes on from its offset, and time it was down is not made up for.

    With `trigger(availableNow=True)` the whole file counts as available: it is read in batches, without pacing.

    Spark runs the source in Python processes of its own, with the interpreter of PYSPARK_PYTHON at the time its JVM was
    started (`sw.session()` sets it); slackwater must be installed there, and the file must have one path everywhere.
    """
    _check_rates(rows_per_second, rows_per_batch)
    spark.dataSource.register(LiveSource)
    reader = spark.readStream.format(FORMAT).option("path", str(_find_file(Path(path), stream)))
    if rows_per_second is not None:
        reader = reader.option("rows_per_second", rows_per_second)
    if rows_per_batch is not None:
        reader = reader.option("rows_per_batch", rows_per_batch)
    return reader.load()


class LiveSource(DataSource):
    """The data source behind `live_stream`; options path, rows_per_second, rows_per_batch."""

    @classmethod
    def name(cls) -> str:
        """Return the name for `spark.readStream.format`."""
        return FORMAT

    def schema(self) -> StructType:
        """Return the file's columns as Spark types."""
        return from_arrow_schema(plain_schema(pq.read_schema(self.options["path"])))

    def streamReader(self, schema: StructType) -> LiveReader:
        """Return the reader that Spark keeps for as long as the query runs."""
        rate, limit = self.options.get("rows_per_second"), self.options.get("rows_per_batch")
        return LiveReader(
            self.options["path"],
            rows_per_second=None if rate is None else float(rate),
            rows_per_batch=MAX_ROWS_PER_BATCH if limit is None else int(limit),
        )


@dataclass(frozen=True)
class RowRange(InputPartition):
    """Rows [start, end) of the file."""

    start: int
    end: int


class LiveReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Decides how many rows are there by now, and reads row ranges."""

    def __init__(self, path: str, *, rows_per_second: float | None, rows_per_batch: int) -> None:
        self.path = path
        self.rows_per_second = rows_per_second
        self.rows_per_batch = rows_per_batch
        self.rows = claimed_rows(Path(path))
        self.began: tuple[float, int] | None = None  # when this reader was first asked, and from which row on

    def initialOffset(self) -> dict[str, int]:
        """Return where a new query starts."""
        return {"row": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit of one batch."""
        return ReadMaxRows(self.rows_per_batch)

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Return how far the next batch goes: what is due by now, within the limit; `start` itself if nothing is."""
        end = self._due(start["row"], now=time.monotonic())
        if isinstance(limit, ReadMaxRows):
            end = min(end, start["row"] + limit.max_rows)
        elif not isinstance(limit, ReadAllAvailable):
            raise ParameterError("limit", limit, must="count rows", remedy="this source knows no files or bytes")
        return {"row": max(end, start["row"])}

    def prepareForTriggerAvailableNow(self) -> None:
        """Count the whole file as available, so that the query reads it and ends."""
        self.rows_per_second = None

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[RowRange]:
        """Cut the rows of a batch into ranges of nearly equal length."""
        if end["row"] > self.rows:
            raise DatasetError(
                self.path,
                problem=f"has {self.rows} rows, fewer than the checkpoint's {end['row']}",
                remedy="restore the file, or start with a new checkpoint",
            )
        count = math.ceil((end["row"] - start["row"]) / ROWS_PER_PARTITION)
        cuts = [start["row"] + (end["row"] - start["row"]) * n // max(count, 1) for n in range(count + 1)]
        return [RowRange(begin, stop) for begin, stop in pairwise(cuts)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read one range of rows as Arrow batches."""
        assert isinstance(partition, RowRange)
        return read_rows(self.path, partition.start, partition.end)

    def _due(self, start: int, *, now: float) -> int:
        if self.rows_per_second is None:
            return self.rows
        if self.began is None:
            self.began = (now, start)
        return min(self.rows, self.began[1] + int((now - self.began[0]) * self.rows_per_second))


def read_rows(path: str, start: int, end: int) -> Iterator[pa.RecordBatch]:
    """Yield rows [start, end) of a Parquet file; only the row groups that overlap them are read."""
    with pq.ParquetFile(path) as file:
        groups, position = _overlapping_groups(file.metadata, start, end)
        schema = plain_schema(file.schema_arrow)
        for batch in file.iter_batches(batch_size=ROWS_PER_ARROW_BATCH, row_groups=groups):
            begin, stop = max(start - position, 0), min(end - position, batch.num_rows)
            position += batch.num_rows
            if begin < stop:
                yield batch.slice(begin, stop - begin).cast(schema)
            if position >= end:
                return
    if start < end:
        problem = f"ends at row {position:,}, although it says that rows {start:,} to {end:,} are there"
        raise DatasetError(path, problem=problem, remedy="it is damaged: write it again")


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema without dictionaries, which Spark's Arrow conversion does not take."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in schema
    ]
    return pa.schema(fields)


def _overlapping_groups(metadata: pq.FileMetaData, start: int, end: int) -> tuple[list[int], int]:
    """Return the row groups that hold rows [start, end), and the number of the first row in them."""
    groups, first, position = [], 0, 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        if position + rows <= start:
            first = position + rows
        elif position < end:
            groups.append(group)
        position += rows
    return groups, first


def _find_file(path: Path, stream: str | None) -> Path:
    if path.is_dir():
        files = {file.stem: file for file in sorted(path.glob("*.parquet"))}
        chosen = stream if stream is not None or len(files) != 1 else next(iter(files))
        if chosen not in files:
            raise DatasetError(
                str(path), problem=f"has no single stream {stream!r}", remedy=f"use stream= with one of {list(files)}"
            )
        path = files[chosen]
    if not path.is_file():
        raise DatasetError(str(path), problem="does not exist", remedy="give a dataset folder or a Parquet file")
    return path.resolve()


def _check_rates(rows_per_second: float | None, rows_per_batch: int | None) -> None:
    for name, value in (("rows_per_second", rows_per_second), ("rows_per_batch", rows_per_batch)):
        if value is not None and value <= 0:
            raise ParameterError(name, value, must="be > 0", remedy="leave it out for full speed")
