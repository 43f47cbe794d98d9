"""What reading an event from a structure for threads costs: SSG17 Fig. 8. Two writers, and readers that only read."""

from __future__ import annotations

import heapq
import threading
import time
from typing import Any, Protocol

WRITERS = 2
SLACK = 100  # us; a K-slack gives events up when they are so old, a gate when they are ready


class Structure(Protocol):
    """What threads write to and read from."""

    def insert(self, event: Any, time: int, /, *, writer: int) -> None:
        """Take in an event."""

    def get(self, *, reader: int) -> Any:
        """Return the next event that may leave; None where none may."""


class LockedKSlack:
    """The rival: one lock, and for each reader a heap of what it has not read."""

    def __init__(self, readers: int) -> None:
        self._lock = threading.Lock()
        self._heaps: list[list[tuple[int, int, Any]]] = [[] for _ in range(readers)]
        self._clock = 0

    def insert(self, event: Any, at: int, /, *, writer: int) -> None:
        """Put an event on the heap of every reader."""
        with self._lock:
            self._clock = max(self._clock, at)
            for heap in self._heaps:
                heapq.heappush(heap, (at, writer, event))

    def get(self, *, reader: int) -> Any:
        """Return the earliest event if it is old enough."""
        with self._lock:
            heap = self._heaps[reader]
            return heapq.heappop(heap) if heap and heap[0][0] + SLACK <= self._clock else None


def reading_time(structure: Structure, readers: int, events: int) -> float:
    """Run all threads with so many events for each writer; return what an event costs a reader, in us.

    That is from its first to its last event, so it holds what a reader waits for others as well.
    """
    spent, together = [0.0] * readers, threading.Barrier(WRITERS + readers)

    def write(writer: int) -> None:
        together.wait()
        for number in range(events):
            structure.insert(number, number, writer=writer)
        structure.insert(None, 2 * events + SLACK, writer=writer)

    def read(reader: int) -> None:
        together.wait()
        left, started = WRITERS * events, time.perf_counter()
        while left:
            if structure.get(reader=reader) is None:
                time.sleep(0)  # let a writer go on
            else:
                left -= 1
        spent[reader] = time.perf_counter() - started

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    threads += [threading.Thread(target=read, args=(reader,)) for reader in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(spent) / readers / (WRITERS * events) * 1e6
