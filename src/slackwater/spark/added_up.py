"""Rows added up by pane and group where they are read, on their way to the bucket.

A packet then has a cell for each pane and group in place of rows: what a bucket does for a batch does not grow with its
rows. Only rows that may be late, or that the guard may turn away, go as they are. Which these are depends on how far
the bucket has closed its windows before the batch, and that is known from the batch before (`spark/horizons.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.core.cells import Cells, Input
from slackwater.core.segments import slots_of
from slackwater.pipeline.added_up import AddedUp, Span
from slackwater.pipeline.aggregate_columns import read_inputs
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.groups import Groups
from slackwater.spark.given import saying_made_of, sum_of
from slackwater.spark.horizons import Known, horizons_here
from slackwater.spark.packets import CELLS, ROWS, Parts
from slackwater.spark.pane_chunks import chunk_of, states_of
from slackwater.time import window_is_closed

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.pipeline.guard import Incoming
    from slackwater.plan.nodes import AggregateNode
    from slackwater.time import Mask

_FEWEST = 10  # rows for each cell: with fewer, cells take as much room as rows, and their bucket nearly as long


@dataclass(frozen=True, slots=True)
class Adding:
    """Adds rows of an aggregate's stream up."""

    node: AggregateNode  # the first level

    def split(self, table: pa.Table, known: Known) -> tuple[pa.Table, pa.Table | None]:
        """Split rows into those that go as they are and the cells of all others; None: there are none."""
        incoming = read_batch(self.node.stream, table, processing_time=known.surely(self.node.stream.max_ahead))
        fits = self._fits(table, incoming, known)
        which = slice(None) if fits.all() else np.flatnonzero(fits)
        time = incoming.events.time[which]
        pane, groups = self.node.panes.of(time), Groups.of([table[name] for name in self.node.by], table.num_rows)
        if len(time) < _FEWEST * most_cells(pane, len(groups.row)):
            return table, None
        functions = [*(value.algebra for _, value in self.node.computed), Span()]
        inputs = [*(each[which] for each in read_inputs(self.node, table)), Input(time)]
        cells = Cells.of(functions, pane, groups.code[which], inputs)
        keys = table.select(list(self.node.by)).take(groups.row)
        return (table.slice(0, 0) if fits.all() else table.filter(pa.array(~fits))), chunk_of(cells, keys)

    def _fits(self, table: pa.Table, incoming: Incoming, known: Known) -> Mask:
        """Return which rows can be added up: their time can be used, and their last window is surely open."""
        stream = self.node.stream
        usable, _ = incoming.usable(stream.max_ahead)
        fits = usable & ~window_is_closed(self.node.panes.last_end(incoming.events.time), known.closed)
        if stream.arrival_time is not None:  # a row without one came when its batch did, which is not known here
            fits &= pc.is_valid(table[stream.arrival_time]).to_numpy()
        return fits


def most_cells(pane: Rows, groups: int) -> int:
    """Return how many cells some rows have at most, given how many groups there are. O(rows).

    >>> most_cells(np.array([7, 7, 7, 9]), groups=2)
    3
    """
    if not len(pane):
        return 1
    rows = np.bincount(slots_of([pane])[0])
    return int(np.minimum(rows, groups).sum())


def parts_of(node: AggregateNode) -> Parts:
    """Return how the rows of a bucket are packed in this task."""
    adding, known, stream = Adding(node.levels[0]), horizons_here(), node.stream

    def parts(bucket: int, rows: pa.Table) -> Iterator[tuple[int, pa.Table]]:
        rest, cells = (rows, None) if bucket not in known else adding.split(rows, known[bucket])
        if cells is not None:
            total = sum_of(stream, rows) - sum_of(stream, rest)
            yield CELLS, saying_made_of(cells, rows.num_rows - rest.num_rows, total)
        if rest.num_rows:
            yield ROWS, rest

    return parts


def read_added(node: AggregateNode, table: pa.Table, *, rows: int) -> AddedUp:
    """Read cells that `Adding` has made; `rows` is how many rows came as they are."""
    *states, (count, earliest, latest) = states_of(table, len(node.computed) + 1, np.arange(table.num_rows))
    return AddedUp(rows, count, earliest, latest, states)
