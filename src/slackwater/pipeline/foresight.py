"""Decides the slack of a whole batch before anything is joined, from what its arrivals tell of results.

What a result needs does not depend on the slack, so a controller that learns from needs can be led through all
boundaries of a batch first; the join is then one set computation, however many decisions fall into it.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.needs import NeedsState
from slackwater.core.sample import SampleState
from slackwater.measurement import Counts, Measurement, NeededSlacks
from slackwater.time import release_horizon, running_clock

if TYPE_CHECKING:
    from slackwater.core.merged import MergedArrivals
    from slackwater.core.needs import Needs, NeedsProfile
    from slackwater.events import Events, Rows
    from slackwater.measurement import Numbers
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.time import Times

LATE_SAMPLE, OTHER_SAMPLE = 48, 8  # events of each stream and interval that are asked what results they complete


def needs_state(state: dict[str, Any]) -> NeedsState | None:
    """Read what `Foresight.snapshot` wrote of the profile."""
    if "needs" not in state:
        return None
    samples = tuple((SampleState(**late), SampleState(**others)) for late, others in state["needs"]["samples"])
    return NeedsState(state["needs"]["longest_lag"], state["needs"]["results_per_event"], samples)


class Foresight:
    """Leads a controller through a batch; also measures the recall, over the arrivals of the last period."""

    def __init__(self, controller: Any, profile: NeedsProfile, intervals: int, state: dict[str, Any]) -> None:
        self._controller = controller
        self._profile = profile
        self._intervals = intervals
        # Of each interval of the last period, and last of the one under way: results that were due, and produced.
        self._recent: Numbers = np.array(state.get("recent", [[0.0], [0.0]]))
        self._horizon: int | None = state.get("horizon")  # the largest so far, over all streams
        self._estimated: list[float] = []
        self._measured: Numbers = np.empty(0)

    def on_batch(self, arrivals: MergedArrivals, crossed: Rows) -> Times:
        """Return the slack at each step, given the steps at which a boundary is crossed."""
        group = np.searchsorted(crossed, np.arange(arrivals.steps), side="left")
        needs = self._profile.on_batch(arrivals, group)
        order = np.argsort(group[needs.step], kind="stable")
        edges = np.searchsorted(group[needs.step][order], np.arange(len(crossed) + 2))
        slack = np.empty(arrivals.steps, np.int64)
        self._estimated = []
        for number, (start, stop) in enumerate(_stretches(crossed, arrivals.steps)):
            slack[start:stop] = self._controller.next_slack().microseconds
            self._estimated.append(_or_nan(getattr(self._controller, "estimated", None)))
            mine = order[edges[number] : edges[number + 1]]
            self._controller.observe(_measurement(arrivals, needs, mine, start, stop, closes=number < len(crossed)))
        self._measure(arrivals, slack, needs, group, len(crossed))
        return slack

    def explained(self, decisions: Decisions) -> Decisions:
        """Write down what was expected of each slack and what was measured."""
        count = len(decisions)
        estimated, measured = np.array(self._estimated[:count]), self._measured[:count]
        return replace(decisions, estimated=estimated, measured=measured) if count else decisions

    @property
    def seen(self) -> tuple[Events, ...]:
        """The events that a late one may still find as partners."""
        return self._profile.seen

    def snapshot(self) -> dict[str, Any]:
        """Return what is needed to go on besides the controller and the events seen, as values that JSON can hold."""
        needs = asdict(self._profile.snapshot())
        return {"needs": needs, "recent": self._recent.tolist(), "horizon": self._horizon}

    def _measure(self, arrivals: MergedArrivals, slack: Times, needs: Needs, group: Rows, boundaries: int) -> None:
        """Count what was due, and what was produced: where the join kept as far behind as the result needed."""
        if not arrivals.steps:
            return
        horizon = running_clock(release_horizon(arrivals.slowest, slack), self._horizon)
        self._horizon = int(horizon[-1])
        made = needs.slack <= (arrivals.slowest - horizon)[needs.step]
        of = group[needs.step]
        due = np.bincount(of, weights=needs.weight, minlength=boundaries + 1)
        produced = np.bincount(of, weights=needs.weight * made, minlength=boundaries + 1)
        self._recent, self._measured = _slide(self._recent, np.array((due, produced)), self._intervals)


def _slide(recent: Numbers, new: Numbers, intervals: int) -> tuple[Numbers, Numbers]:
    """Return what is to be remembered of the last intervals, and the recall over them at each boundary.

    The first new column belongs to the interval that was under way, the last to the one that is now.
    """
    columns = np.concatenate((recent, new[:, 1:]), axis=1)
    columns[:, recent.shape[1] - 1] += new[:, 0]
    total = np.cumsum(columns[:, :-1], axis=1)
    total = np.concatenate((np.zeros((2, 1)), total), axis=1)
    ends = np.arange(recent.shape[1], columns.shape[1])
    due, made = total[:, ends] - total[:, np.maximum(ends - intervals, 0)]
    recall = np.divide(made, due, out=np.full(len(ends), np.nan), where=due > 0)
    return columns[:, -(intervals + 1) :], recall


def _stretches(crossed: Rows, steps: int) -> list[tuple[int, int]]:
    """Return the steps up to and including each boundary, and those after the last."""
    edges = [0, *(crossed + 1).tolist(), steps]
    return list(pairwise(edges))


def _measurement(
    arrivals: MergedArrivals, needs: Needs, mine: Rows, start: int, stop: int, *, closes: bool
) -> Measurement:
    none = np.empty(0, np.int64)
    return Measurement(
        at=int(arrivals.clock[stop - 1]) if stop else 0,
        intervals=int(closes),
        slack=0,
        max_delay=0,
        delays=none,
        counts=Counts(),
        needs=NeededSlacks(needs.slack[mine], needs.weight[mine]),
    )


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
