"""Open panes in Spark's state store: a chunk of Arrow IPC each, which is read when it is needed.

A chunk is a table with the keys of each group of the pane, then a column for each column of their states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.core.cells import Cells
from slackwater.core.open_panes import OpenPanes
from slackwater.core.ragged import Ragged
from slackwater.errors import StateError
from slackwater.spark.sealed import sealed, unsealed
from slackwater.spark.state import ChunkStore, unreadable_chunk

if TYPE_CHECKING:
    from slackwater.core.algebra import State
    from slackwater.events import Rows
    from slackwater.pipeline.groups import GrowingGroups
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True, slots=True)
class PaneChunk:
    """An entry of the index: an open pane; its number is also that of its chunk."""

    number: int
    rows: int  # how many groups it has


def stored_panes(
    node: AggregateNode, chunks: Sequence[PaneChunk], store: ChunkStore, groups: GrowingGroups
) -> OpenPanes:
    """Return panes that are in a store; groups get their codes when their panes are read."""
    functions = [value.algebra for _, value in node.computed]
    numbers = [chunk.number for chunk in chunks]
    return OpenPanes(node.panes, functions, {}, unread=numbers, source=_Stored(store, groups, len(functions)))


def commit_panes(
    store: ChunkStore, before: Sequence[PaneChunk], panes: OpenPanes, keys: pa.Table
) -> tuple[PaneChunk, ...]:
    """Write the panes that got rows, and forget those that no window needs any more; return the index."""
    rows = {chunk.number: chunk.rows for chunk in before}
    for number in rows:
        if number not in panes:
            store.delete(number)
    for number in sorted(panes.changed):
        rows[number] = len(panes[number])
        store.write(number, sealed(chunk_of(panes[number], keys)))
    return tuple(PaneChunk(number, rows[number]) for number in panes.numbers().tolist())


@dataclass(frozen=True, slots=True)
class _Stored:
    """Reads panes."""

    store: ChunkStore
    groups: GrowingGroups
    values: int

    def read(self, numbers: Sequence[int]) -> dict[int, Cells]:
        """Return the cells of some panes. The groups of all are looked up at once."""
        tables = [read_chunk(self.store, number) for number in numbers]
        bounds = np.cumsum([0, *(table.num_rows for table in tables)])
        code = self.groups.codes_of(tables)
        return {
            number: self._cells(number, table, code[start:stop])
            for number, table, (start, stop) in zip(numbers, tables, pairwise(bounds), strict=True)
        }

    def _cells(self, number: int, table: pa.Table, code: Rows) -> Cells:
        order = np.argsort(code, kind="stable")
        return Cells(np.full(len(code), number), code[order], states_of(table, self.values, order))


def read_chunk(store: ChunkStore, number: int) -> pa.Table:
    """Return a chunk as a table."""
    try:
        return unsealed(store.read(number))
    except (pa.ArrowInvalid, KeyError, TypeError) as error:
        raise unreadable_chunk(number) from error


def chunk_of(cells: Cells, keys: pa.Table) -> pa.Table:
    """Return cells as a table; `keys` has the keys of each group, in the order of their codes."""
    columns: dict[str, Any] = {name: keys[name].take(cells.group) for name in keys.column_names}
    for value, state in enumerate(cells.states):
        columns |= {_name(value, number): _to_arrow(column) for number, column in enumerate(state)}
    return pa.table(columns)


def states_of(table: pa.Table, values: int, order: Rows) -> tuple[State, ...]:
    """Return the states of each value of a chunk, its rows put in this order."""
    prefixes = [_name(value, "") for value in range(values)]
    try:
        return tuple(
            tuple(_from_arrow(table[name])[order] for name in table.column_names if name.startswith(prefix))
            for prefix in prefixes
        )
    except (KeyError, TypeError, AttributeError, IndexError, pa.ArrowException) as error:
        raise StateError(
            "states of other values", expected="those of the plan", remedy="restore the checkpoint from a copy"
        ) from error


def _name(value: int, number: int | str) -> str:
    """Name a column of the state of a value; no input column has such a name."""
    return f"__slackwater_state_{value}_{number}"


def _to_arrow(column: Any) -> Any:
    if not isinstance(column, Ragged):
        return pa.array(column)
    starts: Any = pa.array(column.starts)
    pairs = pa.StructArray.from_arrays([pa.array(column.keys), pa.array(column.values)], names=["key", "value"])
    return pa.LargeListArray.from_arrays(starts, pairs)


def _from_arrow(column: pa.ChunkedArray[Any]) -> Any:
    if not pa.types.is_large_list(column.type):
        return column.to_numpy()
    maps: Any = column.combine_chunks()
    pairs = maps.values
    return Ragged(maps.offsets.to_numpy(), pairs.field("key").to_numpy(), pairs.field("value").to_numpy())
