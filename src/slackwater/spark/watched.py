"""Windows whose errors are watched, in Spark's state store: a chunk each, for contracts on the values of results.

A chunk is that of a pane with one more column: the bin of slack that the rows of a group needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from slackwater.core.cells import Cells
from slackwater.spark.pane_chunks import chunk_of, read_chunk, states_of
from slackwater.spark.sealed import sealed

if TYPE_CHECKING:
    from slackwater.pipeline.groups import GrowingGroups
    from slackwater.spark.state import ChunkStore

FIRST = 2**60  # chunks from here on are windows that are watched: no pane has such a number
_BIN = "__slackwater_bin"


def read_watched(store: ChunkStore, windows: Sequence[int], groups: GrowingGroups, values: int) -> dict[int, Cells]:
    """Return the cells of these windows, by (bin, group)."""
    tables = [read_chunk(store, FIRST + window) for window in windows]
    bounds = np.cumsum([0, *(table.num_rows for table in tables)])
    code = groups.codes_of(tables)
    watched = {}
    for window, table, (start, stop) in zip(windows, tables, pairwise(bounds), strict=True):
        place, group = table[_BIN].to_numpy(), code[start:stop]
        order = np.lexsort((group, place))
        watched[window] = Cells(place[order], group[order], states_of(table, values, order))
    return watched


def commit_watched(
    store: ChunkStore, before: Mapping[int, Cells], after: Mapping[int, Cells], keys: pa.Table
) -> tuple[int, ...]:
    """Write the windows that changed, and forget those that are not watched any more; return those that are."""
    for window in before:
        if window not in after:
            store.delete(FIRST + window)
    for window, cells in after.items():
        if before.get(window) is not cells:
            table = chunk_of(cells, keys).append_column(_BIN, pa.array(cells.place))
            store.write(FIRST + window, sealed(table))
    return tuple(sorted(after))
