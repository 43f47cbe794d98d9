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
        self._asked: int | None = state.get("asked")  # the part up to which `worst` was last asked for
        self._open_made, self._open_missed = (  # since then
            [(part, count) for part, count in told] for told in state.get("open", ([], []))
        )

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
        _append(self._open_made, results)

    def miss(self, results: Iterable[tuple[int, float]]) -> None:
        """Take in how many results of a part are now known to be missed."""
        _append(self._open_missed, results)

    def worst(self, until: int, *, intervals: int = 1) -> float:
        """Return the worst recall of which there is news, now that the join's time is this one; nan if there is none.

        That of the last period always is; earlier ones have to be whole, since the first few results say little. Where
        several `intervals` end at once, as with every micro-batch, so is that of each period since the last question.
        """
        end = until // self._part
        is_far = self._asked is not None and end - self._asked > _PARTS
        share = self._worst_since(end) if intervals > 1 or is_far else None
        self._settle()
        self._advance(end)
        share = self._worst_of_news() if share is None else share
        self._asked, self._news = end, None
        return share

    def _worst_of_news(self) -> float:
        assert self._last is not None
        if self._news is None or self._first is None:
            return _share(sum(self._made[_PARTS:]), sum(self._missed[_PARTS:]))
        whole = self._last - self._first - _PARTS + 2
        parts = max(min(self._last - self._news + 1, _PARTS, whole), 1)
        made, missed = ([0.0, *accumulate(each)] for each in (self._made, self._missed))
        ends = range(_KEPT - parts + 1, _KEPT + 1)
        found = [_share(made[end] - made[end - _PARTS], missed[end] - missed[end - _PARTS]) for end in ends]
        return min((each for each in found if not isnan(each)), default=nan)

    def _worst_since(self, end: int) -> float:
        """Return the worst of all periods since the last question, up to this part. O(n log n) for n parts told of."""
        parts, counts = self._remembered()
        ends = self._ends(parts, end)
        total = np.vstack((np.zeros(2), np.cumsum(counts, axis=0)))
        within = total[np.searchsorted(parts, ends, "right")] - total[np.searchsorted(parts, ends - _PARTS, "right")]
        return min((_share(*each) for each in within.tolist() if any(each)), default=nan)

    def _remembered(self) -> tuple[Rows, Floats]:
        """Return all parts of which something is known, in order, with what was made and missed of each."""
        known = np.array([self._made, self._missed]).T
        held = np.flatnonzero(known.any(axis=1))
        told = [(part, count, 0.0) for part, count in self._open_made]
        told += [(part, 0.0, count) for part, count in self._open_missed]
        begin = 0 if self._last is None else self._last - _KEPT + 1
        parts = np.append(held + begin, np.array([part for part, _, _ in told], np.int64))
        order = np.argsort(parts, kind="stable")
        counts = np.array([each for _, *each in told]).reshape(-1, 2)
        return parts[order], np.vstack((known[held], counts))[order]

    def _ends(self, parts: Rows, end: int) -> Rows:
        """Return the last parts of periods that have different results, and have ended or are news: whole ones."""
        if not len(parts):
            return np.array([end])
        first = int(parts[0]) if self._first is None else min(self._first, int(parts[0]))
        since = [first if self._asked is None else self._asked + 1, *(part for part, _ in self._open_missed)]
        known = first if self._last is None else max(first, self._last - _KEPT + 1)
        begin = max(min(since), known + _PARTS - 1)
        ends = np.unique(np.concatenate(([begin], parts, parts + _PARTS)))
        return np.append(ends[(ends >= begin) & (ends < end)], end)

    def _settle(self) -> None:
        """Add up what was told since the last question."""
        self._add(self._made, self._open_made)
        for part, count in self._open_missed:
            self._add(self._missed, [(part, count)])
            self._news = part if self._news is None else min(self._news, part)
        self._open_made, self._open_missed = [], []

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        counts = pack(np.array(self._made + self._missed))
        known = {"last": self._last, "news": self._news, "first": self._first, "asked": self._asked}
        return {
            "counts": counts,
            **known,
            "open": [list(map(list, self._open_made)), list(map(list, self._open_missed))],
        }

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


def _append(told: list[tuple[int, float]], results: Iterable[tuple[int, float]]) -> None:
    """Add what is told of parts; one that was told of last is the same part still."""
    for part, count in results:
        if told and told[-1][0] == part:
            told[-1] = (part, told[-1][1] + count)
        else:
            told.append((part, count))


def _told(interval: Rows, part: Times, count: Rows | Floats, intervals: int) -> Told:
    told: Told = [[] for _ in range(intervals)]
    for number, place, results in zip(interval.tolist(), part.tolist(), count.tolist(), strict=True):
        told[number].append((place, results))
    return told


def _share(made: float, missed: float) -> float:
    return made / (made + missed) if made + missed else nan
