"""Parquet files that others wrote: read here, whatever for, without trusting how many rows they say they have.

Arrow makes room for all rows of a group before it reads one: 1 KB that claims 1,000,000,000 rows takes 8 GB a column.
In batches it makes room for those of a batch, and takes no longer. What was read is then compared with the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import DatasetError

_BATCH_ROWS = 1 << 16


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a file, and of its columns those that are named, in that order.

    Memory is that of the rows that are there, and of one batch.

    Raises:
        DatasetError: it is not there, cannot be read, lacks a column, or does not have the rows that it claims.
    """
    with _opened(path) as file:
        schema = _chosen(path, file.schema_arrow, columns)
        return pa.Table.from_batches(_batches(path, file, columns, _BATCH_ROWS), schema)


def parquet_batches(path: Path, columns: Sequence[str] | None = None, *, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the same, so many rows at a time; that they are not as many as it claims is known after the last.

    Raises:
        DatasetError: as `read_parquet`.
    """
    with _opened(path) as file:
        _chosen(path, file.schema_arrow, columns)
        yield from _batches(path, file, columns, rows)


def parquet_schema(path: Path) -> pa.Schema:
    """Return the columns of a file with their types.

    Raises:
        DatasetError: it is not there, or cannot be read.
    """
    with _opened(path) as file:
        return file.schema_arrow


def claimed_rows(path: Path) -> int:
    """Return how many rows a file says it has. As many steps as it has groups.

    Raises:
        DatasetError: it is not there, cannot be read, or its groups say otherwise.
    """
    with _opened(path) as file:
        return _claimed(path, file.metadata)


def check_found(path: Path, found: int, claimed: int) -> None:
    """Refuse a file that does not have the rows that it claims.

    >>> check_found(Path("a.parquet"), 3, 1_000_000_000)
    Traceback (most recent call last):
    slackwater.errors.DatasetError: dataset 'a.parquet' says that it has 1,000,000,000 rows, and has 3; ...
    """
    if found != claimed:
        raise _damaged(path, claimed, f"has {found:,}")


def check_columns(path: Path, there: Sequence[str], named: Sequence[str]) -> None:
    """Refuse a file, of any kind, that lacks a named column or has it twice.

    >>> check_columns(Path("a.csv"), ["x", "ts", "x"], ["ts", "x"])
    Traceback (most recent call last):
    slackwater.errors.DatasetError: dataset 'a.csv' has 2 columns 'x'; it has: x, ts, x
    """
    for name in named:
        count = there.count(name)
        if count != 1:
            problem = f"has {count} columns {name!r}" if count else f"has no column {name!r}"
            raise DatasetError(str(path), problem=problem, remedy=f"it has: {', '.join(there)}")


def _batches(path: Path, file: pq.ParquetFile, columns: Sequence[str] | None, rows: int) -> Iterator[pa.RecordBatch]:
    claimed, found = _claimed(path, file.metadata), 0
    for batch in file.iter_batches(batch_size=rows, columns=None if columns is None else list(columns)):
        found += batch.num_rows
        yield batch if columns is None else batch.select(list(columns))
    check_found(path, found, claimed)


def _claimed(path: Path, metadata: pq.FileMetaData) -> int:
    groups = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    if min(groups, default=0) < 0 or sum(groups) != metadata.num_rows:
        raise _damaged(path, metadata.num_rows, f"{sum(groups):,} in its groups")
    return int(metadata.num_rows)


def _chosen(path: Path, schema: pa.Schema, columns: Sequence[str] | None) -> pa.Schema:
    """Return the fields that are named; Arrow itself would leave out what is not there."""
    if columns is None:
        return schema
    check_columns(path, schema.names, columns)
    return pa.schema([schema.field(name) for name in columns]).with_metadata(schema.metadata)


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a file; whatever Arrow says about it while it is open is ours to say."""
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        first = str(error).split("\n")[0]
        problem = f"cannot be read ({first})"
        raise DatasetError(str(path), problem=problem, remedy="check the file and its format") from error


def _damaged(path: Path, claimed: int, found: str) -> DatasetError:
    problem = f"says that it has {claimed:,} rows, and {found}"
    return DatasetError(str(path), problem=problem, remedy="it is damaged: write it again")
