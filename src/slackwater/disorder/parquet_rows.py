"""Parquet files, looked at before Arrow reads them: it makes room for as many rows as they say they have."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from slackwater.errors import DatasetError


def check_parquet_rows(path: Path) -> None:
    """Refuse a file whose groups of rows are not those of the whole. As many steps as it has groups.

    Raises:
        DatasetError: they are not.
        OSError, pa.ArrowException: the file cannot be read.
    """
    whole = pq.read_metadata(path)
    rows = [whole.row_group(number).num_rows for number in range(whole.num_row_groups)]
    if min(rows, default=0) < 0 or sum(rows) != whole.num_rows:
        problem = f"says that it has {whole.num_rows:,} rows, and {sum(rows):,} in its groups"
        raise DatasetError(str(path), problem=problem, remedy="it is damaged: write it again")
