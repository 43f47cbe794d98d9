"""The buffer size of KIM (eq. 11, Algorithm 1), as a slack.

KIM's buffer holds a number of events n, ours all events of a duration. The slack is the one with which ours holds n
events as well, on average (`models.drop_ratio.slack_holding`). `slackwater.experiments.counted` runs Algorithm 1 with
its own buffer. See docs/decisions/0014.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from slackwater.contracts import NO_GOAL, ControllerConfig, Goal, check_config
from slackwater.control.adaptive_max import AdaptiveMax
from slackwater.control.parameters import check_choice, check_count, drop_ratio_of
from slackwater.estimate.sampled import ClockPace, Pace, Sampled
from slackwater.models.drop_ratio import (
    FLOOR,
    drop_probability,
    events_to_hold,
    events_to_hold_at_high_rates,
    exact_events_to_hold,
    slack_holding,
)
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times

_SECOND = 1_000_000
SMALL = 0.001  # from this target down, KIM leaves it to the adaptive method


@dataclass(frozen=True)
class NormalDelay:
    """Waits such that as many events are held as eq. 11 asks for; assumes normal, independent delays.

    Args:
        estimate_every: P_e, arrivals between two estimates; where fewer than that come in a second, a second. A slack
            changes at boundaries of the adaptation interval only, so not more often than these.
        sample_every: P_s, every how many-th event is a sample.
        samples: M, how many samples are kept. Until there are as many, nothing leaves for a whole period: the document
            does not say what to do before an estimate, and any guess of n would drop events.
        floor: the smallest number of events.
        equation: "11", "12" (its approximation for high rates), or "exact": the condition that the buffer really has,
            which the document does not give (`models.drop_ratio.exact_events_to_hold`).
        small_targets: what is used for a target of at most 0.1 %, as KIM does; None goes on with the equation.

    >>> NormalDelay().build(goal=Goal(0.99, period=60_000_000)).next_slack()
    Duration('1 minute')
    """

    estimate_every: int = 1_000
    sample_every: int = 10
    samples: int = 1_000
    floor: int = FLOOR
    equation: Literal["11", "12", "exact"] = "11"
    small_targets: ControllerConfig | None = AdaptiveMax()  # noqa: RUF009 - it is frozen
    skipped_laws: ClassVar[Mapping[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check the parameters."""
        for name, least in (("estimate_every", 1), ("sample_every", 1), ("samples", 2), ("floor", 1)):
            check_count(name, getattr(self, name), least=least)
        check_choice("equation", self.equation, ("11", "12", "exact"))
        if self.small_targets is not None:
            check_config("small_targets", self.small_targets)

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> Any:
        """Make the controller, anew or from its snapshot; for small targets, another one."""
        if self.small_targets is not None and goal.target is not None and drop_ratio_of(goal) <= SMALL:
            return self.small_targets.build(state, goal)
        return NormalDelayController(self, goal, state or {})

    def events(self, drop_ratio: float, pace: Pace) -> float:
        """Return how many events to hold, with the floor: infinite where nothing bounds it."""
        match self.equation:
            case "11":
                events = events_to_hold(drop_ratio, pace.deviation, pace.gap)
            case "12":
                events = events_to_hold_at_high_rates(drop_ratio, pace.deviation, pace.gap)
            case _:
                events = exact_events_to_hold(drop_ratio, pace.deviation, pace.gap)
        return max(events, self.floor)


class NormalDelayController:
    """Logic of `NormalDelay`. Holds M samples, and the boundaries that they span.

    The document takes delays against arrival times. Here a delay is what lies between an event and the clock, which
    deviates nearly as much; and the gap between events is that by which the clock moves on.
    """

    learns_from = "results"

    def __init__(self, config: NormalDelay, goal: Goal, state: dict[str, Any]) -> None:
        self._config, self._interval = config, goal.interval
        self._drop_ratio = drop_ratio_of(goal)
        self._counting = [config.sample_every, config.samples]
        if state.get("counting") != self._counting:  # samples taken in another way mean nothing
            state = {name: state[name] for name in ("slack", "longest") if name in state}
        every, most = self._counting
        self._delays = Sampled(every=every, most=most, state=state.get("delays"))
        self._pace = ClockPace(every * most, state.get("pace"))
        self._start = goal.period
        self._slack: int = state.get("slack", self._start)
        self._longest: int = state.get("longest", 0)
        self._estimated_at: int = state.get("estimated_at", 0)  # how many events there were then
        self._waited: int = state.get("waited", 0)  # event time since
        self.estimated: float | None = state.get("estimated")

    def observe(self, measurement: Measurement) -> None:
        """Take samples; at a boundary, estimate anew if it is time."""
        self._delays.update(measurement.delays)
        self._longest = max(self._longest, int(measurement.delays.max(initial=0)))
        if not measurement.intervals:
            return
        self._waited += measurement.intervals * self._interval
        gap = self._pace.update(measurement.at, self._delays.seen)
        if not self._delays.full:
            self._slack = min(max(self._start, self._longest), Duration.MAX.microseconds)
        elif self._delays.seen - self._estimated_at >= self._config.estimate_every or self._waited >= _SECOND:
            self._estimate(Pace(float(np.std(self._delays.get(), ddof=1)), gap))

    def next_slack(self) -> Duration:
        """Return the slack."""
        return Duration(self._slack)

    def slack_path(self, largest_delay: Times) -> None:
        """Decide at boundaries only."""

    def snapshot(self) -> dict[str, Any]:
        """Return the samples, and the slack."""
        return {
            "counting": self._counting,
            "delays": self._delays.snapshot(),
            "pace": self._pace.snapshot(),
            "slack": self._slack,
            "longest": self._longest,
            "estimated_at": self._estimated_at,
            "waited": self._waited,
            "estimated": self.estimated,
        }

    def _estimate(self, pace: Pace) -> None:
        self._estimated_at, self._waited = self._delays.seen, 0
        events = self._config.events(self._drop_ratio, pace)
        slack = slack_holding(events * pace.gap, self._delays.get()) if pace.gap else self._longest
        self._slack = min(math.ceil(slack), Duration.MAX.microseconds)
        self.estimated = 1 - drop_probability(events, pace.deviation, pace.gap) if pace.gap else None
