"""What was set aside of a burst, in Spark's state store: a chunk of the rows, and one of the windows that they hold.

Both are rewritten by every call that changes them, so that a call costs O(rows that wait).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.core.cells import Cells, Input
from slackwater.core.sidelined import SidelinedState, Waiting
from slackwater.spark.pane_chunks import chunk_of, read_chunk, states_of
from slackwater.spark.sealed import sealed

if TYPE_CHECKING:
    from slackwater.pipeline.groups import GrowingGroups
    from slackwater.spark.state import ChunkStore

WAITING, HELD = "waiting", "held"
NUMBERS = {WAITING: -(2**62) + 16, HELD: -(2**62) + 17}  # of chunks: no pane and no note has such a number
_TIME, _PLACE, _VALUES, _VALID = (f"__slackwater_{name}" for name in ("time", "place", "values_", "valid_"))


def read_sidelined(
    store: ChunkStore, names: Sequence[str], groups: GrowingGroups, values: int
) -> SidelinedState | None:
    """Return what was set aside; `names` says which chunks there are."""
    if not names:
        return None
    tables = {name: read_chunk(store, NUMBERS[name]) for name in names}
    waiting = Waiting.none()
    if WAITING in tables:
        waiting = _waiting(tables[WAITING], groups, values)
    state = SidelinedState(waiting)
    return replace(state, held=_held(tables[HELD], groups, values)) if HELD in tables else state


def commit_sidelined(
    store: ChunkStore, names: Sequence[str], before: SidelinedState | None, after: SidelinedState, keys: pa.Table
) -> tuple[str, ...]:
    """Write what changed; return the names of the chunks that there are."""
    before = before or SidelinedState(Waiting.none())
    there: dict[str, pa.Table | None] = {}  # None: as it was
    if len(after.waiting):
        there[WAITING] = None if before.waiting is after.waiting else _rows(after.waiting, keys)
    if after.held is not None:
        there[HELD] = None if before.held is after.held else _windows(after.held, keys)
    for name in set(names) - set(there):
        store.delete(NUMBERS[name])
    for name, table in there.items():
        if table is not None:
            store.write(NUMBERS[name], sealed(table))
    return tuple(there)


def _rows(waiting: Waiting, keys: pa.Table) -> pa.Table:
    columns: dict[str, Any] = {name: keys[name].take(waiting.group) for name in keys.column_names}
    columns[_TIME] = waiting.time
    for number, each in enumerate(waiting.inputs):
        columns[f"{_VALUES}{number}"] = each.values
        if each.valid is not None:
            columns[f"{_VALID}{number}"] = each.valid
    return pa.table(columns)


def _windows(held: Cells, keys: pa.Table) -> pa.Table:
    return chunk_of(held, keys).append_column(_PLACE, pa.array(held.place))


def _waiting(table: pa.Table, groups: GrowingGroups, values: int) -> Waiting:
    inputs = tuple(
        Input(
            table[f"{_VALUES}{number}"].to_numpy(),
            table[f"{_VALID}{number}"].to_numpy() if f"{_VALID}{number}" in table.column_names else None,
        )
        for number in range(values)
    )
    return Waiting(table[_TIME].to_numpy(), groups.codes_of([table]), inputs)


def _held(table: pa.Table, groups: GrowingGroups, values: int) -> Cells:
    place, group = table[_PLACE].to_numpy(), groups.codes_of([table])
    order = np.lexsort((group, place))
    return Cells(place[order], group[order], states_of(table, values + 1, order))
