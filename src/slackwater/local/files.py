"""Bounded streams from files: Parquet, CSV and JSON lines, one file or a folder of them in the order of their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.json as json

from slackwater.disorder.json_lines import check_json_lines
from slackwater.errors import DatasetError
from slackwater.local.arrow_types import arrow_type
from slackwater.parquet import check_columns, read_parquet
from slackwater.pipeline.readable import readable

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "parquet": (".parquet",),
    "csv": (".csv",),
    "json": (".json", ".jsonl", ".ndjson"),
}


def read_files(path: Path, kind: str, columns: Sequence[tuple[str, str]] = ()) -> pa.Table:
    """Return the rows of a file or a folder; `columns` are names and types in Spark's words, where they are known.

    Raises:
        DatasetError: there is nothing to read, it cannot be read, or it lacks a column.
    """
    schema = pa.schema([(name, arrow_type(name, written)) for name, written in columns])
    parts = [_read(each, kind, schema) for each in _files(path, kind)]
    try:
        return pa.concat_tables(parts, promote_options="default")
    except pa.ArrowException as error:
        raise _unreadable(path, error) from error


def _files(path: Path, kind: str) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DatasetError(str(path), problem="is not there", remedy="check the path; it begins where you are")
    found = [each for each in path.rglob("*") if each.suffix.lower() in ENDINGS[kind] and _is_data(each, path)]
    if not found:
        endings = " or ".join(ENDINGS[kind])
        raise DatasetError(str(path), problem=f"has no file that ends in {endings}", remedy="check the format")
    return sorted(found, key=_in_numbers)


def _is_data(file: Path, folder: Path) -> bool:
    """Whether a file is data: Spark's own files begin with _ or a dot."""
    return file.is_file() and not any(part.startswith(("_", ".")) for part in file.relative_to(folder).parts)


def _in_numbers(path: Path) -> list[tuple[int, str]]:
    """Order batch=2 before batch=10."""
    pieces = re.split(r"(\d+)", str(path))
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in pieces]


def _read(path: Path, kind: str, schema: pa.Schema) -> pa.Table:
    try:
        table = readable(_READERS[kind](path, schema))
        return _cast(path, table, schema) if len(schema) else table
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error


def _cast(path: Path, table: pa.Table, schema: pa.Schema) -> pa.Table:
    check_columns(path, table.column_names, schema.names)
    return table.select(schema.names).cast(schema)


def _read_csv(path: Path, schema: pa.Schema) -> pa.Table:
    # Times are found by Arrow and cast afterwards, since files have them with a zone or without.
    types: Any = {field.name: field.type for field in schema if not pa.types.is_temporal(field.type)}
    return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=types))


def _read_json(path: Path) -> pa.Table:
    check_json_lines(path)
    return json.read_json(path)


_READERS: Mapping[str, Callable[[Path, pa.Schema], pa.Table]] = {
    "parquet": lambda path, schema: read_parquet(path, schema.names or None),
    "csv": _read_csv,
    "json": lambda path, schema: _read_json(path),
}


def _unreadable(path: Path, error: Exception) -> DatasetError:
    first = str(error).split("\n")[0]
    return DatasetError(str(path), problem=f"cannot be read ({first})", remedy="check the file and its format")
