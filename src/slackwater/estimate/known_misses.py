"""The recall of the last period, and of earlier ones of which more has become known: the worst of them."""

from __future__ import annotations

from itertools import accumulate
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

    Told: TypeAlias = list[list[tuple[int, float]]]  # of each interval: parts by number, with counts

_PARTS = 64  # of a period
_KEPT = 2 * _PARTS  # for how long a miss changes what is known of a period


class KnownMisses:
    """Remembers the results of the last two periods by their event time, in us: how many were made, and were missed.

    A miss is known once the member has come that was too late, which may be long after the results of its time. Then
    every period that it falls into is looked at again. Periods end with a 64th of themselves, a *part*, so that nothing
    depends on when results were told. O(1) for each interval and each part that it tells of.

    >>> known = KnownMisses(period=640)
    >>> known.made([(50, 3)])
    >>> known.worst(510)
    1.0
    >>> known.miss([(49, 1)])
    >>> known.made([(160, 5)])
    >>> known.worst(1_600)  # of the period up to 1,130; the one up to 1,600 has all of its 5 results
    0.75
    >>> known.worst(1_610)
    1.0
    """

    def __init__(self, period: int, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._part = max(period // _PARTS, 1)
        counts = unpack(state["counts"], np.float64) if "counts" in state else np.zeros(2 * _KEPT)
        self._made, self._missed = counts[:_KEPT].tolist(), counts[_KEPT:].tolist()
        self._last: int | None = state.get("last")  # the number of the last part
        self._news: int | None = state.get("news")  # of the first part with a miss that has become known
        self._first: int | None = state.get("first")  # of all parts that have results

    def by_part(self, interval: Rows, time: Times, count: Rows | Floats, intervals: int) -> Told:
        """Add up counts by part: what each interval has, in the order of `interval`, which does not go back."""
        if not len(time):
            return [[] for _ in range(intervals)]
        part = time // self._part
        starts = np.flatnonzero(np.append(True, (np.diff(part) != 0) | (np.diff(interval) != 0)))
        return _told(interval[starts], part[starts], np.add.reduceat(count, starts), intervals)

    def ascending_by_part(self, ends: Rows, time: Times, total: Floats) -> Told:
        """Return the same for times that do not go back, at least one; `ends` is where each interval but the last ends.

        `total` is the sum of all counts before each time, and of all. Nothing is told of parts whose count is 0.
        O(log n) for each interval and part; O(n log n) where there are far more parts than times.
        """
        edges = np.searchsorted(time, self._parts_of(time) * self._part)
        cuts = np.unique(np.concatenate(([0], ends, edges, [len(time)])))
        starts, count = cuts[:-1], np.diff(total[cuts])
        starts, count = starts[count != 0], count[count != 0]
        interval = np.searchsorted(ends, starts, side="right")
        return _told(interval, time[starts] // self._part, count, len(ends) + 1)

    def made(self, results: Iterable[tuple[int, float]]) -> None:
        """Take in how many results of a part were made."""
        self._add(self._made, results)

    def miss(self, results: Iterable[tuple[int, float]]) -> None:
        """Take in how many results of a part are now known to be missed."""
        for part, count in results:
            self._add(self._missed, [(part, count)])
            self._news = part if self._news is None else min(self._news, part)

    def worst(self, until: int) -> float:
        """Return the worst recall of which there is news, now that the join's time is this one; nan if there is none.

        That of the last period always is; earlier ones have to be whole, since the first few results say little.
        """
        self._advance(until // self._part)
        assert self._last is not None
        if self._news is None or self._first is None:
            return _share(sum(self._made[_PARTS:]), sum(self._missed[_PARTS:]))
        whole = self._last - self._first - _PARTS + 2
        parts, self._news = max(min(self._last - self._news + 1, _PARTS, whole), 1), None
        made, missed = ([0.0, *accumulate(each)] for each in (self._made, self._missed))
        ends = range(_KEPT - parts + 1, _KEPT + 1)
        found = [_share(made[end] - made[end - _PARTS], missed[end] - missed[end - _PARTS]) for end in ends]
        return min((each for each in found if not isnan(each)), default=nan)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        counts = pack(np.array(self._made + self._missed))
        return {"counts": counts, "last": self._last, "news": self._news, "first": self._first}

    def _parts_of(self, time: Times) -> Times:
        """Return all parts that ascending times are in, and some without any unless they are many: a long silence."""
        first, last = int(time[0]) // self._part, int(time[-1]) // self._part
        return np.arange(first, last + 1) if last - first < _KEPT + len(time) else np.unique(time // self._part)

    def _add(self, counts: list[float], results: Iterable[tuple[int, float]]) -> None:
        for part, count in results:
            self._advance(part)
            self._first = part if self._first is None else min(self._first, part)
            assert self._last is not None
            if part > self._last - _KEPT:
                counts[part - self._last - 1] += count

    def _advance(self, part: int) -> None:
        """Let a part be the last one, unless there is a later one."""
        if self._last is not None and part <= self._last:
            return
        gone = _KEPT if self._last is None else min(part - self._last, _KEPT)
        for counts in (self._made, self._missed):
            counts[:] = counts[gone:] + [0.0] * gone
        self._last = part


def _told(interval: Rows, part: Times, count: Rows | Floats, intervals: int) -> Told:
    told: Told = [[] for _ in range(intervals)]
    for number, place, results in zip(interval.tolist(), part.tolist(), count.tolist(), strict=True):
        told[number].append((place, results))
    return told


def _share(made: float, missed: float) -> float:
    return made / (made + missed) if made + missed else nan
