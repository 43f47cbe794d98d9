"""The gate for threads against a K-slack of one lock and one heap per reader: 1 to 8 readers (SSG17 Fig. 8).

Two writers of 20,000 events each, as in the document, and readers that only read. What is compared is the time that a
reader takes per event, from the first to the last.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Case
from slackwater.core.gate_threads import ThreadGate

WRITERS = 2
SLACK = 100  # us; a K-slack gives events up when they are so old, the gate when they are ready


class LockedKSlack:
    """The rival: one lock, and for each reader a heap of what it has not read."""

    def __init__(self, readers: int) -> None:
        self._lock = threading.Lock()
        self._heaps: list[list[tuple[int, int, Any]]] = [[] for _ in range(readers)]
        self._clock = 0

    def insert(self, event: Any, at: int, *, writer: int) -> None:
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


def cases(*, quick: bool) -> Iterator[Case]:
    """Same threads, other structure."""
    events = 4_000 if quick else 20_000
    for readers in (1, 2, 4, 8):
        yield Case(
            f"thread gate, {readers} readers",
            _average(lambda n: ThreadGate(writers=WRITERS, readers=n), readers, events),
            _average(LockedKSlack, readers, events),
            1.0,
            "lock and heap",
            {"events": events, "writers": WRITERS, "readers": readers},
        )


def _average(make: Callable[[int], Any], readers: int, events: int) -> Callable[[], float]:
    """Return the work: run all threads; the result is what an event cost a reader, in us."""

    def work() -> float:
        gate, spent, together = make(readers), [0.0] * readers, threading.Barrier(WRITERS + readers)

        def write(writer: int) -> None:
            together.wait()
            for number in range(events):
                gate.insert(number, number, writer=writer)
            gate.insert(None, 2 * events + SLACK, writer=writer)

        def read(reader: int) -> None:
            together.wait()
            left, started = WRITERS * events, time.perf_counter()
            while left:
                if gate.get(reader=reader) is None:
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

    return work
