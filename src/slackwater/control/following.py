"""A controller that does what it is told, and reports what it saw: one bucket of many, led by the driver.

A slack that was decided elsewhere comes late by nature. So it is good for one period of event time past the boundary at
which it was decided; before the first and after the last, the bucket decides by itself, from what it has seen all
along. See docs/decisions/0012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.control.around import Around
from slackwater.control.controller import estimated_by
from slackwater.estimate.pool import Statistics
from slackwater.time import Duration, intervals_passed, is_within_period

if TYPE_CHECKING:
    from slackwater.contracts import Goal
    from slackwater.control.controller import Controller
    from slackwater.measurement import Measurement
    from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class Told:
    """A slack that was decided for all buckets, in us, and the event time of that decision."""

    slack: int
    at: int

    def is_good(self, clock: int, period: int) -> bool:
        """Whether it may still be followed.

        >>> Told(slack=5, at=100).is_good(159, 60), Told(slack=5, at=100).is_good(160, 60)
        (True, False)
        """
        return is_within_period(clock, self.at, period)


class FollowingController(Around):
    """Follows what it was told last, from the next boundary on; where that is too old, the inner controller."""

    def __init__(
        self, inner: Controller, goal: Goal, told: Told | None = None, state: dict[str, Any] | None = None
    ) -> None:
        super().__init__(inner)
        self._goal = goal
        self._told = told
        kept = (state or {}).get("following", {})
        self._slack: int | None = kept.get("slack")  # in force; None: as the inner controller says
        same = kept.get("length", goal.interval) == goal.interval  # else the number means another time
        self._interval: int | None = kept.get("interval") if same else None  # the number of the one under way
        self._clock: int | None = None
        self._seen: list[Statistics] = []

    @property
    def estimated(self) -> float | None:
        """What the inner controller expects where it decides; a bucket that follows expects nothing."""
        return estimated_by(self._inner) if self._slack is None else None

    def observe(self, measurement: Measurement) -> None:
        """Note what is to be reported, and at a boundary see whom to follow."""
        super().observe(measurement)
        number = int(intervals_passed(measurement.at, self._goal.interval))
        if measurement.needs is not None:
            under_way = number - measurement.intervals if self._interval is None else self._interval
            self._seen.append(Statistics.of(measurement.needs, under_way))
        self._interval, self._clock = number, measurement.at
        if measurement.intervals:
            told = self._told
            self._slack = told.slack if told and told.is_good(measurement.at, self._goal.period) else None

    def next_slack(self) -> Duration:
        """Return what was told, or what the inner controller says; a cap that is new since then counts at once."""
        if self._slack is None:
            return self._inner.next_slack()
        return Duration(self._slack if self._goal.cap is None else min(self._slack, self._goal.cap))

    def slack_path(self, largest_delay: Times) -> None:
        """Change at boundaries only."""

    def report(self) -> tuple[Statistics, int] | None:
        """Return what was seen since the last report, and the clock; None where there was nothing."""
        if self._clock is None:
            return None
        seen, self._seen = self._seen, []
        return Statistics.sum(seen), self._clock

    def snapshot(self) -> dict[str, Any]:
        """Return the inner snapshot and what is in force; what was seen is to be reported before."""
        following = {"slack": self._slack, "interval": self._interval, "length": self._goal.interval}
        return {**super().snapshot(), "following": following}
