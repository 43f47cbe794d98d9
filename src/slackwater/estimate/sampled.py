"""Every so many-th value of the recent past, and the pace of events: what KIM Algorithm 1 estimates from."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slackwater.estimate.arrays import pack, unpack

if TYPE_CHECKING:
    from slackwater.time import Times


class Pace(NamedTuple):
    """What the equations of KIM need, in us."""

    deviation: float  # of delays: sigma
    gap: float  # between events: theta


class Sampled:
    """Keeps the last `most` samples, of which every `every`-th value is one, from the first on.

    >>> sampled = Sampled(every=2, most=2)
    >>> sampled.update(np.array([1, 9, 3, 9, 5]))
    >>> sampled.get().tolist(), sampled.seen
    ([3, 5], 5)
    """

    def __init__(self, *, every: int, most: int, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._every, self._most = every, most
        self._seen: int = state.get("seen", 0)
        self._values: Times = unpack(state["values"], np.int64) if "values" in state else np.empty(0, np.int64)

    def update(self, values: Times) -> None:
        """Take in values in the order in which they came."""
        first = -self._seen % self._every
        self._seen += len(values)
        self._values = np.concatenate((self._values, values[first :: self._every]))[-self._most :]

    @property
    def seen(self) -> int:
        """How many values there were."""
        return self._seen

    def get(self) -> Times:
        """Return the samples, the oldest first."""
        return self._values

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"seen": self._seen, "values": pack(self._values)}


def pace_of(delays: Times, arrivals: Times, every: int) -> Pace:
    """Return sigma and theta of two samples or more: delays, and the times of arrival of the same events.

    >>> pace_of(np.array([1, 3, 5]), np.array([10, 12, 14]), every=2)
    Pace(deviation=2.0, gap=1.0)
    """
    span = float(arrivals[-1] - arrivals[0])
    return Pace(float(np.std(delays, ddof=1)), span / (len(arrivals) - 1) / every)


class ClockPace:
    """By how much the clock moves on for each event, over the last `events` of them; asked at boundaries.

    Unlike `pace_of` it needs no times of arrival, and does not depend on how a stream is cut into batches.

    >>> pace = ClockPace(events=10)
    >>> [pace.update(clock, seen) for clock, seen in ((100, 1), (150, 6), (350, 11))]
    [0.0, 10.0, 25.0]
    """

    def __init__(self, events: int, state: list[list[int]] | None = None) -> None:
        self._events = events
        self._boundaries = deque((int(clock), int(seen)) for clock, seen in state or [])

    def update(self, clock: int, seen: int) -> float:
        """Take in a boundary: the clock, and how many events there were from the start; return the gap, 0 at first."""
        self._boundaries.append((clock, seen))
        while len(self._boundaries) > 2 and self._boundaries[1][1] <= seen - self._events:
            self._boundaries.popleft()
        since, before = self._boundaries[0]
        return (clock - since) / (seen - before) if seen > before else 0.0

    def snapshot(self) -> list[list[int]]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return [list(each) for each in self._boundaries]
