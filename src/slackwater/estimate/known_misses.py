"""The recall of the last period, and of earlier ones of which more has become known: the worst of them."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

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
        self._made, self._lost = counts[:_KEPT].tolist(), counts[_KEPT:].tolist()
        self._last: int | None = state.get("last")  # the number of the last part
        self._news: int | None = state.get("news")  # of the first part with a miss that has become known
        self._first: int | None = state.get("first")  # of all parts that have results

    def by_part(
        self, interval: Rows, time: Times, count: Rows | Floats, intervals: int
    ) -> list[list[tuple[int, float]]]:
        """Add up counts by part: what each interval has, in the order of `interval`, which does not go back."""
        told: list[list[tuple[int, float]]] = [[] for _ in range(intervals)]
        if len(time):
            part = time // self._part
            starts = np.flatnonzero(np.append(True, (np.diff(part) != 0) | (np.diff(interval) != 0)))
            sums = np.add.reduceat(count, starts).tolist()
            for number, place, total in zip(interval[starts].tolist(), part[starts].tolist(), sums, strict=True):
                told[number].append((place, total))
        return told

    def by_edges(self, ends: Rows, level: Times, last_level: int, total: Floats) -> list[list[tuple[int, float]]]:
        """Return the same for counts of ascending times, of which `ends` says where each interval but the last ends.

        `level` are the times but for the last one; `total` is the sum of all counts before each, and of all. O(log n)
        for each interval and part.
        """
        told: list[list[tuple[int, float]]] = [[] for _ in range(len(ends) + 1)]
        last = last_level // self._part
        first = int(level[0]) // self._part if len(level) else last
        parts = np.arange(first, last + 1) if last - first < _KEPT + len(level) else np.unique(level // self._part)
        of_last = (
            len(level) if last_level // self._part > int(level[-1] if len(level) else last_level) // self._part else 0
        )
        cuts = np.unique(np.concatenate((ends, np.searchsorted(level, parts * self._part), [of_last, len(level) + 1])))
        starts = np.append(0, cuts[:-1])
        counts = (total[cuts] - total[starts]).tolist()
        places = [int(level[start] if start < len(level) else last_level) // self._part for start in starts.tolist()]
        for number, part, count in zip(
            np.searchsorted(ends, starts, side="right").tolist(), places, counts, strict=True
        ):
            if count:
                told[number].append((part, count))
        return told

    def made(self, results: Iterable[tuple[int, float]]) -> None:
        """Take in how many results of a part were made."""
        self._add(self._made, results)

    def miss(self, results: Iterable[tuple[int, float]]) -> None:
        """Take in how many results of a part are now known to be missed."""
        for part, count in results:
            self._add(self._lost, [(part, count)])
            self._news = part if self._news is None else min(self._news, part)

    def worst(self, until: int) -> float:
        """Return the worst recall of which there is news, now that the join's time is this one; nan if there is none.

        That of the last period always is; earlier ones have to be whole, since the first few results say little.
        """
        self._advance(until // self._part)
        assert self._last is not None
        if self._news is None or self._first is None:
            return _share(sum(self._made[_PARTS:]), sum(self._lost[_PARTS:]))
        whole = self._last - self._first - _PARTS + 2
        parts, self._news = max(min(self._last - self._news + 1, _PARTS, whole), 1), None
        made, lost = ([0.0, *accumulate(each)] for each in (self._made, self._lost))
        ends = range(_KEPT - parts + 1, _KEPT + 1)
        found = [_share(made[end] - made[end - _PARTS], lost[end] - lost[end - _PARTS]) for end in ends]
        return min((each for each in found if each == each), default=float("nan"))

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        counts = pack(np.array(self._made + self._lost))
        return {"counts": counts, "last": self._last, "news": self._news, "first": self._first}

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
        for counts in (self._made, self._lost):
            counts[:] = counts[gone:] + [0.0] * gone
        self._last = part


def _share(made: float, lost: float) -> float:
    return made / (made + lost) if made + lost else float("nan")
