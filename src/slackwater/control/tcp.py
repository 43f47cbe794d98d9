"""Half as much when the latency grows, a little more when it falls: TCP Adaptation of SSG17 Sec. 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import positive_duration
from slackwater.control.waiting import waited_in
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.measurement import Measurement


@dataclass(frozen=True)
class Tcp:
    """Halves the slack after an interval whose latency was larger than before, adds `step` after one with a smaller.

    It reacts: a deadline is known to be missed only when it was.

    Args:
        step: what is added (1,000 ms in SSG17).
        first: the slack to begin with.
    """

    step: DurationLike = "1 second"
    first: DurationLike = "1 second"

    def __post_init__(self) -> None:
        """Check the durations."""
        object.__setattr__(self, "step", positive_duration("step", self.step))
        object.__setattr__(self, "first", Duration.of(self.first, parameter="first"))

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> TcpController:
        """Make the controller, anew or from its snapshot."""
        first = Duration.of(self.first).microseconds
        return TcpController(Duration.of(self.step).microseconds, first, goal, state or {})


class TcpController:
    """Logic of `Tcp`."""

    def __init__(self, step: int, first: int, goal: Goal, state: dict[str, Any]) -> None:
        self._step, self._goal = step, goal
        self._slack: int = state.get("slack", first)
        self._before: int | None = state.get("before")  # the latency of the interval before
        self._now: int | None = state.get("now")  # of the interval under way

    def observe(self, measurement: Measurement) -> None:
        """Note the latency; at a boundary compare it with that of the interval before."""
        waited = waited_in(measurement, self._goal)
        if waited is not None:
            self._now = max(self._now or 0, waited.latency)
        if measurement.intervals and self._now is not None:
            if self._before is not None and self._now != self._before:
                self._slack = self._slack // 2 if self._now > self._before else self._slack + self._step
            self._slack = min(self._slack, Duration.MAX.microseconds)
            self._before, self._now = self._now, None

    def next_slack(self) -> Duration:
        """Return the slack."""
        return Duration(self._slack)

    def slack_path(self, largest_delay: object) -> None:
        """Change at boundaries only."""

    def snapshot(self) -> dict[str, Any]:
        """Return the slack and the latencies to compare."""
        return {"slack": self._slack, "before": self._before, "now": self._now}
