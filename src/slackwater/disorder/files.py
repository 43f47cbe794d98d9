"""Profiles files larger than memory: Parquet, CSV and JSON lines; Delta and Iceberg tables through `lakes`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds

from slackwater.disorder.json_lines import check_json_lines
from slackwater.disorder.lakes import lake_of, open_lake
from slackwater.disorder.ordered import in_arrival_order
from slackwater.disorder.run import BATCH_ROWS, Notice, profile_batches
from slackwater.errors import ColumnError, DatasetError, ParameterError
from slackwater.parquet import claimed_rows, parquet_batches, parquet_schema

if TYPE_CHECKING:
    from slackwater.disorder.collected import Collected
    from slackwater.disorder.columns import Question
    from slackwater.disorder.result import DisorderProfile

_FORMATS: dict[str, Any] = {
    ".parquet": "parquet",
    ".csv": "csv",
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
}


class Files:
    """The files of one stream, in the order given; a folder stands for the files in it, by name."""

    def __init__(self, paths: Sequence[str | os.PathLike[str]], question: Question) -> None:
        self.question = question
        self._parts = [part for path in paths for part in _expanded(Path(path))]
        if not self._parts:
            raise ParameterError("files", list(map(str, paths)), must="hold rows", remedy="name Parquet, CSV or JSON")
        self._opened = [(path.name, self._opened_one(path)) for path in self._parts]
        self.source = ", ".join(name for name, _ in self._opened[:3]) + (", ..." if len(self._opened) > 3 else "")
        self._check_zones()

    @property
    def rows(self) -> int | None:
        """How many rows there are, where that is known without reading them."""
        parquet = all(path.suffix.lower() == ".parquet" for path in self._parts)
        return sum(each.count_rows() for _, each in self._opened) if parquet else None

    def batches(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yield the columns that the question names, in the order of the rows."""
        for name, each in self._opened:
            try:
                for batch in each.to_batches(columns=self.question.columns, batch_size=BATCH_ROWS):
                    yield name, batch
            except (OSError, pa.ArrowException) as error:
                raise _unreadable(name, error) from error

    def _opened_one(self, path: Path) -> Any:
        lake = lake_of(path)
        if lake is not None and self.question.arrival is None:
            problem = f"is {lake}, whose rows have no order"
            raise DatasetError(str(path), problem=problem, remedy="name the column that orders them: --arrival")
        try:
            opened = _dataset_of(path) if lake is None else open_lake(lake, path)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(str(path), error) from error
        self.question.check(path.name, opened.schema.names)
        return opened

    def _check_zones(self) -> None:
        """Refuse times with a zone beside times without, and other mixtures: nobody knows how far these are apart."""
        for column in (self.question.event_time, self.question.arrival):
            if column is None:
                continue
            kinds = [(name, _kind(each.schema.field(column).type)) for name, each in self._opened]
            known = [(name, kind) for name, kind in kinds if kind is not None]
            for name, kind in known:
                if kind != known[0][1]:
                    problem = f"is {kind}, but {known[0][1]} in {known[0][0]}"
                    raise ColumnError(name, column, problem=problem, remedy="make them one type")


def _dataset_of(path: Path) -> Any:
    """Return a file as a dataset, after looking at what Arrow does not look at."""
    kind = _FORMATS[path.suffix.lower()]
    if kind == "json":
        check_json_lines(path)
    return _Parquet(path) if kind == "parquet" else ds.dataset(path, format=kind)


class _Parquet:
    """A Parquet file with the few methods of a dataset that are needed."""

    def __init__(self, path: Path) -> None:
        self._path, self._rows = path, claimed_rows(path)
        self.schema = parquet_schema(path)

    def to_batches(self, *, columns: list[str], batch_size: int) -> Iterator[pa.RecordBatch]:
        return parquet_batches(self._path, columns, rows=batch_size)

    def count_rows(self) -> int:
        return self._rows


def profile_files(
    files: Files, *, present: int, notice: Notice | None = None, collected: Collected | None = None
) -> DisorderProfile:
    """Profile files. Memory does not grow with them; out of arrival order, they are sorted on disk and read again."""
    asked = files.question
    known: dict[str, Any] = {"present": present, "source": files.source, "notice": notice, "collected": collected}
    found = profile_batches(asked, files.batches(), **known)
    if found is not None:
        return found
    ordered = profile_batches(asked, in_arrival_order(asked, files.batches(), files.source), **known)
    assert ordered is not None  # what is sorted is in order
    return ordered


def _expanded(path: Path) -> list[Path]:
    if lake_of(path) is not None:
        return [path]
    if path.is_dir():
        return sorted(each for each in path.rglob("*") if each.suffix.lower() in _FORMATS and each.is_file())
    if not path.is_file():
        raise DatasetError(str(path), problem="is not there", remedy="check the path")
    if path.suffix.lower() not in _FORMATS:
        endings = ", ".join(_FORMATS)
        raise DatasetError(str(path), problem="is of no known kind", remedy=f"give a file that ends in {endings}")
    if not path.stat().st_size:
        raise DatasetError(str(path), problem="is empty: not even a header", remedy="leave it out")
    return [path]


def _unreadable(name: str, error: Exception) -> DatasetError:
    first = str(error).split("\n")[0]
    return DatasetError(name, problem=f"cannot be read ({first})", remedy="check the file")


def _kind(kind: pa.DataType) -> str | None:
    """Return what a column has, in words; None where it has nothing but nulls."""
    if pa.types.is_timestamp(kind):
        return "a time with a time zone" if kind.tz is not None else "a time without a time zone"
    if pa.types.is_integer(kind):
        return "a number"
    return None if pa.types.is_null(kind) else str(kind)
