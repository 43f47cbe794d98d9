"""Cells as Arrow tables: the keys of each group, then a column for each column of its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.core.ragged import Ragged

if TYPE_CHECKING:
    from slackwater.core.algebra import State
    from slackwater.core.cells import Cells
    from slackwater.events import Rows


def chunk_of(cells: Cells, keys: pa.Table) -> pa.Table:
    """Return cells as a table; `keys` has the keys of each group, in the order of their codes."""
    columns: dict[str, Any] = {name: keys[name].take(cells.group) for name in keys.column_names}
    for value, state in enumerate(cells.states):
        columns |= {_name(value, number): _to_arrow(column) for number, column in enumerate(state)}
    return pa.table(columns)


def states_of(table: pa.Table, values: int, order: Rows) -> tuple[State, ...]:
    """Return the states of each value of a chunk, its rows put in this order."""
    prefixes = [_name(value, "") for value in range(values)]
    return tuple(
        tuple(_from_arrow(table[name])[order] for name in table.column_names if name.startswith(prefix))
        for prefix in prefixes
    )


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
