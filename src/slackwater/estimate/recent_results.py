"""The recent windows of an aggregate: how many of their results every slack keeps within a bound, and how many were."""

from __future__ import annotations

from typing import Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack
from slackwater.estimate.needed_slack import bins_within
from slackwater.events import Rows
from slackwater.measurement import RecentWindows

_OPEN = -1  # of a window that has not been emitted yet
_TWICE = 2  # how many times as old as its wait a window must be for what was missed to be known


class RecentResults:
    """Remembers the last `most` windows. O(windows x bins) for each that is added.

    >>> recent = RecentResults(most=10, youngest=5)
    >>> recent.update(100, np.array([0, 0, 3]))
    >>> recent.emitted(100, 0)
    >>> found = recent.get(clock=105)
    >>> found.results.tolist(), found.kept.tolist(), found.share
    ([3.0], [[2.0, 2.0, 2.0, 3.0]], 0.6666666666666666)
    """

    def __init__(self, *, most: int, youngest: int, state: dict[str, Any] | None = None) -> None:
        self._most, self._youngest = most, youngest
        state = state or {}
        self._end = np.array(state.get("end", []), np.int64)
        self._waited = np.array(state.get("waited", []), np.int64)  # in us; _OPEN before it is emitted
        self._known = np.array(state.get("known", []), np.bool_)  # whether its share has been counted as due
        width = state.get("width", 1)
        needed = unpack(state["needed"], np.int32) if "needed" in state else np.zeros(0, np.int32)
        self._kept: Floats = np.cumsum(needed.reshape(len(self._end), width), axis=1).astype(np.float64)
        self._changed: bool = state.get("changed", False)
        self._pending: tuple[float, float] = tuple(state.get("pending", (0.0, 0.0)))
        self._early = {int(end): waited for end, waited in state.get("early", {}).items()}  # emitted, not yet judged

    def update(self, end: int, bins: Rows) -> None:
        """Take in what the results of a window need, in bins of slack; anew if the window is known."""
        kept = np.cumsum(np.bincount(bins)).astype(np.float64)
        self._changed = True
        self._make_room(end)
        place = int(np.searchsorted(self._end, end))
        if place == len(self._end) or self._end[place] != end:
            return  # older than all that is remembered
        if len(kept) > self._kept.shape[1]:
            more = len(kept) - self._kept.shape[1]
            self._kept = np.pad(self._kept, ((0, 0), (0, more)), mode="edge")
        self._kept[place, : len(kept)] = kept
        self._kept[place, len(kept) :] = kept[-1]

    def emitted(self, end: int, waited: int) -> None:
        """Take in that a window was emitted when the clock was so far past its end."""
        place = int(np.searchsorted(self._end, end))
        if place < len(self._end) and self._end[place] == end:
            self._waited[place] = waited
        elif len(self._end) < self._most or end > self._end[0]:  # an older one would not be remembered
            self._early[end] = waited

    def forget(self, before: int) -> None:
        """Forget what was emitted of windows that end before a time, if they were not judged by now."""
        self._early = {end: waited for end, waited in self._early.items() if end >= before}

    def get(self, clock: int) -> RecentWindows:
        """Return what is known at a clock; `due` and `made` count what has become known since `told`."""
        age, results = clock - self._end, self._kept[:, -1].copy()
        known = (self._waited != _OPEN) & (age >= np.maximum(_TWICE * self._waited, self._youngest))
        covered = np.minimum(bins_within(np.maximum(self._waited, 0)), self._kept.shape[1] - 1)
        made = self._kept[np.arange(len(age)), covered]
        new = known & ~self._known
        self._known |= known
        due, done = self._pending
        self._pending = due + float(results[new].sum()), done + float(made[new].sum())
        kept = self._kept.view()
        kept.flags.writeable = False  # it is large, and handed out as it is
        reached = float(results[known].sum()), float(made[known].sum())
        return RecentWindows(age, results, kept, *reached, *self._pending, self._changed)

    def told(self) -> None:
        """Begin to count anew what becomes known."""
        self._pending, self._changed = (0.0, 0.0), False

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {
            "end": self._end.tolist(),
            "waited": self._waited.tolist(),
            "known": self._known.tolist(),
            "width": self._kept.shape[1],
            "needed": pack(np.diff(self._kept, prepend=0, axis=1).astype(np.int32)),  # whole numbers, mostly zeros
            "pending": list(self._pending),
            "changed": self._changed,
            "early": {str(end): waited for end, waited in self._early.items()},
        }

    def _make_room(self, end: int) -> None:
        """Insert a window that is not known yet, and forget the oldest where there are too many."""
        place = int(np.searchsorted(self._end, end))
        if place < len(self._end) and self._end[place] == end:
            return
        self._end = np.insert(self._end, place, end)
        self._waited = np.insert(self._waited, place, self._early.pop(end, _OPEN))
        self._known = np.insert(self._known, place, False)
        self._kept = np.insert(self._kept, place, 0.0, axis=0)
        if len(self._end) > self._most:
            self._end, self._waited, self._known = self._end[1:], self._waited[1:], self._known[1:]
            self._kept = self._kept[1:]
            self._early = {end: waited for end, waited in self._early.items() if end > self._end[0]}
