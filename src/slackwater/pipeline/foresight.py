"""Decides the slack of a whole batch before anything is joined, from what its arrivals tell of results.

What a result needs does not depend on the slack, so a controller that learns from needs can be led through all
boundaries of a batch first; the join is then one set computation, however many decisions fall into it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
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
    from slackwater.pipeline.boundaries import Decisions
    from slackwater.time import Times

LATE_SAMPLE, OTHER_SAMPLE = 48, 8  # events of each stream and interval that are asked what results they complete


def needs_state(state: dict[str, Any]) -> NeedsState | None:
    """Read what `Foresight.snapshot` wrote of the profile."""
    if "needs" not in state:
        return None
    samples = tuple((SampleState(**late), SampleState(**others)) for late, others in state["needs"]["samples"])
    return NeedsState(state["needs"]["longest_lag"], samples)


class Foresight:
    """Leads a controller through a batch; also measures the recall, over the arrivals of the last period."""

    def __init__(self, controller: Any, profile: NeedsProfile, intervals: int, state: dict[str, Any]) -> None:
        self._controller = controller
        self._profile = profile
        recent: Sequence[Sequence[float]] = state.get("recent", [])
        # Of each interval of the last period, and last of the one under way: results that were due, and produced.
        self._recent = deque([(due, made) for due, made in recent] or [(0.0, 0.0)], maxlen=intervals + 1)
        self._horizon: int | None = state.get("horizon")  # the largest so far, over all streams
        self._estimated: list[float] = []
        self._measured: list[float] = []

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
        estimated, measured = np.array(self._estimated[:count]), np.array(self._measured[:count])
        return replace(decisions, estimated=estimated, measured=measured) if count else decisions

    @property
    def seen(self) -> tuple[Events, ...]:
        """The events that a late one may still find as partners."""
        return self._profile.seen

    def snapshot(self) -> dict[str, Any]:
        """Return what is needed to go on besides the controller and the events seen, as values that JSON can hold."""
        recent = [list(pair) for pair in self._recent]
        return {"needs": asdict(self._profile.snapshot()), "recent": recent, "horizon": self._horizon}

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
        self._measured = []
        for number in range(boundaries + 1):
            before = self._recent.pop()
            self._recent.append((before[0] + due[number], before[1] + produced[number]))
            if number < boundaries:
                self._measured.append(_recall(self._recent))
                self._recent.append((0.0, 0.0))


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


def _recall(recent: deque[tuple[float, float]]) -> float:
    due, made = (sum(column) for column in zip(*recent, strict=True))
    return made / due if due > 0 else float("nan")


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
