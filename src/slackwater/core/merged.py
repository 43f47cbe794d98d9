"""What the arrival of events does to the clocks of several streams at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from slackwater.core.arrivals import Arrivals
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Behind:
    """Those events of one stream that came behind the slowest clock, in the order in which they came."""

    position: Rows  # among the events of their stream
    step: Rows
    lag: Times  # how far behind

    def __len__(self) -> int:
        return len(self.position)


@dataclass(frozen=True)
class MergedArrivals:
    """The arrivals of several streams under one numbering of steps: equal arrival values are one step.

    The clock is that of the fastest stream (JI16's max over iT), `slowest` that of the slowest that has spoken.
    """

    streams: tuple[Arrivals, ...]
    arrival: Times  # of each step
    clock: Times  # of the fastest stream after each step
    slowest: Times  # of the slowest stream that is not idle, after each step
    before: Times  # the same before each step
    clocks: tuple[Times, ...]  # of each stream after each step; BEFORE_ALL_TIME until it speaks
    clocks_before: tuple[Times, ...]  # and before each step
    _steps: tuple[Rows, ...]  # for each stream, the step here of each of its own steps

    @classmethod
    def of(
        cls, streams: Sequence[Arrivals], clocks: Sequence[int | None], idle: frozenset[int] = frozenset()
    ) -> MergedArrivals:
        """Merge arrivals, given the clock of each stream before them. Nobody waits for streams that stay idle.

        >>> from slackwater.core.arrivals import Arrivals
        >>> from slackwater.events import Events
        >>> a = Arrivals.after(None, Events.of([5, 9], arrival=[0, 2]))
        >>> b = Arrivals.after(None, Events.of([4], arrival=[1]))
        >>> merged = MergedArrivals.of([a, b], [None, None])
        >>> merged.clock.tolist(), merged.slowest.tolist()
        ([5, 5, 9], [5, 4, 4])
        """
        values = [arrivals.arrival_of_steps() for arrivals in streams]
        edges = np.cumsum([0, *map(len, values)])
        awaited = np.array([s not in idle or arrivals.steps > 0 for s, arrivals in enumerate(streams)])
        arrival, steps, levels, clock, slowest = _merged(
            np.concatenate(values),
            np.concatenate([arrivals.clock for arrivals in streams]),
            edges,
            np.array([BEFORE_ALL_TIME if before is None else before for before in clocks]),
            awaited if awaited.any() else ~awaited,
        )
        return cls(
            tuple(streams),
            arrival,
            clock,
            slowest[1:],
            slowest[:-1],
            tuple(level[1:] for level in levels),
            tuple(level[:-1] for level in levels),
            tuple(np.split(steps, edges[1:-1])),
        )

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.arrival)

    @cached_property
    def largest_delay(self) -> Times:
        """The largest delay of each step."""
        largest = np.zeros(self.steps, np.int64)
        for stream, arrivals in enumerate(self.streams):
            _raise(largest, self.steps_of(stream), arrivals.delay)
        return largest

    @property
    def max_delay(self) -> int:
        """The largest delay."""
        return max((arrivals.max_delay for arrivals in self.streams), default=0)

    @cached_property
    def behind(self) -> tuple[Behind, ...]:
        """The events of each stream that came behind the slowest clock; those that come together do so in order."""
        return tuple(map(self._behind, range(len(self.streams))))

    def _behind(self, stream: int) -> Behind:
        """Look for them, unless all came in order in a stream that had spoken: the slowest clock is not ahead of it."""
        own, none = self.streams[stream], np.empty(0, np.int64)
        if own.max_delay == 0 and self.steps and self.clocks_before[stream][0] > BEFORE_ALL_TIME:
            return Behind(none, none, none)
        return Behind(*_behind(own.events.time, self.steps_of(stream), self.before))

    def steps_of(self, stream: int) -> Rows:
        """Return the step of each event of a stream."""
        return self._event_steps[stream]

    @cached_property
    def _event_steps(self) -> tuple[Rows, ...]:
        return tuple(own.per_event(steps) for own, steps in zip(self.streams, self._steps, strict=True))

    def of_stream(self, stream: int, values: Times) -> Times:
        """Return the values of those steps in which a stream had arrivals."""
        return values[self._steps[stream]]

    def per_event(self, stream: int, values: Times) -> Times:
        """Return for each event of a stream the value of its step."""
        return values[self.steps_of(stream)]

    def has_spoken(self, stream: int) -> Mask:
        """Whether a stream has had arrivals here, after each step."""
        own = self._steps[stream]
        return np.arange(self.steps) >= (own[0] if len(own) else self.steps)

    def step_of(self, stream: int, position: Rows) -> Rows:
        """Return the step of the events of a stream at these positions."""
        return self._steps[stream][self.streams[stream].step_of(position)]

    def arrived_by(self, step: Rows) -> Rows:
        """How many events had arrived after each of these steps."""
        count = np.zeros(len(step), np.int64)
        for arrivals, own in zip(self.streams, self._steps, strict=True):
            done = np.searchsorted(own, step, side="right")
            some = done > 0
            count[some] += arrivals.arrived_by(done[some] - 1)
        return count

    def part(self, start: int, stop: int) -> MergedArrivals:
        """Return the steps `[start, stop)` on their own."""
        cuts = [np.searchsorted(own, (start, stop)) for own in self._steps]
        return MergedArrivals(
            tuple(arrivals.part(int(low), int(high)) for arrivals, (low, high) in zip(self.streams, cuts, strict=True)),
            self.arrival[start:stop],
            self.clock[start:stop],
            self.slowest[start:stop],
            self.before[start:stop],
            tuple(clock[start:stop] for clock in self.clocks),
            tuple(clock[start:stop] for clock in self.clocks_before),
            tuple(own[low:high] - start for own, (low, high) in zip(self._steps, cuts, strict=True)),
        )


@compiled
def _merged(
    values: Times, clocks: Times, edges: Rows, before: Times, awaited: Mask
) -> tuple[Times, Rows, Times, Times, Times]:
    """Merge arrival values, which ascend in each stream, and follow the clocks.

    Returns each value once, the step of each, the clock of every stream before the first step and after each, that of
    the fastest after each, and that of the slowest of those `awaited` that have spoken. O(n streams).
    """
    streams = len(before)
    arrival, step = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    levels, slowest = np.empty((streams, len(values) + 1), np.int64), np.empty(len(values) + 1, np.int64)
    fastest, at, now, count = np.empty(len(values), np.int64), edges[:-1].copy(), before.copy(), 0
    levels[:, 0], slowest[0] = now, _slowest(now, awaited)
    if streams == 2 and awaited.all():
        count = _merge_two(values, clocks, edges, now, arrival, step, levels, fastest, slowest)
        return arrival[:count], step, levels[:, : count + 1], fastest[:count], slowest[: count + 1]
    while True:
        first = -1
        for s in range(streams):
            if at[s] < edges[s + 1] and (first < 0 or values[at[s]] < values[at[first]]):
                first = s
        if first < 0:
            break
        arrival[count] = values[at[first]]
        for s in range(first, streams):
            if at[s] < edges[s + 1] and values[at[s]] == arrival[count]:
                now[s] = max(now[s], clocks[at[s]])
                step[at[s]] = count
                at[s] += 1
        fastest[count] = now[0]
        for s in range(streams):
            levels[s, count + 1] = now[s]
            fastest[count] = max(fastest[count], now[s])
        count += 1
        slowest[count] = _slowest(now, awaited)
    return arrival[:count], step, levels[:, : count + 1], fastest[:count], slowest[: count + 1]


@compiled
def _merge_two(
    values: Times,
    clocks: Times,
    edges: Rows,
    now: Times,
    arrival: Times,
    step: Rows,
    levels: Times,
    fastest: Times,
    slowest: Times,
) -> int:
    """Do that for two streams, which most joins have: twice as fast as with a loop over streams at every step."""
    left, right, count, one, other = edges[0], edges[1], 0, now[0], now[1]
    while left < edges[1] or right < edges[2]:
        takes_left = right == edges[2] or (left < edges[1] and values[left] <= values[right])
        takes_right = not takes_left or (right < edges[2] and values[left] == values[right])
        if takes_left:
            arrival[count], step[left], one = values[left], count, max(one, clocks[left])
            left += 1
        if takes_right:
            arrival[count], step[right], other = values[right], count, max(other, clocks[right])
            right += 1
        levels[0, count + 1], levels[1, count + 1] = one, other
        fastest[count] = max(one, other)
        count += 1
        slowest[count] = min(one, other) if min(one, other) > BEFORE_ALL_TIME else max(one, other)
    return count


@compiled
def _slowest(clocks: Times, awaited: Mask) -> int:
    slowest = BEFORE_ALL_TIME
    for s in range(len(clocks)):
        if awaited[s] and clocks[s] > BEFORE_ALL_TIME and (slowest == BEFORE_ALL_TIME or clocks[s] < slowest):
            slowest = clocks[s]
    return slowest


@compiled
def _raise(largest: Times, step: Rows, delay: Times) -> None:
    """Let each step have the largest delay of its events, too."""
    for at in range(len(step)):
        largest[step[at]] = max(largest[step[at]], delay[at])


@compiled
def _behind(time: Times, step: Rows, clock: Times) -> tuple[Rows, Rows, Times]:
    """Return positions, steps and lags of events behind the clock before their step."""
    count = 0
    for at in range(len(time)):
        count += time[at] < clock[step[at]]
    position, steps, lag = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    if count > 0:
        count = 0
        for at in range(len(time)):
            if time[at] < clock[step[at]]:
                position[count], steps[count], lag[count] = at, step[at], clock[step[at]] - time[at]
                count += 1
    return position, steps, lag
