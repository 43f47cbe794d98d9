"""Tables written as files: what is under a name is complete, or not there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import DatasetError

_FILE_ENDINGS = (".parquet", ".csv", ".json", ".jsonl", ".ndjson")


def write_table(table: pa.Table, path: Path, kind: str) -> Path:
    """Write a table to a file, or into a folder as Spark's first batch would; what has its name is replaced.

    Returns:
        The file.
    """
    file = path if path.suffix.lower() in _FILE_ENDINGS else path / "batch=0" / f"part-0.{kind}"
    _check_alone(path, file)
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        _WRITERS[kind](table, unfinished)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return file


def _check_alone(path: Path, file: Path) -> None:
    """Refuse a folder with batches of another run: readers would see both."""
    others = [each for each in path.glob("batch=*/*") if each != file and not each.name.startswith((".", "_"))]
    if file != path and others:
        remedy = "give a new folder, or remove this one"
        raise DatasetError(str(path), problem=f"has rows of another run ({others[0].relative_to(path)})", remedy=remedy)


def _write_by_duckdb(table: pa.Table, path: Path, options: str) -> None:
    """Write texts, in which DuckDB can also put structs."""
    with duckdb.connect(":memory:") as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("rows", table)
        escaped = str(path).replace("'", "''")
        database.execute(f"COPY rows TO '{escaped}' ({options})")


_WRITERS: Mapping[str, Callable[[pa.Table, Path], None]] = {
    "parquet": lambda table, path: pq.write_table(table, path, compression="zstd"),
    "csv": lambda table, path: _write_by_duckdb(table, path, "FORMAT csv, HEADER"),
    "json": lambda table, path: _write_by_duckdb(table, path, "FORMAT json"),
}
