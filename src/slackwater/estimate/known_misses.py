"""The recall of the last period, and of earlier ones of which more has become known: the worst of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import pack, unpack

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

_PARTS = 64  # of a period
_KEPT = 2 * _PARTS  # for how long a miss changes what is known of a period


class KnownMisses:
    """Remembers the results of the last two periods by their event time, in us: how many were made, and were missed.

    A miss is known once the member has come that was too late, which may be long after the results of its time. Then
    every period that it falls into is looked at again. Periods end with a 64th of themselves, so that nothing depends
    on when results were told. O(1) for each interval, and O(n) for n times.

    >>> known = KnownMisses(period=640)
    >>> known.made(np.array([500, 501, 502]), np.array([1, 1, 1]))
    >>> known.worst(510)
    1.0
    >>> known.miss(np.array([499]), np.array([1.0]))
    >>> known.made(np.array([1_600]), np.array([5]))
    >>> known.worst(1_600)  # of the period up to 510; the one up to 1,600 has all of its 5 results
    0.75
    >>> known.worst(1_610)
    1.0
    """

    def __init__(self, period: int, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._part = max(period // _PARTS, 1)
        counts = unpack(state["counts"], np.float64) if "counts" in state else np.zeros(2 * _KEPT)
        self._made, self._lost = counts.reshape(2, _KEPT)
        self._last: int | None = state.get("last")  # the number of the last part
        self._news: int | None = state.get("news")  # of the first part with a miss that has become known

    def made(self, time: Times, count: Floats | Rows) -> None:
        """Take in results, not later than the join's time."""
        self._add(self._made, time, count)

    def miss(self, time: Times, count: Floats) -> None:
        """Take in misses that have become known."""
        if len(time):
            self._add(self._lost, time, count)
            first = int(time.min()) // self._part
            self._news = first if self._news is None else min(self._news, first)

    def worst(self, until: int) -> float:
        """Return the worst recall of which there is news, now that the join's time is this one; nan if there is none.

        That of the last period always is.
        """
        self._advance(until // self._part)
        assert self._last is not None
        parts = 1 if self._news is None else min(self._last - self._news + 1, _PARTS)
        self._news = None
        made, lost = (np.cumsum(each) for each in (self._made, self._lost))
        made, lost = (each[-parts:] - each[-parts - _PARTS : _KEPT - _PARTS] for each in (made, lost))
        due = made + lost
        return float((made[due > 0] / due[due > 0]).min(initial=1.0)) if due.any() else float("nan")

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"counts": pack(np.append(self._made, self._lost)), "last": self._last, "news": self._news}

    def _add(self, counts: Floats, time: Times, count: Floats | Rows) -> None:
        if not len(time):
            return
        part = time // self._part
        self._advance(int(part.max()))
        assert self._last is not None
        place = part - self._last + _KEPT - 1
        kept = place >= 0
        counts += np.bincount(place[kept], weights=count[kept], minlength=_KEPT)

    def _advance(self, part: int) -> None:
        """Let a part be the last one, unless there is a later one."""
        if self._last is not None and part <= self._last:
            return
        gone = _KEPT if self._last is None else min(part - self._last, _KEPT)
        for counts in (self._made, self._lost):
            counts[: _KEPT - gone] = counts[gone:].copy()
            counts[_KEPT - gone :] = 0
        self._last = part
