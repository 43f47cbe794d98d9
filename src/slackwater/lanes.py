"""How many things are done at the same time: one, unless a runner that has the machine to itself asks for more."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")

# To start and end a thread takes 0.2 ms, and it waits for the interpreter now and then. A batch of so many events takes
# some 20 ms, most of it in machine code that runs beside other threads; of fewer, more of it is the interpreter.
_EVENTS_WORTH_THREADS = 50_000


@dataclass(frozen=True, slots=True)
class Lanes:
    """Does things that do not depend on each other, at most `count` at the same time.

    Threads are started for one `map` and end with it, so that nothing is left to close, and nothing that is pickled
    has any. The caller's works too: what a new thread allocates is memory that the system gives it page by page.

    >>> Lanes(2).map(abs, [-1, 2, -3], events=1_000_000)
    [1, 2, 3]
    """

    count: int = 1

    @classmethod
    def of_cores(cls) -> Lanes:
        """Return as many as there are cores that this process may use, be it for a share of their time."""
        return cls(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

    def map(self, function: Callable[[Item], Found], items: Sequence[Item], *, events: int) -> list[Found]:
        """Return what a function gives for each item; `events` is how many are worked on in all of them.

        If it fails, the error is raised once all threads have ended.
        """
        lanes = min(self.count, len(items)) if events >= _EVENTS_WORTH_THREADS else 1
        if lanes <= 1:
            return [function(item) for item in items]

        def of_lane(lane: int) -> list[Found]:
            return [function(item) for item in items[lane::lanes]]

        with ThreadPoolExecutor(lanes - 1) as threads:
            others = [threads.submit(of_lane, lane) for lane in range(1, lanes)]
            found = [of_lane(0), *(each.result() for each in others)]
        return [found[number % lanes][number // lanes] for number in range(len(items))]


ONE_LANE = Lanes()
