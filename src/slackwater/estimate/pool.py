"""What buckets report of their adaptation intervals, and their sum: as if one operator had seen all of it.

A report has one row for each bin of slack, so its size does not depend on how many events there were. Reports of
several buckets, or of several batches, are added by putting equal bins together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import pack, unpack
from slackwater.estimate.needed_slack import bin_of
from slackwater.measurement import NeededSlacks, Numbers
from slackwater.time import intervals_passed

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

OF_RESULTS = -1  # the part that is not a stream


@dataclass(frozen=True, slots=True)
class Statistics:
    """Results by what they needed, and events by how far they lagged; one row for each bin that is not empty."""

    interval: Rows  # its number
    part: Rows  # the number of a stream, for lags of its events (0 for those that came in time), or OF_RESULTS
    slack: Times  # the largest in its bin, so that the bin is known and the longest lag exact
    weight: Numbers  # how many results or events
    made: Numbers  # how many of the results were produced, in one row for all of them

    @classmethod
    def none(cls) -> Statistics:
        """Nothing happened."""
        empty, nothing = np.empty(0, np.int64), np.empty(0)
        return cls(empty, empty, empty, nothing, nothing)

    @classmethod
    def of(cls, needs: NeededSlacks, interval: int) -> Statistics:
        """Count what happened in an interval, or a part of one."""
        made = np.zeros(len(needs.slack))
        made[:1] = needs.made
        parts = [_rows(interval, OF_RESULTS, needs.slack, needs.weight, made)]
        for stream, (lags, events) in enumerate(zip(needs.lags, needs.events, strict=True)):
            weight = needs.lag_weights[stream] if needs.lag_weights else np.ones(len(lags))
            slack, weight = np.append(lags, 0), np.append(weight, events - weight.sum())
            parts.append(_rows(interval, stream, slack, weight, np.zeros(len(slack))))
        return cls.sum(parts)

    @classmethod
    def sum(cls, parts: Sequence[Statistics]) -> Statistics:
        """Add up statistics: equal bins of the same interval and part become one row."""
        parts = [cls.none(), *parts]
        whole = cls(*map(np.concatenate, zip(*(part.columns() for part in parts), strict=True)))
        if not len(whole):
            return whole
        keys = np.stack([bin_of(whole.slack), whole.part, whole.interval])
        order = np.lexsort(keys)
        starts = np.flatnonzero(np.append(True, np.any(np.diff(keys[:, order]), axis=0)))
        interval, part, slack, weight, made = (column[order] for column in whole.columns())
        return cls(
            interval[starts],
            part[starts],
            np.maximum.reduceat(slack, starts),
            np.add.reduceat(weight, starts),
            np.add.reduceat(made, starts),
        )

    def columns(self) -> tuple[Any, ...]:
        """Return the columns in the order of the fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def __len__(self) -> int:
        return len(self.interval)

    def __getitem__(self, which: Any) -> Statistics:
        return Statistics(*(column[which] for column in self.columns()))

    def needs(self, streams: int) -> NeededSlacks:
        """Return the same as a controller sees it; the recall is not known here."""
        results = self[self.part == OF_RESULTS]
        of_streams = [self[self.part == stream] for stream in range(streams)]
        late = [own[own.slack > 0] for own in of_streams]
        return NeededSlacks(
            slack=results.slack,
            weight=results.weight,
            lags=tuple(own.slack for own in late),
            events=tuple(round(float(own.weight.sum())) for own in of_streams),
            recall=None,
            made=float(results.made.sum()),
            lag_weights=tuple(own.weight for own in late),
        )


class Pool:
    """Adds up reports by interval. Nobody is waited for: the fastest clock closes intervals.

    What a bucket that is behind reports of a closed interval counts in the first one that is still open, so that
    nothing is lost. Holds what no clock has left yet: O(bins).

    >>> pool = Pool(interval=10, streams=1)
    >>> needs = NeededSlacks(np.array([4]), np.ones(1), (np.array([4]),), (3,), None)
    >>> pool.update([Statistics.of(needs, interval=0)])
    >>> [(at, each.events) for at, each in pool.close(clock=12)]
    [(10, (3,))]
    """

    def __init__(self, interval: int, streams: int, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        state = state if state.get("length", interval) == interval else {}  # other intervals have other numbers
        self._interval, self._streams = interval, streams
        self._first: int | None = state.get("first")  # the first interval that is open
        self._open = _unpacked(state["open"]) if "open" in state else Statistics.none()

    def update(self, reports: Sequence[Statistics]) -> None:
        """Take in what buckets report."""
        added = Statistics.sum([self._open, *reports])
        if self._first is not None:
            added = replace(added, interval=np.maximum(added.interval, self._first))
        self._open = Statistics.sum([added])

    def close(self, clock: int) -> list[tuple[int, NeededSlacks]]:
        """Return each interval that the fastest clock has left and anyone reported of, with the time of its end."""
        now = int(intervals_passed(clock, self._interval))
        self._first = now if self._first is None else max(now, self._first)
        left, self._open = self._open[self._open.interval < self._first], self._open[self._open.interval >= self._first]
        numbers = np.unique(left.interval).tolist()
        return [
            ((number + 1) * self._interval, left[left.interval == number].needs(self._streams)) for number in numbers
        ]

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"length": self._interval, "first": self._first, "open": [pack(each) for each in self._open.columns()]}


def _rows(interval: int, part: int, slack: Times, weight: Numbers, made: Numbers) -> Statistics:
    numbers = np.full((2, len(slack)), [[interval], [part]], np.int64)
    return Statistics(numbers[0], numbers[1], slack, weight, made)


def _unpacked(columns: Sequence[str]) -> Statistics:
    interval, part, slack = (unpack(each, np.int64) for each in columns[:3])
    weight, made = (unpack(each, np.float64) for each in columns[3:])
    return Statistics(interval, part, slack, weight, made)
