"""KIM Algorithm 1 as printed: the buffer that counts events, sized anew every P_e arrivals by eq. 11.

The sizes depend on arrivals alone, not on what is held, so all of them are found first; then the buffer is run once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.control.normal_delay import NormalDelay
from slackwater.core.counted import UNBOUNDED, CountedBuffer
from slackwater.estimate.sampled import pace_of
from slackwater.events import Events

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_ROUNDING = 1e-9  # what rounding adds to a number of events is not one more


@dataclass(frozen=True, slots=True)
class CountedRun:
    """What Algorithm 1 made of a stream, event by event in arrival order."""

    capacity: Rows  # n, when each event came; UNBOUNDED before the first estimate
    held: Rows  # after each event
    dropped: Mask
    left_at: Rows  # the event at whose arrival each one left; the last for what was drained, -1 for what was dropped

    @property
    def drop_ratio(self) -> float:
        """The share that was dropped."""
        return float(self.dropped.mean()) if len(self.dropped) else 0.0

    @property
    def average_capacity(self) -> float:
        """The mean of n since the first estimate."""
        known = self.capacity[self.capacity < UNBOUNDED]
        return float(known.mean()) if len(known) else float("nan")

    def waits(self, arrival_time: Times) -> Times:
        """Return how long each event that was not dropped was held, by the times of arrival."""
        kept = ~self.dropped
        return np.asarray(arrival_time[self.left_at[kept]] - arrival_time[kept], np.int64)


def run_counted(event_time: Times, arrival_time: Times, drop_ratio: float, config: NormalDelay) -> CountedRun:
    """Run Algorithm 1 over events in arrival order; times in us. Its switch for small targets is not taken.

    Nothing leaves and nothing is dropped before there are `samples` samples and an estimate.

    >>> every = NormalDelay(estimate_every=10, sample_every=1, samples=10)
    >>> run = run_counted(np.arange(200), np.arange(200) + 1, 0.01, every)
    >>> run.drop_ratio, int(run.capacity[-1]), int(run.held[-1])
    (0.0, 30, 30)
    """
    events = Events.of(event_time)
    capacity = capacities(event_time, arrival_time, drop_ratio, config)
    buffer = CountedBuffer()
    out = buffer.on_batch(events, capacity)
    left_at = np.full(len(events), -1)
    left_at[out.released.row] = out.step
    left_at[buffer.on_end().row] = len(events) - 1
    return CountedRun(capacity, out.held, out.dropped, left_at)


def capacities(event_time: Times, arrival_time: Times, drop_ratio: float, config: NormalDelay) -> Rows:
    """Return n when each event comes: of the last estimate at or before it.

    The event that an estimate falls on is a sample for it already (lines 1 to 5).
    """
    capacity = np.full(len(event_time), UNBOUNDED)
    delays = (arrival_time - event_time)[:: config.sample_every]
    arrivals = arrival_time[:: config.sample_every]
    for at in range(0, len(event_time), config.estimate_every):
        stop = at // config.sample_every + 1
        if stop >= config.samples:
            start = stop - config.samples
            pace = pace_of(delays[start:stop], arrivals[start:stop], config.sample_every)
            events = config.events(drop_ratio, pace)
            capacity[at:] = int(np.ceil(events - _ROUNDING)) if np.isfinite(events) else UNBOUNDED
    return capacity
