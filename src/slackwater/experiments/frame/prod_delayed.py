"""PROD Sec. 4.3.1: streams that are delivered late, but in order, and prods that go by processing time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.panes import Panes
from slackwater.estimate.arrays import Floats
from slackwater.estimate.early_accuracy import accuracy_of
from slackwater.experiments.frame.prod import Latencies, arrivals_of, latencies
from slackwater.experiments.prod_rows import VALUES, EarlyAndFinal, early_and_final, with_prods
from slackwater.sources.dataset import event_times_of
from slackwater.sources.values import values
from slackwater.time import Times

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.experiments.frame.description import Engine

WINDOWS = Panes(30_000_000, 10_000_000)  # of Table 4.1 and 4.2
PRODDED = 0.3  # 7 s into a slide of 10 s
PER_SECOND = 500 / 30


@dataclass(frozen=True)
class Delayed:
    """A stream as it is delivered: one event after the other, none before those of earlier times."""

    times: Times
    arrived: Times
    values: Floats

    @classmethod
    def of(cls, stream: pa.Table, column: str) -> Delayed:
        """Put a stream in order: an event waits for those before it."""
        times = event_times_of(stream)
        order = np.argsort(times, kind="stable")
        numbers = stream[column].to_numpy().astype(np.float64)
        return cls(times[order], np.maximum.accumulate(arrivals_of(stream)[order]), numbers[order])


@dataclass(frozen=True)
class DelayedRun:
    """Early and final results of a delayed stream, each window prodded by processing time."""

    stream: Delayed
    panes: Panes
    aggressiveness: float
    engine: Engine = "local"

    @cached_property
    def results(self) -> EarlyAndFinal:
        """The results, early ones as they are."""
        given = self.stream
        rows = with_prods(given.times, given.values, self.panes, self._lead, given.arrived)
        return early_and_final(rows, self.panes, estimate="raw", engine=self.engine)

    def accuracy(self, function: str) -> Floats:
        """Return how near the early results of a function are."""
        number = list(VALUES).index(function)
        return accuracy_of(self.results.early[number], self.results.final[number])

    def latencies(self) -> Latencies:
        """Return when results are there, after the first event of their window."""
        windows, given = self.results.window, self.stream
        return latencies(windows, given.times, given.arrived, self.panes, lambda ends: ends - self._lead)

    @property
    def _lead(self) -> int:
        return int(self.aggressiveness * self.panes.slide)


def uniform(duration: str, seed: int) -> pa.Table:
    """Return a stream of Table 4.2: about 500 events in 30 s, delivered up to 0.5 s late."""
    made = values(density=1 - 1 / PER_SECOND, max_delay="0.5 seconds", seed=seed, duration=duration)
    return made.streams["s"]
