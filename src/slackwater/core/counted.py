"""KIM's buffer: it holds a number of events, those with the largest event times (KIM Sec. 3.3, Algorithm 1).

An event that is earlier than the earliest one held is dropped, one at the same time passes at once, any other is held;
then the earliest leaves if there are too many. So at most `capacity` events are held, and they leave in order. Where
the capacity is lowered, the earliest leave first; where it is raised, nothing leaves until it is reached, and the
earliest one held still decides who is dropped. KIM reaches constant time per event with an array over event times; a
heap, compiled, takes O(log n).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.events import Events

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

UNBOUNDED = np.iinfo(np.int64).max  # a capacity: nothing leaves and nothing is dropped


@dataclass(frozen=True, slots=True)
class CountedDepartures:
    """What became of a batch; steps count the events of the batch, each of which is one."""

    released: Events  # in the order in which they left
    step: Rows  # of each of these
    dropped: Mask  # of each event of the batch
    held: Rows  # how many events were held after each step


class CountedBuffer:
    """Holds the events with the largest event times; all that it remembers is these.

    >>> buffer = CountedBuffer()
    >>> out = buffer.on_batch(Events.of([5, 6, 4, 7, 6, 8]), np.full(6, 2))
    >>> out.released.time.tolist(), out.step.tolist(), out.dropped.tolist()
    ([5, 6, 6], [3, 4, 5], [False, False, True, False, False, False])
    """

    def __init__(self, held: Events | None = None) -> None:
        self._held = Events.none() if held is None else held

    @property
    def held(self) -> Events:
        """The events that are held, in event-time order."""
        return self._held

    def on_batch(self, events: Events, capacity: Rows) -> CountedDepartures:
        """Take in events in arrival order; `capacity` says how many may be held when each of them comes."""
        pool = self._held + events
        order, step, dropped, count, left = _run(pool.time, len(self._held), np.asarray(capacity, np.int64))
        self._held = pool[left]
        return CountedDepartures(pool[order], step, dropped, count)

    def on_end(self) -> Events:
        """Drain: release all that is held, in order."""
        held, self._held = self._held, Events.none()
        return held


@compiled
def _run(times: Times, before: int, capacity: Rows) -> tuple[Rows, Rows, Mask, Rows, Rows]:
    """Return who left, at which step; who was dropped; how many were held after each step; who is held in the end."""
    count = len(times) - before
    order, step = np.empty(len(times), np.int64), np.empty(len(times), np.int64)
    dropped, held = np.zeros(count, np.bool_), np.empty(count, np.int64)
    heap = [(times[0], 0) for _ in range(0)]  # its type
    for i in range(before):
        heap.append((times[i], i))  # sorted, hence a heap
    gone = 0
    for arrival in range(count):
        i, most = before + arrival, capacity[arrival]
        while len(heap) > most:
            order[gone], step[gone] = heapq.heappop(heap)[1], arrival
            gone += 1
        if most < UNBOUNDED and len(heap) > 0 and times[i] < heap[0][0]:
            dropped[arrival] = True
        elif most < UNBOUNDED and len(heap) > 0 and times[i] == heap[0][0]:
            order[gone], step[gone] = i, arrival
            gone += 1
        else:
            heapq.heappush(heap, (times[i], i))
            if len(heap) > most:
                order[gone], step[gone] = heapq.heappop(heap)[1], arrival
                gone += 1
        held[arrival] = len(heap)
    left = np.empty(len(heap), np.int64)
    for place in range(len(left)):
        left[place] = heapq.heappop(heap)[1]
    return order[:gone], step[:gone], dropped, held, left
