"""Where events wait: in memory here, in the state store on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from slackwater.events import Events
from slackwater.time import count_released

if TYPE_CHECKING:
    from slackwater.time import Times


class Buffer(Protocol):
    """Holds events and gives back those that the horizon has reached."""

    def put(self, events: Events) -> None:
        """Keep events. At equal times they come in arrival order, after all that were put before."""

    def take(self, horizon: int) -> Events:
        """Remove and return every event with event time <= horizon, by (event time, arrival)."""

    def held_times(self) -> Times | None:
        """Return the times of what is held, in order; None where they would have to be read."""

    def __len__(self) -> int:
        """How many events are held."""


class MemoryBuffer:
    """A buffer in memory: sorted runs; `put` merges until each is at least twice as long as the next.

    An event is merged O(log held) times while it waits; `take` costs O(taken + log^2 held).

    >>> buffer = MemoryBuffer()
    >>> buffer.put(Events.of([5, 2, 9]))
    >>> buffer.take(5).time.tolist(), len(buffer)
    ([2, 5], 1)
    """

    def __init__(self, held: Events | None = None) -> None:
        self._runs = [held] if held is not None and len(held) else []

    def put(self, events: Events) -> None:
        """Keep events. At equal times they come in arrival order, after all that were put before."""
        if not len(events):
            return
        run = events.by_time()
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            run = (self._runs.pop() + run).by_time()
        self._runs.append(run)

    def take(self, horizon: int) -> Events:
        """Remove and return every event with event time <= horizon, by (event time, arrival)."""
        counts = [int(count_released(run.time, horizon)) for run in self._runs]
        taken = [run[:count] for run, count in zip(self._runs, counts, strict=True) if count]
        rest = [run[count:] for run, count in zip(self._runs, counts, strict=True)]
        self._runs = [run for run in rest if len(run)]
        return Events.concat(taken).by_time() if len(taken) > 1 else Events.concat(taken)

    def held_times(self) -> Times:
        """Return the times of what is held, in order."""
        return self.snapshot().time

    def snapshot(self) -> Events:
        """Return what is held, by (event time, arrival). The columns are never changed in place."""
        return Events.concat(self._runs).by_time()

    def __len__(self) -> int:
        return sum(len(run) for run in self._runs)
