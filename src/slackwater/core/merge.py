"""The merge: m synchronized streams as one, in a total order: by (event time, stream, arrival).

An event leaves unless it is behind what has left, in that order: one of an equal time is late as well if a stream
behind its own has left at that time. So the order of the results depends on the events alone, not on who came first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.join import Processed
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME, running_clock

if TYPE_CHECKING:
    from slackwater.events import Rows, Tagged


@dataclass(frozen=True, slots=True)
class MergeState:
    """The last event that left: its time, and its stream."""

    time: int
    stream: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Merges `streams` synchronized streams."""

    streams: int

    def build(self, state: MergeState | None = None) -> MergeLogic:
        """Start anew, or go on from a saved state."""
        return MergeLogic(self.streams, state)


class MergeLogic:
    """Tells events that leave in order from late ones. It holds nothing. O(n) where nothing is late, else O(n log n).

    >>> from slackwater.events import Tagged
    >>> merged = Merge(streams=2).build().on_batch(Tagged.of([(0, 1), (1, 2), (0, 2), (1, 2), (0, 1), (0, 3)]))
    >>> merged.in_order.tolist(), merged.behind.tolist()[1:]
    ([True, True, False, True, False, True], [1, 2, 2, 2, 2])
    """

    def __init__(self, streams: int, state: MergeState | None) -> None:
        self._streams = streams
        self._state = state

    def on_batch(self, events: Tagged, *, listing: bool = True, cross: bool = False) -> Processed:
        """Process events as they leave the synchronizer; each that is in order is its own result."""
        before = BEFORE_ALL_TIME if self.time is None else self.time
        times = np.append(before, running_clock(events.time, self.time))
        place = self._places(events)
        last = np.maximum.accumulate(place)
        in_order = place[1:] >= last[:-1]
        if in_order.any():
            left = np.flatnonzero(in_order)[-1]
            self._state = MergeState(int(events.time[left]), int(events.stream[left]))
        return Processed(events, times, in_order, in_order.astype(np.float64), None, None)

    @property
    def time(self) -> int | None:
        """The time of the last event that left: nothing earlier will follow."""
        return None if self._state is None else self._state.time

    def skip_to(self, time: int) -> None:
        """Let nothing leave that is before this time."""
        if self.time is None or time > self.time:
            self._state = MergeState(time, 0)

    @property
    def windows(self) -> list[Events]:
        """No event is kept once it has left."""
        return [Events.none()] * self._streams

    def snapshot(self) -> MergeState | None:
        """Return all that is needed to go on; None if nothing has left."""
        return self._state

    def _places(self, events: Tagged) -> Rows:
        """Return numbers that compare as (time, stream) do: of the last event that left, then of these."""
        first = MergeState(BEFORE_ALL_TIME, 0) if self._state is None else self._state
        time, stream = np.append(first.time, events.time), np.append(first.stream, events.stream)
        later, same = time[1:] > time[:-1], time[1:] == time[:-1]
        if bool((later | (same & (stream[1:] >= stream[:-1]))).all()):
            return np.arange(len(time), dtype=np.int64)
        order = np.lexsort((stream, time))
        differs = (np.diff(time[order]) != 0) | (np.diff(stream[order]) != 0)
        place = np.zeros(len(time), np.int64)
        place[order[1:]] = np.cumsum(differs)
        return place
