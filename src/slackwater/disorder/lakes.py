"""Delta and Iceberg tables, read by packages that need not be there."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from slackwater.errors import DatasetError

_PACKAGES = {"a Delta table": "deltalake", "an Iceberg table": "pyiceberg"}


def lake_of(path: Path) -> str | None:
    """Return what kind of table a folder is, by the files that only such tables have; None for any other."""
    if (path / "_delta_log").is_dir():
        return "a Delta table"
    return "an Iceberg table" if any((path / "metadata").glob("*.metadata.json")) else None


def open_lake(kind: str, path: Path) -> Any:
    """Return a table with a `schema` and `to_batches(columns, batch_size)`."""
    package = _PACKAGES[kind]
    try:
        module = importlib.import_module("pyiceberg.table" if package == "pyiceberg" else package)
    except ImportError as error:
        remedy = f"install the package that reads it: pip install {package}"
        raise DatasetError(str(path), problem=f"is {kind}, which needs {package}", remedy=remedy) from error
    if package == "deltalake":
        return module.DeltaTable(str(path)).to_pyarrow_dataset()
    newest = max((path / "metadata").glob("*.metadata.json"), key=lambda file: (file.stat().st_mtime, file.name))
    return _Iceberg(module.StaticTable.from_metadata(str(newest)))


class _Iceberg:
    """An Iceberg table with the few methods of a dataset that are needed."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.schema = table.schema().as_arrow()

    def to_batches(self, *, columns: list[str], batch_size: int) -> Any:
        del batch_size  # pyiceberg decides
        return self._table.scan(selected_fields=tuple(columns)).to_arrow_batch_reader()
