"""Several clusters, on each of which a query is disturbed at the same time: most of a recovery is waiting."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event

from benchmarks.cluster import Cluster, cluster

from tests.chaos.disturb import Disturbed, disturb

LANES = 3
_WORKERS = 2
_WORTH_A_START = 8  # kills of a query in a later turn: the start of its driver takes as long as several of them


class Lanes:
    """Takes work for its clusters, in the order in which it comes."""

    def __init__(self, threads: ThreadPoolExecutor, free: SimpleQueue[Cluster]) -> None:
        self.threads, self.stop = threads, Event()
        self._free = free

    def disturb(self, folder: Path, name: str, own: list[str], seed: str) -> Future[Disturbed]:
        """Disturb a query as soon as a cluster is free; takes the kills that were done from its `own`."""
        return self.threads.submit(self._disturb, folder, name, own, random.Random(seed))

    def _disturb(self, folder: Path, name: str, own: list[str], seeded: random.Random) -> Disturbed:
        running = self._free.get()
        try:
            return disturb(running, folder, name, own, seeded, self.stop)
        finally:
            self._free.put(running)


@contextmanager
def lanes(count: int) -> Iterator[Lanes]:
    """Start as many clusters; with the block they end, and what runs on them."""
    free: SimpleQueue[Cluster] = SimpleQueue()
    with ExitStack() as stack:
        for _ in range(count):
            free.put(stack.enter_context(cluster(_WORKERS)))
        # threads that have started processes must not end before these do: the kernel would end them as well
        running = Lanes(ThreadPoolExecutor(count), free)
        stack.callback(running.threads.shutdown, cancel_futures=True)
        stack.callback(running.stop.set)
        yield running


def deal(waiting: Sequence[str], names: Sequence[str], had: Counter[str]) -> dict[str, list[str]]:
    """Deal kills to queries: at first to all of them, what is left of that to those that had the fewest."""
    most = len(waiting) // _WORTH_A_START if had else len(waiting)
    asked = sorted(names, key=lambda name: had[name])[: max(1, most)]
    return {name: list(waiting[number :: len(asked)]) for number, name in enumerate(asked)}
