"""What an aggregate knows of groups besides its panes: early results, and punctuations. A chunk each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.core.cells import Cells
from slackwater.spark.sealed import sealed, unsealed
from slackwater.spark.state import ChunkStore, unreadable_chunk

if TYPE_CHECKING:
    from slackwater.events import Rows

NUMBERS = {name: -(2**62) + place for place, name in enumerate(("shown", "bounds", "seen", "compared"))}  # no pane
_PLACE, _FIRST, _SECOND = "__slackwater_place", "__slackwater_first", "__slackwater_second"


def read_notes(store: ChunkStore, names: Sequence[str]) -> list[pa.Table]:
    """Return the chunks of these notes."""
    return [_read(store, NUMBERS[name]) for name in names]


def _read(store: ChunkStore, number: int) -> pa.Table:
    try:
        table = unsealed(store.read(number))
        table[_PLACE]
    except (pa.ArrowInvalid, KeyError, TypeError) as error:
        raise unreadable_chunk(number) from error
    return table


def restored_notes(names: Sequence[str], tables: Sequence[pa.Table], code: Rows) -> dict[str, Cells]:
    """Return notes as cells; `code` has the groups of all tables, one after the other."""
    notes, start = {}, 0
    for name, table in zip(names, tables, strict=True):
        place, group = table[_PLACE].to_numpy(), code[start : start + table.num_rows]
        order = np.lexsort((group, place))
        state = tuple(table[column].to_numpy()[order] for column in (_FIRST, _SECOND) if column in table.column_names)
        notes[name] = Cells(place[order], group[order], (state,) if state else ())
        start += table.num_rows
    return notes


def commit_notes(
    store: ChunkStore, before: Mapping[str, Cells], after: Mapping[str, Cells], keys: pa.Table
) -> tuple[str, ...]:
    """Write the notes that changed; return the names of all that there are."""
    for name in before:
        if name not in after:
            store.delete(NUMBERS[name])
    for name, cells in after.items():
        if before.get(name) is not cells:
            groups: dict[str, Any] = {column: keys[column].take(cells.group) for column in keys.column_names}
            columns = {**groups, _PLACE: cells.place}
            if cells.states:
                columns[_FIRST], columns[_SECOND] = cells.states[0]
            store.write(NUMBERS[name], sealed(pa.table(columns)))
    return tuple(after)
