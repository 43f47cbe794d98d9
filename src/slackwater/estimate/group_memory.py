"""What is known of each group beyond the windows that are open: how many events it usually has, and how late they are.

A group with few events says little about itself: what is known of all groups then counts more (a Gamma prior on its
rate, whose strength is how much groups were found to vary). The codes of groups may change between calls, as they do on
Spark: `renamed` gives the same memory under other codes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack
from slackwater.events import Rows

FORGET = 0.5 ** (1 / 32)  # what a window weighs after the next one
CAUTION = 30.0  # events that must have been missing before a group's own completeness counts for half
ROWS, CAME, FORESEEN = range(3)
LEAST = 1e-3  # events: groups that have less left are forgotten
EVEN, UNEVEN = 1e4, 0.1  # bounds of the strength of the prior


class GroupMemory:
    """Averages over the last windows, for each group that had events in them. O(groups) for each window.

    >>> memory = GroupMemory()
    >>> for _ in range(50):
    ...     memory.update(np.array([3, 8]), np.array([30.0, 10.0]))
    >>> memory.shares(np.array([3, 8, 9])).round(2).tolist()
    [0.75, 0.25, 0.0]
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        self._groups: Rows = unpack(state["groups"], np.int64) if state else np.empty(0, np.int64)
        self._columns: Floats = unpack(state["columns"], np.float64).reshape(3, -1) if state else np.empty((3, 0))
        self._spread: list[float] = list(state["spread"]) if state else [0.0, 0.0]

    def update(self, groups: Rows, rows: Floats) -> None:
        """Take in a final window: how many events each of its groups had; groups are sorted, each once."""
        self._learn_spread(groups, rows)
        self._columns *= FORGET
        self._insert(groups)
        self._columns[ROWS, np.searchsorted(self._groups, groups)] += rows
        kept = self._columns[ROWS] > LEAST
        self._groups, self._columns = self._groups[kept], self._columns[:, kept]

    def learn(self, groups: Rows, came: Floats, foreseen: Floats) -> None:
        """Take in how many events of some groups came after an early result, and how many were foreseen."""
        self._insert(np.unique(groups))
        at = np.searchsorted(self._groups, groups)
        np.add.at(self._columns[CAME], at, came)
        np.add.at(self._columns[FORESEEN], at, foreseen)

    def shares(self, groups: Rows) -> Floats:
        """Return which share of the events of recent windows was of each group; 0 for those that had none."""
        total = float(self._columns[ROWS].sum())
        return self._of(groups, ROWS) / total if total else np.zeros(len(groups))

    def strength(self, groups: Rows) -> Floats:
        """Return how many events of its own weigh as much as what is known of a group from before."""
        beyond, squares = self._spread
        varies = beyond / squares if squares else 1.0
        own: Floats = 1 / (np.clip(varies, 1 / EVEN, 1 / UNEVEN) + 1 / np.maximum(self._of(groups, ROWS), 1e-9))
        return own

    def lateness(self, groups: Rows) -> Floats:
        """Return by which factor more events were missing of each group than of all."""
        came, foreseen = float(self._columns[CAME].sum()), float(self._columns[FORESEEN].sum())
        usual = came / foreseen if came and foreseen else 1.0
        own: Floats = (CAUTION + self._of(groups, CAME) / usual) / (CAUTION + self._of(groups, FORESEEN))
        return own

    def renamed(self, codes: Rows) -> GroupMemory:
        """Return the same memory where the group at each place of `groups` has this code instead."""
        order = np.argsort(codes)
        other = GroupMemory()
        other._groups, other._columns = codes[order], self._columns[:, order]
        other._spread = list(self._spread)
        return other

    @property
    def groups(self) -> Rows:
        """The groups that are known, sorted."""
        return self._groups

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"groups": pack(self._groups), "columns": pack(self._columns), "spread": list(self._spread)}

    def _learn_spread(self, groups: Rows, rows: Floats) -> None:
        """Compare counts with what was expected: beyond chance, their squares say how much groups vary."""
        expected = self.shares(groups) * float(rows.sum())
        known = expected > 0
        off = float(((rows[known] - expected[known]) ** 2 - expected[known]).sum())
        self._spread[0] = max(self._spread[0] * FORGET + off, 0.0)
        self._spread[1] = self._spread[1] * FORGET + float((expected[known] ** 2).sum())

    def _insert(self, groups: Rows) -> None:
        new = groups[~np.isin(groups, self._groups, assume_unique=True)]
        if len(new):
            at = np.searchsorted(self._groups, new)
            self._groups = np.insert(self._groups, at, new)
            self._columns = np.insert(self._columns, at, 0.0, axis=1)

    def _of(self, groups: Rows, column: int) -> Floats:
        if not len(self._groups):
            return np.zeros(len(groups))
        at = np.minimum(np.searchsorted(self._groups, groups), len(self._groups) - 1)
        found: Floats = np.where(self._groups[at] == groups, self._columns[column, at], 0.0)
        return found
