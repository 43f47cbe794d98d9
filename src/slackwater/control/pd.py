"""A proportional-derivative controller: SUN15 Sec. 6.2.3, the approach that the document compares its model with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import target_of
from slackwater.control.tracked_quality import TrackedQuality
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times

LONGEST = float(Duration.MAX.microseconds - 1_000)  # as a float the longest duration could be rounded up past itself


@dataclass(frozen=True)
class PD:
    """At each boundary, changes the slack by kp * e + kd * (e - e before); e = target - quality measured.

    It knows nothing of delays and only reacts: quality must be missed before the slack grows. Intervals in which the
    join made no progress are skipped. Without a join, the quality is the share of events within the slack; for
    `RelativeError`, that of results within the bound. `AlphaPD` is the same with gains that suit any delays.

    Args:
        kp: what is added to the slack where all quality is missing; a hundredth of it where 1 % is missing.
        kd: the same for the change of the error. The document tunes both by hand and does not print them: the
            defaults suit delays of tens of milliseconds.
        overall: whether the quality is that from the start of the stream on, or that of each interval.

    >>> PD(kp="500 ms", kd="250 ms").build().next_slack()
    Duration('0 seconds')
    """

    kp: DurationLike = "500 ms"
    kd: DurationLike = "250 ms"
    overall: bool = False
    skipped_laws: ClassVar[Mapping[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check the gains."""
        for name in ("kp", "kd"):
            object.__setattr__(self, name, Duration.of(getattr(self, name), parameter=name))

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> PDController:
        """Make the controller, anew or from its snapshot."""
        return PDController(self, goal, state or {})


class PDController:
    """Logic of `PD`."""

    learns_from = "results"
    needs_cross = True

    def __init__(self, config: PD, goal: Goal, state: dict[str, Any]) -> None:
        self._kp = Duration.of(config.kp).microseconds
        self._kd = Duration.of(config.kd).microseconds
        self._overall = config.overall
        self._target = target_of(goal)
        self._slack: float = state.get("slack", 0.0)
        self._error: float | None = state.get("error")  # None before the first measurement: nothing to derive from
        self._quality = TrackedQuality(goal, state.get("quality"))

    def observe(self, measurement: Measurement) -> None:
        """Measure; where an interval ended, correct the slack."""
        self._quality.update(measurement)
        if not measurement.intervals:
            return
        ended = self._quality.close(measurement.intervals)
        if ended is not None:
            self._correct(self._target - (self._quality.total if self._overall else ended).quality)

    def next_slack(self) -> Duration:
        """Return the slack, in whole microseconds."""
        return Duration(round(self._slack))

    def slack_path(self, largest_delay: Times) -> None:
        """Follow no arrival."""

    def snapshot(self) -> dict[str, Any]:
        """Return the slack, the last error and what is known of the quality."""
        return {"slack": self._slack, "error": self._error, "quality": self._quality.snapshot()}

    def _correct(self, error: float) -> None:
        change = 0.0 if self._error is None else error - self._error
        self._error = error
        slack = self._slack + self._kp * error + self._kd * change
        self._slack = min(max(slack, 0.0), LONGEST)
