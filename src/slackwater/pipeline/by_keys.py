"""The keys of `by=` as numbers: 0, 1, ... in the order in which they first came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.errors import ColumnError
from slackwater.pipeline.key_codes import Column, decoded, with_equal_bits

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.plan.nodes import ReorderNode


def check_keys(node: ReorderNode, schema: pa.Schema) -> None:
    """Check, before anything runs, that the columns of `by` can be compared."""
    for column in node.by:
        if pa.types.is_nested(schema.field(column).type):
            raise ColumnError(
                node.stream.name,
                column,
                problem=f"is {schema.field(column).type}, which cannot be a key",
                remedy="name plain columns in by=, such as one field of it",
            )


def number_keys(known: pa.Table, rows: pa.Table) -> Rows:
    """Return the number of each row's key: its place in `known`, all different, or the next numbers if it is new.

    Null is a value like any other; the two zeros of floats are one, and so are all NaN. O(known + rows).

    >>> number_keys(pa.table({"line": ["b"]}), pa.table({"line": ["a", "b", None, "a"]})).tolist()
    [1, 0, 2, 1]
    """
    numbers: Rows | None = None
    for name in rows.column_names:
        both = [decoded(table[name]) for table in (known, rows)]
        of_column, count = _numbered(pa.chunked_array([chunk for each in both for chunk in each.chunks], both[1].type))
        numbers = of_column if numbers is None else _numbered(pa.chunked_array([numbers * count + of_column]))[0]
    return np.empty(0, np.int64) if numbers is None else numbers[known.num_rows :]


def _numbered(column: Column) -> tuple[Rows, int]:
    encoded: Any = with_equal_bits(column).dictionary_encode(null_encoding="encode").combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # of no chunks
        return np.empty(0, np.int64), 0
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)
