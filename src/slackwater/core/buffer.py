"""Where events wait: in memory here, in the state store on Spark."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from slackwater.events import Events


class Buffer(Protocol):
    """Holds events and gives back those that the horizon has reached."""

    def put(self, events: Events) -> None:
        """Keep events. At equal times they come in arrival order, after all that were put before."""

    def take(self, horizon: int) -> Events:
        """Remove and return every event with event time <= horizon, by (event time, arrival)."""

    def __len__(self) -> int:
        """How many events are held."""


class MemoryBuffer:
    """A buffer in memory, kept sorted; put costs O(held + new), take O(taken + log held).

    >>> buffer = MemoryBuffer()
    >>> buffer.put(Events.of([5, 2, 9]))
    >>> buffer.take(5).time.tolist(), len(buffer)
    ([2, 5], 1)
    """

    def __init__(self, held: Events | None = None) -> None:
        self._held = Events.none() if held is None else held

    def put(self, events: Events) -> None:
        """Keep events."""
        if len(events):
            self._held = (self._held + events).by_time()

    def take(self, horizon: int) -> Events:
        """Remove and return every event with event time <= horizon, by (event time, arrival)."""
        count = int(np.searchsorted(self._held.time, horizon, side="right"))
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def snapshot(self) -> Events:
        """Return what is held. The columns are never changed in place, so they may be kept."""
        return self._held

    def __len__(self) -> int:
        return len(self._held)
