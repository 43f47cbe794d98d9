"""What the arrival of events does to the clock of a stream: the first thing that every operator needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slackwater.time import BEFORE_ALL_TIME, delay_of, running_clock

if TYPE_CHECKING:
    from slackwater.events import Events, Rows
    from slackwater.time import Times


@dataclass(frozen=True)
class Arrivals:
    """Events in arrival order, with the steps in which they came.

    Events of one step arrived together: their delay is measured against the clock *before* the step, and they are
    in order among themselves whatever their times.
    """

    events: Events
    clock: Times  # after each step
    before: Times  # before each step
    delay: Times  # of each event
    _step: Rows | None  # of each event; None: each is a step of its own
    _first: Rows | None  # of each step, the position of its first event, and of all the end; None likewise
    weight: Rows | None = None  # how many events each stands for; None: itself alone

    @classmethod
    def after(cls, clock: int | None, events: Events) -> Arrivals:
        """Let events arrive at a stream whose clock is known, in the order of their `arrival`.

        >>> from slackwater.events import Events
        >>> Arrivals.after(None, Events.of([1, 4, 3, 5])).delay.tolist()
        [0, 0, 1, 0]
        >>> Arrivals.after(5, Events.of([1, 4, 7], arrival=[9, 9, 9])).delay.tolist()
        [4, 1, 0]
        """
        changes = events.arrival[1:] != events.arrival[:-1]
        clocks, step, first = running_clock(events.time, clock), None, None
        if not changes.all():
            step = np.concatenate(([0], np.cumsum(changes, dtype=np.int64)))
            first = np.concatenate(([0], np.flatnonzero(changes) + 1, [len(events)]))
            clocks = clocks[first[1:] - 1]
        before = np.empty_like(clocks)
        before[:1] = BEFORE_ALL_TIME if clock is None else clock
        before[1:] = clocks[:-1]
        seen = before if step is None else before[step]
        return cls(events, clocks, before, delay_of(events.time, seen), step, first)

    @classmethod
    def together(cls, clock: int | None, events: Events, *, weight: Rows, latest: int) -> Arrivals:
        """Let events arrive in one step, of which each stands for `weight` that were added up; `latest` is the last.

        What was added up has the earliest time of its events, so its delay is the largest of theirs.

        >>> from slackwater.events import Events
        >>> came = Arrivals.together(5, Events.of([1, 6]), weight=np.array([1, 7]), latest=9)
        >>> came.delay.tolist(), came.clock.tolist(), came.count
        ([4, 0], [9], 8)
        """
        before = np.array([BEFORE_ALL_TIME if clock is None else clock])
        after = np.maximum(before, max(int(events.time.max()), latest))
        step = np.zeros(len(events), np.int64)
        return cls(events, after, before, delay_of(events.time, before[step]), step, np.array([0, len(events)]), weight)

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.clock)

    def per_event(self, values: Times) -> Times:
        """Return for each event the value of its step."""
        return values if self._step is None else values[self._step]

    @property
    def steps_of_events(self) -> Rows:
        """The step of each event; none where each is a step of its own."""
        return np.empty(0, np.int64) if self._step is None else self._step

    @property
    def first_of_steps(self) -> Rows:
        """The position of the first event of each step, and the end; none where each event is a step of its own."""
        return np.empty(0, np.int64) if self._first is None else self._first

    def step_of(self, position: Rows) -> Rows:
        """Return the step of the events at these positions."""
        return position if self._step is None else self._step[position]

    def arrival_of_steps(self) -> Times:
        """Return the arrival value of each step."""
        return self.events.arrival if self._first is None else self.events.arrival[self._first[:-1]]

    def arrived_by(self, step: Rows) -> Rows:
        """How many events had arrived after each of these steps."""
        return step + 1 if self._first is None else self._first[step + 1]

    def counted_by(self, step: Rows) -> Rows:
        """How many events had arrived after each of these steps, with those that others stand for."""
        arrived = self.arrived_by(step)
        return arrived if self.weight is None else np.cumsum(self.weight)[arrived - 1]

    @property
    def count(self) -> int:
        """How many events there are, with those that others stand for."""
        return len(self.events) if self.weight is None else int(self.weight.sum())

    @cached_property
    def largest_delay(self) -> Times:
        """The largest delay of each step."""
        if self._first is None:
            return self.delay
        largest: Times = np.maximum.reduceat(self.delay, self._first[:-1])
        return largest

    @cached_property
    def max_delay(self) -> int:
        """The largest delay."""
        return int(self.delay.max(initial=0))

    def delays(self, start: int, stop: int) -> Times:
        """Return the delays of the events of the steps `[start, stop)`."""
        return self.delay[self._position(start) : self._position(stop)]

    def arriving(self, start: int, stop: int) -> Rows:
        """How many events of the steps `[start, stop)` had arrived after each of them."""
        if self._first is None:
            return np.arange(1, stop - start + 1)
        arrived: Rows = self._first[start + 1 : stop + 1] - self._first[start]
        return arrived

    def part(self, start: int, stop: int) -> Arrivals:
        """Return the steps `[start, stop)` on their own."""
        low, high = self._position(start), self._position(stop)
        return Arrivals(
            self.events[low:high],
            self.clock[start:stop],
            self.before[start:stop],
            self.delay[low:high],
            None if self._step is None else self._step[low:high] - start,
            None if self._first is None else self._first[start : stop + 1] - low,
            None if self.weight is None else self.weight[low:high],
        )

    def _position(self, step: int) -> int:
        step = min(step, self.steps)
        return step if self._first is None else int(self._first[step])
