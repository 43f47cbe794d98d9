"""SSG17's traffic join on several nodes: each has a gate and a join of its own, and the areas that are its own.

A node reads as fast as it can, so it always finds as many events as it takes at a time. Nodes share nothing. What one
takes is known in two ways: its processor time, alone in this process, and the time of nodes that run beside each other,
a process each, where there are cores for all of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.experiments.traffic_graph import WINDOW, Jams, arrivals_of
from slackwater.sources.dataset import Dataset, event_times_of
from slackwater.sources.traffic import traffic

if TYPE_CHECKING:
    from slackwater.events import Events

RATE = 1_000.0  # reports per second of each writer
LIMIT = 10_000_000  # of the gate, in us: more than a stream is ever behind, so that what is read is in order
AT_A_TIME = 10_000  # events that a node reads, both streams together
_PATIENCE = 120  # seconds that nodes wait for each other
_barrier: Any = None  # of a node that runs beside others: where it waits for them


@dataclass(frozen=True)
class City:
    """The input of all nodes, made from a seed."""

    seed: int
    duration: str

    def make(self) -> Dataset:
        """Make it."""
        return traffic(policy="none", rates=(RATE, RATE), seed=self.seed, duration=self.duration)


@dataclass(frozen=True)
class Worked:
    """What a node did."""

    began: float  # seconds of a clock that all processes share
    ended: float
    processor: float  # seconds
    timed: int  # events that were read in this time
    jams: int  # in all


def apart(city: City, nodes: int) -> list[Worked]:
    """Run nodes one after the other in this process, so that none takes a core from another."""
    made = city.make()
    _warm()
    return [work(share_of(made, node, nodes)) for node in range(nodes)]


def together(city: City, nodes: int) -> list[Worked]:
    """Run nodes at the same time, a process each; they begin when all are ready."""
    context = get_context("spawn")
    barrier = context.Barrier(nodes, timeout=_PATIENCE)
    with ProcessPoolExecutor(nodes, mp_context=context, initializer=_meet, initargs=(barrier,)) as pool:
        return list(pool.map(_work_of, [(city, node, nodes) for node in range(nodes)]))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_of(city: Dataset, node: int, nodes: int) -> Dataset:
    """Return what a node reads: every so many of the areas."""
    mine = {name: table.filter(table["area"].to_numpy() % nodes == node) for name, table in city.streams.items()}
    return Dataset(city.name, mine, city.description)


def comparisons(city: Dataset) -> int:
    """Return how many pairs of a bus and a sensor of the same area are at most a window apart.

    So many the document's operator compares. Ours looks at each event by itself first, and compares what passes.
    """
    times = [event_times_of(table) for table in city.streams.values()]
    apart = max(int(each.max()) for each in times) - min(int(each.min()) for each in times) + 2 * WINDOW
    areas = [table["area"].to_numpy().astype(np.int64) for table in city.streams.values()]
    bus, scats = (time + area * apart for time, area in zip(times, areas, strict=True))  # areas never meet
    first, last = (np.searchsorted(np.sort(scats), bus + side) for side in (-WINDOW, WINDOW + 1))
    return int((last - first).sum())


def work(share: Dataset) -> Worked:
    """Read and join all that a node has; the first read, at which the join is prepared, is not timed."""
    jams = Jams(share)
    batches = _batches([arrivals_of(table) for table in share.streams.values()])
    first = next(batches)
    found = len(jams.on_step(first, LIMIT).time)
    began, used = time.monotonic(), time.process_time()
    for came in batches:
        found += len(jams.on_step(came, LIMIT).time)
    found += len(jams.on_end().time)
    timed = share.rows - sum(map(len, first))
    return Worked(began, time.monotonic(), time.process_time() - used, timed, found)


def _batches(streams: Sequence[tuple[Events, Any]]) -> Iterator[list[Events]]:
    """Yield the events of all streams, so many at a time, in the order of their arrival."""
    order = np.sort(np.concatenate([events.arrival for events, _ in streams]))
    edges = [*order[::AT_A_TIME].tolist(), int(order[-1]) + 1]
    places = [np.searchsorted(events.arrival, edges) for events, _ in streams]
    for number in range(len(edges) - 1):
        yield [events[at[number] : at[number + 1]] for (events, _), at in zip(streams, places, strict=True)]


def _meet(barrier: Any) -> None:
    """Prepare a process of a pool: it learns where to wait for the others."""
    global _barrier
    _barrier = barrier
    _warm()


def _warm() -> None:
    """Let kernels be compiled, or read from disk."""
    work(City(1, "5 seconds").make())


def _work_of(given: tuple[City, int, int]) -> Worked:
    city, node, nodes = given
    share = share_of(city.make(), node, nodes)
    _barrier.wait()
    return work(share)
