"""What a query has written: all rows of an output in the order of their batches."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

UNLIKE = ("took_us",)  # what may differ from run to run


def read_output(folder: Path, name: str) -> pa.Table:
    """Return the rows of an output, with the number of their batch and their position within it."""
    batches = sorted((folder / name).glob("batch=*"), key=_number)
    tables = [_numbered(batch) for batch in batches]
    return pa.concat_tables(tables) if tables else pa.table({})


def _number(batch: Path) -> int:
    return int(re.sub(r"\D", "", batch.name))


def _numbered(batch: Path) -> pa.Table:
    rows = pa.concat_tables(
        [pq.read_table(file, partitioning=None) for file in sorted(batch.glob("part-*.parquet"))],
    )
    rows = rows.drop_columns([name for name in UNLIKE if name in rows.column_names])
    rows = rows.append_column("batch", pa.array([_number(batch)] * rows.num_rows, pa.int64()))
    return rows.append_column("position", pa.array(range(rows.num_rows), pa.int64()))
