"""Rows in arrival order, where they are not in the files: sorted by DuckDB, on disk where memory does not do."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

from slackwater.disorder.run import BATCH_ROWS

if TYPE_CHECKING:
    from slackwater.disorder.columns import Question
    from slackwater.disorder.run import Batches

MEMORY = "1GB"
_ROW = "__row"  # rows with equal arrival stay as they were


def in_arrival_order(question: Question, batches: Batches, source: str) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield the rows sorted by the arrival column."""
    with tempfile.TemporaryDirectory(prefix="slackwater-") as folder:
        settings: dict[str, Any] = {"temp_directory": folder, "memory_limit": MEMORY}
        with duckdb.connect(":memory:", config=settings) as connection:
            connection.execute("SET GLOBAL TimeZone = 'UTC'")
            connection.register("unordered", _numbered(batches))
            arrival = '"' + str(question.arrival).replace('"', '""') + '"'
            found: Any = connection.sql(f'SELECT * FROM unordered ORDER BY {arrival}, "{_ROW}"')
            for batch in found.to_arrow_reader(BATCH_ROWS):
                yield source, batch


def _numbered(batches: Batches) -> pa.RecordBatchReader:
    """Return the batches with the number of each row."""
    plain = (batch for _, batch in batches)
    first = next(iter(plain))
    schema = pa.schema([*first.schema.remove_metadata(), pa.field(_ROW, pa.int64())])

    def numbered() -> Iterator[pa.RecordBatch]:
        row = 0
        for batch in chain([first], plain):
            numbers = pa.array(np.arange(row, row + batch.num_rows))
            row += batch.num_rows
            columns: list[Any] = [*batch.columns, numbers]
            yield pa.record_batch(columns, names=schema.names).cast(schema)

    return pa.RecordBatchReader.from_batches(schema, numbered())
