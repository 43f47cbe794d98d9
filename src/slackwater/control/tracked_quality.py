"""The quality that was reached, as far as it can be known while running: SUN15 Sec. 6.1.1, the quality tracker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.control.parameters import arrivals_of
from slackwater.estimate.rate import ArrivalRate
from slackwater.models.recall import true_size
from slackwater.time import is_behind

if TYPE_CHECKING:
    from slackwater.contracts import Goal
    from slackwater.measurement import Measurement

MOST_REMEMBERED = 64  # intervals over which rates are averaged, where the windows are longer than that


@dataclass(frozen=True, slots=True)
class Sizes:
    """What was produced, and what in-order input would have given, by estimate."""

    produced: float = 0.0
    original: float = 0.0

    @property
    def quality(self) -> float:
        """The share that was produced; 1 where nothing was due."""
        return self.produced / self.original if self.original else 1.0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.produced + other.produced, self.original + other.original)


class TrackedQuality:
    """Compares the combinations offered to in-order events with those that the arrival rates promise.

    A join: Nr_original = r_A r_B (W_A + W_B) span, where the span is the part of event time that the join went
    through; we take it from the number of events that came to the join. The selectivity cancels out. Windows that
    are still filling count as far as they can be full. Without a join: the events within the slack, and all events;
    of an aggregate whose contract is about values: the results within the bound, and all, once that is known.
    The estimate follows the rates, so it is noisy by a few percent. Holds at most 64 numbers for each stream.
    """

    def __init__(self, goal: Goal, state: dict[str, Any] | None = None) -> None:
        self._goal = goal
        state = state or {"rate": None, "events": 0, "produced": 0.0, "elapsed": 0, "total": (0.0, 0.0)}
        remembered = min(max(goal.windows, default=0) // goal.interval + 1, MOST_REMEMBERED)
        streams = max(len(goal.windows), 1)
        self._rate = ArrivalRate(streams=streams, interval=goal.interval, remembered=remembered, state=state["rate"])
        self._events: int = state["events"]  # in the open interval: came to the join, or arrived where there is none
        self._produced: float = state["produced"]
        self._elapsed: int = state["elapsed"]  # intervals since the start
        self._total = Sizes(*state["total"])

    @property
    def total(self) -> Sizes:
        """All intervals since the start."""
        return self._total

    def update(self, measurement: Measurement) -> None:
        """Count what happened, in an interval or a part of one."""
        self._rate.update([len(arrived.delays) for arrived in arrivals_of(measurement, self._goal)])
        joined, windows = measurement.joined, measurement.windows
        if windows is not None:
            self._events += round(windows.due)
            self._produced += windows.made
        elif joined is not None:
            self._events += len(joined.delay)
            self._produced += float(joined.cross.sum())
        elif not self._goal.windows:
            self._events += len(measurement.delays)
            self._produced += np.count_nonzero(~is_behind(measurement.delays, measurement.slack))

    def close(self, intervals: int) -> Sizes | None:
        """End the interval and return its sizes, or None where the join made no progress."""
        self._rate.close(intervals)
        self._elapsed += intervals
        events, produced = self._events, self._produced
        self._events, self._produced = 0, 0.0
        if not events:
            return None
        sizes = Sizes(produced, self._original(events))
        self._total += sizes
        return sizes

    def snapshot(self) -> dict[str, Any]:
        """Return the counts and the rates."""
        return {
            "rate": self._rate.snapshot(),
            "events": self._events,
            "produced": self._produced,
            "elapsed": self._elapsed,
            "total": [self._total.produced, self._total.original],
        }

    def _original(self, events: int) -> float:
        if not self._goal.windows:
            return float(events)
        rates = self._rate.get()
        filled = (self._elapsed - 0.5) * self._goal.interval
        windows = [min(window, filled) for window in self._goal.windows]
        total = float(rates.sum())
        return true_size(rates, windows, events / total) if total else 0.0
