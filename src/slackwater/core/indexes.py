"""The indexes that a search needs over pools of events, each made once: by key, or by key and nearby cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.codes import JointCodes
from slackwater.core.conditions import NO_CELL, Condition
from slackwater.core.probe import Index, Pool, Triggers

if TYPE_CHECKING:
    from slackwater.events import Rows


@dataclass(frozen=True)
class CellIndex:
    """A pool grouped by key and cells; a trigger asks for the cells around its own, three for each band."""

    index: Index
    joint: JointCodes
    limits: tuple[tuple[int, int], ...]  # of each band: the first and last cell in the pool
    pool: Pool

    @cached_property
    def around(self) -> Rows:
        """The steps from a cell to those around it, one row for each band.

        >>> CellIndex(None, None, ((0, 9),), None).around.tolist()
        [[-1, 0, 1]]
        """
        return np.array(list(product((-1, 0, 1), repeat=len(self.limits))), np.int64).T

    def triggers(self, codes: Sequence[Rows], cells: Sequence[Rows], plain: Triggers) -> Triggers:
        """Return for each trigger one for every cell around it."""
        times = self.around.shape[1]
        columns = [np.repeat(code, times) for code in codes]
        for own, steps, (first, last) in zip(cells, self.around, self.limits, strict=True):
            cell = np.add.outer(own, steps).ravel()
            inside = (cell >= first) & (cell <= last)
            columns.append(np.where(inside, cell - first, -1))
        code = self.joint.of(columns, len(plain) * times)
        return Triggers(code, *(np.repeat(column, times) for column in (plain.low, plain.high, plain.before)))

    def in_order(self, trigger: Rows, place: Rows) -> tuple[Rows, Rows]:
        """Return pairs of expanded triggers and places as (trigger, row), by the partner's (time, arrival)."""
        trigger = trigger // self.around.shape[1]
        rank = self.index.rank[place]
        _sort_within(trigger, rank)
        return trigger, self.pool.row[rank]


@dataclass(frozen=True)
class Indexes:
    """The indexes over one pool for each stream."""

    condition: Condition
    pools: tuple[Pool, ...]
    _by_key: dict[tuple[int, tuple[int, ...]], tuple[Index, JointCodes]] = field(default_factory=dict)
    _by_cell: dict[tuple[int, tuple[int, ...], tuple[int, ...]], CellIndex] = field(default_factory=dict)

    def by_key(self, stream: int, classes: tuple[int, ...]) -> tuple[Index, JointCodes]:
        """Return the index of a stream by some key classes, and how to find the code of a combination."""
        known = self._by_key.get((stream, classes))
        if known is None:
            known = self._by_key[stream, classes] = self._grouped(stream, classes, [], [])
        return known

    def by_cell(self, stream: int, classes: tuple[int, ...], bands: tuple[int, ...]) -> CellIndex:
        """Return the index of a stream by some key classes and the cells of some bands."""
        known = self._by_cell.get((stream, classes, bands))
        if known is None:
            cells = [self.condition.bands[band].cells(stream)[self.pools[stream].row] for band in bands]
            limits = tuple(_limits(own) for own in cells)
            columns = [np.where(own == NO_CELL, -1, own - first) for own, (first, _) in zip(cells, limits, strict=True)]
            index, joint = self._grouped(stream, classes, columns, [last - first + 1 for first, last in limits])
            known = self._by_cell[stream, classes, bands] = CellIndex(index, joint, limits, self.pools[stream])
        return known

    def has_cells(self, stream: int, classes: tuple[int, ...], bands: tuple[int, ...]) -> bool:
        """Whether such an index has been made already."""
        return (stream, classes, bands) in self._by_cell

    def _grouped(
        self, stream: int, classes: tuple[int, ...], more: Sequence[Rows], counts: Sequence[int]
    ) -> tuple[Index, JointCodes]:
        pool, passes = self.pools[stream], self.condition.passes(stream)
        columns = [*(self.condition.codes(c, stream)[pool.row] for c in classes), *more]
        joint = JointCodes(columns, [*(self.condition.code_count(c) for c in classes), *counts], len(pool))
        code = joint.codes if passes is None else np.where(passes[pool.row], joint.codes, -1)
        return Index.of(pool, code, joint.count), joint


def _limits(cells: Rows) -> tuple[int, int]:
    """Return the first and the last cell; one that nobody is near to if there are none."""
    some = cells[cells != NO_CELL]
    return (int(some.min()), int(some.max())) if len(some) else (0, 0)


@compiled
def _sort_within(trigger: Rows, rank: Rows) -> None:
    """Sort the ranks of each trigger in place."""
    start = 0
    while start < len(trigger):
        stop = start + 1
        while stop < len(trigger) and trigger[stop] == trigger[start]:
            stop += 1
        rank[start:stop].sort()
        start = stop
