"""What the arrival of events does to the clock of a stream: the first thing that every operator needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.time import BEFORE_ALL_TIME, delay_of, running_clock

if TYPE_CHECKING:
    from slackwater.events import Events, Rows
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Events in arrival order, with the steps in which they came.

    Events of one step arrived together: their delay is measured against the clock *before* the step, and they are
    in order among themselves whatever their times.
    """

    events: Events
    step: Rows  # of each event
    first: Rows  # of each step: the position of its first event
    clock: Times  # after each step
    before: Times  # before each step
    delay: Times  # of each event

    @classmethod
    def after(cls, clock: int | None, events: Events) -> Arrivals:
        """Let events arrive at a stream whose clock is known, in the order of their `arrival`.

        >>> from slackwater.events import Events
        >>> Arrivals.after(None, Events.of([1, 4, 3, 5])).delay.tolist()
        [0, 0, 1, 0]
        >>> Arrivals.after(5, Events.of([1, 4, 7], arrival=[9, 9, 9])).delay.tolist()
        [4, 1, 0]
        """
        new_step = np.empty(len(events), np.bool_)
        new_step[:1] = True
        np.not_equal(events.arrival[1:], events.arrival[:-1], out=new_step[1:])
        first = np.flatnonzero(new_step)
        clocks = running_clock(events.time, clock)
        if len(first) < len(events):
            step = np.cumsum(new_step, dtype=np.int64) - 1
            clocks = clocks[np.append(first[1:], len(events)) - 1] if len(first) else clocks
        else:
            step = first
        before = np.empty_like(clocks)
        before[:1] = BEFORE_ALL_TIME if clock is None else clock
        before[1:] = clocks[:-1]
        seen = before if len(first) == len(events) else before[step]
        return cls(events, step, first, clocks, before, delay_of(events.time, seen))

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.clock)

    def largest_delay(self) -> Times:
        """Return the largest delay of each step."""
        if self.steps == len(self.events):
            return self.delay
        largest: Times = np.maximum.reduceat(self.delay, self.first)
        return largest

    def part(self, start: int, stop: int) -> Arrivals:
        """Return the steps `[start, stop)` on their own."""
        low = self.first[start] if start < self.steps else len(self.events)
        high = self.first[stop] if stop < self.steps else len(self.events)
        return Arrivals(
            self.events[int(low) : int(high)],
            self.step[low:high] - start,
            self.first[start:stop] - low,
            self.clock[start:stop],
            self.before[start:stop],
            self.delay[low:high],
        )
