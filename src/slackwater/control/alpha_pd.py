"""A PD controller of the share of the largest delay to wait for: SUN15 Sec. 3.1.1, after Zhou's quality-driven K-slack.

The work that SUN15 and JI16 build on waits alpha K, where K is the largest delay so far and alpha in [0, 1] is moved by
a proportional-derivative controller, by how far the quality of an aggregate's results is from what is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.needed_slack import NeededSlack
from slackwater.control.parameters import target_of
from slackwater.control.tracked_quality import TrackedQuality
from slackwater.errors import ParameterError
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times


@dataclass(frozen=True)
class AlphaPD:
    """At each boundary, changes alpha by kp * e + kd * (e - e before); e = target - quality.

    The slack is alpha times the largest delay so far.
    For `RelativeError` the quality is the share of results within the bound among those that became known in the
    interval; intervals in which none did are skipped. Without a join or such a contract it is the share of events
    within the slack.

    Args:
        kp: what is added to alpha where all quality is missing. The documents tune both by hand and print neither.
        kd: the same for the change of the error.

    >>> AlphaPD().build().next_slack()
    Duration('0 seconds')
    """

    kp: float = 0.5
    kd: float = 0.25

    skipped_laws = NeededSlack.skipped_laws

    def __post_init__(self) -> None:
        """Check the gains."""
        for name in ("kp", "kd"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
                raise ParameterError(name, value, must="be a number >= 0", remedy="0.5 suits most delays")

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> AlphaPDController:
        """Make the controller, anew or from its snapshot."""
        return AlphaPDController(self, goal, state or {})


class AlphaPDController:
    """Logic of `AlphaPD`."""

    learns_from = "results"

    def __init__(self, config: AlphaPD, goal: Goal, state: dict[str, Any]) -> None:
        self._kp, self._kd = config.kp, config.kd
        self._target = target_of(goal)
        self._alpha: float = state.get("alpha", 0.0)
        self._largest: int = state.get("largest", 0)
        self._slack: int = state.get("slack", 0)
        self._error: float | None = state.get("error")  # None before the first measurement: nothing to derive from
        self._quality = TrackedQuality(goal, state.get("quality"))

    def observe(self, measurement: Measurement) -> None:
        """Measure; where an interval ended, correct the share."""
        self._quality.update(measurement)
        self._largest = max(self._largest, measurement.max_delay)
        if not measurement.intervals:
            return
        ended = self._quality.close(measurement.intervals)
        if ended is not None:
            self._correct(self._target - ended.quality)
        self._slack = round(self._alpha * min(self._largest, Duration.MAX.microseconds))

    def next_slack(self) -> Duration:
        """Return the share of the largest delay."""
        return Duration(self._slack)

    def slack_path(self, largest_delay: Times) -> None:
        """Follow no arrival."""

    def snapshot(self) -> dict[str, Any]:
        """Return the share, the largest delay, the last error and what is known of the quality."""
        return {
            "alpha": self._alpha,
            "largest": self._largest,
            "slack": self._slack,
            "error": self._error,
            "quality": self._quality.snapshot(),
        }

    def _correct(self, error: float) -> None:
        change = 0.0 if self._error is None else error - self._error
        self._error = error
        self._alpha = min(max(self._alpha + self._kp * error + self._kd * change, 0.0), 1.0)
