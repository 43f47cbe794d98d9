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
    """Logic of `NormalDelay`. Holds M samples of each stream, and the boundaries that they span.

    The document takes delays against arrival times. Here a delay is what lies between an event and the clock, which
    deviates nearly as much; and the gap between events is that by which the clock moves on. In a join or a merge the
    samples of all streams count alike.
    """

    learns_from = "results"

    def __init__(self, config: NormalDelay, goal: Goal, state: dict[str, Any]) -> None:
        self._config, self._goal = config, goal
        self._drop_ratio = drop_ratio_of(goal)
        self._counting = [config.sample_every, config.samples]
        if state.get("counting") != self._counting:  # samples taken in another way mean nothing
            state = {name: state[name] for name in ("slack", "longest") if name in state}
        every, most = self._counting
        kept = state.get("delays") or [None] * max(len(goal.windows), 1)
        self._delays = [Sampled(every=every, most=most, state=each) for each in kept]  # of each stream, as they came
        self._pace = ClockPace(every * most, state.get("pace"))
        self._slack: int = state.get("slack", goal.period)
        self._longest: int = state.get("longest", 0)
        self._estimated_at: int = state.get("estimated_at", 0)  # how many events there were then
        self._waited: int = state.get("waited", 0)  # event time since
        self.estimated: float | None = state.get("estimated")

    def observe(self, measurement: Measurement) -> None:
        """Take samples; at a boundary, estimate anew if it is time."""
        self._sample([each.delays for each in measurement.streams] or [measurement.delays])
        self._longest = max(self._longest, int(measurement.delays.max(initial=0)))
        if not measurement.intervals:
            return
        self._waited += measurement.intervals * self._goal.interval
        seen = sum(sampled.seen for sampled in self._delays)
        gap = self._pace.update(measurement.at, seen)
        samples = np.concatenate([sampled.get() for sampled in self._delays])
        if len(samples) < self._config.samples:
            self._slack = min(max(self._goal.period, self._longest), Duration.MAX.microseconds)
        elif seen - self._estimated_at >= self._config.estimate_every or self._waited >= _SECOND:
            self._estimated_at, self._waited = seen, 0
            self._estimate(samples, gap)

    def next_slack(self) -> Duration:
        """Return the slack."""
        return Duration(self._slack)

    def slack_path(self, largest_delay: Times) -> None:
        """Decide at boundaries only."""

    def snapshot(self) -> dict[str, Any]:
        """Return the samples, and the slack."""
        return {
            "counting": self._counting,
            "delays": [sampled.snapshot() for sampled in self._delays],
            "pace": self._pace.snapshot(),
            "slack": self._slack,
            "longest": self._longest,
            "estimated_at": self._estimated_at,
            "waited": self._waited,
            "estimated": self.estimated,
        }

    def _sample(self, delays: list[Times]) -> None:
        """Take samples stream by stream: which of a merge came last among all depends on where a batch ends."""
        every, most = self._counting
        while len(self._delays) < len(delays):  # of a merge nobody says beforehand how many there are
            self._delays.append(Sampled(every=every, most=most))
        for sampled, each in zip(self._delays, delays, strict=False):
            sampled.update(each)

    def _estimate(self, delays: Times, gap: float) -> None:
        pace = Pace(float(np.std(delays, ddof=1)), gap)
        events = self._config.events(self._drop_ratio, pace)
        slack = slack_holding(events * gap, delays) if gap else self._longest
        self._slack = min(math.ceil(slack), Duration.MAX.microseconds)
        self.estimated = 1 - drop_probability(events, *pace) if gap else None
