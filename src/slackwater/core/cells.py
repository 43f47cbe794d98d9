"""Cells: what is known of one group in one pane, or in one window, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.algebra import Algebra, State, fold, joined_states, scan, taken
from slackwater.core.entries import concatenated, replaced
from slackwater.core.lifted import Lifted
from slackwater.core.segments import Column, slots_of, stable_order

if TYPE_CHECKING:
    from typing import Any

    from slackwater.events import Rows
    from slackwater.time import Mask


@dataclass(frozen=True, slots=True)
class Input:
    """What one function is asked about: a value for each event; or a state, where events were added up beforehand."""

    values: Column | Lifted
    valid: Mask | None = None  # which are not null; None: all

    def __getitem__(self, which: Any) -> Input:
        return Input(self.values[which], None if self.valid is None else self.valid[which])


@dataclass(frozen=True, slots=True)
class Cells:
    """Sorted by (place, group), each pair once; a place is a pane or a window. One state for each function."""

    place: Rows
    group: Rows
    states: tuple[State, ...]

    @classmethod
    def of(cls, functions: Sequence[Algebra], place: Rows, group: Rows, inputs: Sequence[Input]) -> Cells:
        """Aggregate events. O(n) where places and groups are dense, else O(n log n)."""
        slot, position, slots = slots_of([place, group])
        states = tuple(
            fold(function, each.values, each.valid, slot, slots)
            for function, each in zip(functions, inputs, strict=True)
        )
        occurs = np.flatnonzero(position >= 0)
        if len(occurs) < slots:
            position, states = position[occurs], tuple(taken(state, occurs) for state in states)
        return cls(place[position], group[position], states)

    @classmethod
    def none(cls, functions: Sequence[Algebra]) -> Cells:
        """No cells."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty, tuple(function.lift(empty, None) for function in functions))

    def __len__(self) -> int:
        return len(self.place)

    def __getitem__(self, which: Any) -> Cells:
        return Cells(self.place[which], self.group[which], tuple(taken(state, which) for state in self.states))

    @classmethod
    def concat(cls, parts: Sequence[Cells]) -> Cells:
        """Put cells one after the other, given that the places of each lie behind those of the one before."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.place for part in parts]),
            np.concatenate([part.group for part in parts]),
            tuple(map(joined_states, zip(*(part.states for part in parts), strict=True))),
        )

    def by_group(self, functions: Sequence[Algebra]) -> Cells:
        """Combine the cells of each group, whatever their places: all get place 0."""
        place = np.zeros(len(self), np.int64)
        if len(self) < 2 or (self.group[1:] > self.group[:-1]).all():
            return Cells(place, self.group, self.states)
        order = stable_order(self.group)
        group = self.group[order]
        begins = np.diff(group, prepend=-1) != 0
        ends = np.append(np.flatnonzero(begins)[1:], len(group)) - 1
        states = tuple(
            taken(scan(function, taken(state, order), begins), ends)
            for function, state in zip(functions, self.states, strict=True)
        )
        return Cells(place[ends], group[ends], states)

    def merged(self, other: Cells, functions: Sequence[Algebra]) -> Cells:
        """Combine with other cells: those of the same place and group become one. O(n) but for a search."""
        if not len(self) or not len(other):
            return self if len(self) else other
        mine, theirs = _keys(self, other)
        at = np.searchsorted(mine, theirs)
        known = mine[np.minimum(at, len(mine) - 1)] == theirs
        again = np.flatnonzero(known)
        source = (
            None if known.all() else np.insert(np.arange(len(mine)), at[~known], len(mine) + np.flatnonzero(~known))
        )
        states = []
        for function, own, new in zip(functions, self.states, other.states, strict=True):
            both = function.combine(taken(own, at[again]), taken(new, again))
            changed = (replaced(column, at[again], entry) for column, entry in zip(own, both, strict=True))
            states.append(tuple(_spliced(*pair, source) for pair in zip(changed, new, strict=True)))
        place, group = (_spliced(*pair, source) for pair in ((self.place, other.place), (self.group, other.group)))
        return Cells(place, group, tuple(states))


def _keys(left: Cells, right: Cells) -> tuple[Rows, Rows]:
    """Return one number for each cell that orders the cells of both by (place, group)."""
    groups = int(max(left.group.max(), right.group.max())) + 1
    low = int(min(left.place[0], right.place[0]))
    span = int(max(left.place[-1], right.place[-1])) - low + 1
    if span * groups < 2**62:
        return (left.place - low) * groups + left.group, (right.place - low) * groups + right.group
    places = np.unique(np.concatenate((left.place, right.place)))
    ranks = np.searchsorted(places, left.place), np.searchsorted(places, right.place)
    return ranks[0] * groups + left.group, ranks[1] * groups + right.group


def _spliced(own: Any, new: Any, source: Rows | None) -> Any:
    """Return entries of both, in the order of `source`; None: all of our own."""
    return own if source is None else concatenated([own, new])[source]
