"""Slack-ScaleGate one event at a time, written from SSG17 Alg. 1-3: what the columnar gates must equal.

Equal times are in the order of their streams. A stream that is idle holds nothing back, but what it has not shown yet
is not ready (Def. 2.1 is about all streams). `slack` is what streams are given that are not sorted; in the document
they are, and it is 0.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import NamedTuple


class Event(NamedTuple):
    time: float
    stream: int
    index: int


class Read(NamedTuple):
    event: Event
    ready: bool
    late: bool  # behind what the reader had read before


@dataclass
class SlackScaleGate:
    streams: int
    readers: int
    limit: float = math.inf  # SLT
    slack: float = 0
    idle: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.newest = [-math.inf] * self.streams  # maxWriterTs
        self.unread: list[list[Event]] = [[] for _ in range(self.readers)]  # the ScaleGate, as each reader sees it
        self.queues: list[list[Event]] = [[] for _ in range(self.readers)]  # priorityQueues
        self.last: list[tuple[float, int]] = [(-math.inf, -1)] * self.readers  # max of lastReadTs

    def insert(self, event: Event) -> None:
        """Alg. 2, without the race that its lines 12-20 are about."""
        self.idle.discard(event.stream)
        for reader in range(self.readers):
            behind = (event.time, event.stream) < self.last[reader]
            heapq.heappush((self.queues if behind else self.unread)[reader], event)
        self.newest[event.stream] = max(self.newest[event.stream], event.time)

    def get(self, reader: int) -> Read | None:
        """Alg. 3; its second line must be "not empty"."""
        if self.queues[reader]:
            event = heapq.heappop(self.queues[reader])
            return Read(event, self._is_ready(event), True)
        if not self.unread[reader]:
            return None
        event = self.unread[reader][0]
        ready = self._is_ready(event)
        if not ready and not self._is_awaited_by_none(event) and not max(self.newest) - event.time > self.limit:
            return None
        self.last[reader] = (event.time, event.stream)
        return Read(heapq.heappop(self.unread[reader]), ready, False)

    def get_all(self, reader: int) -> list[Read]:
        """Read until there is nothing to read."""
        return list(iter(lambda: self.get(reader), None))

    @property
    def spread(self) -> float:
        """How far the fastest stream is ahead of the slowest; a history is compatible while the limit is not less."""
        return max(self.newest) - min(self.newest)

    def _is_ready(self, event: Event) -> bool:
        return (event.time, event.stream) <= min(self._shown())

    def _is_awaited_by_none(self, event: Event) -> bool:
        awaited = [each for s, each in enumerate(self._shown()) if s not in self.idle]
        return (event.time, event.stream) <= min(awaited, default=(math.inf, 0))

    def _shown(self) -> list[tuple[float, int]]:
        return [(newest - self.slack, s) for s, newest in enumerate(self.newest)]
