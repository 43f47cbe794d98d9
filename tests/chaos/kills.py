"""Whom to kill: a Python worker, an executor, a worker, a worker with all that it runs, or the driver."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Protocol

from benchmarks.cluster import Cluster

from tests.chaos import processes

_PATIENCE = 2.0  # seconds for which somebody who works is waited for
_TICKS = 0.02  # seconds after which the kernel shows that a process has worked

# How many of 100 kills are of each kind: what is replaced quickly may be killed often.
MIX: Mapping[str, int] = {"python": 50, "executor": 25, "worker": 8, "machine": 7, "driver": 10}


def kinds(count: int, seeded: random.Random) -> list[str]:
    """Return that many kinds in their shares, in random order; where there are few, one of each kind first."""
    drawn = [kind for kind, share in MIX.items() for _ in range(max(1, round(count * share / 100)))]
    drawn = drawn[:count] if count < len(MIX) else drawn
    drawn += ["python"] * (count - len(drawn))
    seeded.shuffle(drawn)
    return drawn[:count]


class Victim(Protocol):
    """What can be killed as a whole."""

    def kill(self) -> bool:
        """End it; return whether it was there."""


def kill(kind: str, cluster: Cluster, driver: Victim, seeded: random.Random) -> bool:
    """Kill one of a kind; return whether there was any."""
    if kind == "driver":
        return driver.kill()
    number = seeded.randrange(len(cluster.workers))
    # where an executor is just being replaced, the other one is taken
    return any(_kill_at(kind, cluster, place, seeded) for place in (number, 1 - number))


def _kill_at(kind: str, cluster: Cluster, number: int, seeded: random.Random) -> bool:
    worker = cluster.workers[number].pid
    if kind in ("worker", "machine"):
        found = processes.kill(worker, group=kind == "machine")
        cluster.replace(number)
        return found
    candidates = processes.executors(worker) if kind == "executor" else _python(worker, seeded)
    return bool(candidates) and processes.kill(seeded.choice(candidates))


def _python(worker: int, seeded: random.Random) -> list[int]:
    """Return Python workers that are at work, or all where none is; now and then the one they are forked from."""
    if seeded.random() < 0.1:
        return processes.daemons(worker)
    until = time.monotonic() + _PATIENCE
    while True:
        before = {pid: processes.processor_time(pid) for pid in processes.python_workers(worker)}
        time.sleep(_TICKS)
        at_work = [pid for pid, used in before.items() if processes.processor_time(pid) > used]
        if at_work or time.monotonic() > until:
            return at_work or list(before)
