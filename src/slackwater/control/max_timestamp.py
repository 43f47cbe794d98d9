"""The largest delay seen against the clock of all streams: Max Timestamp of SSG17 Sec. 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.contracts import NO_GOAL, Goal
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Measurement


@dataclass(frozen=True)
class MaxTimestamp:
    """Waits as long as any event was behind the fastest stream so far. Never shrinks, and knows no deadline.

    `MaxDelay` is the same for one stream alone: there delays are measured against its own clock.
    """

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> MaxTimestampController:
        """Make the controller, anew or from its snapshot."""
        state = state or {}
        return MaxTimestampController(state.get("slack", 0), state.get("largest", 0))


class MaxTimestampController:
    """Logic of `MaxTimestamp`."""

    def __init__(self, slack: int, largest: int) -> None:
        self._slack, self._largest = slack, max(slack, largest)

    def observe(self, measurement: Measurement) -> None:
        """Note how far events were behind; at a boundary that becomes the slack."""
        ahead = max((int(each.ahead.max(initial=0)) for each in measurement.streams), default=0)
        spread = 0 if measurement.waited is None else measurement.waited.spread
        self._largest = max(self._largest, measurement.max_delay, ahead, spread)
        if measurement.intervals:
            self._slack = min(self._largest, Duration.MAX.microseconds)

    def next_slack(self) -> Duration:
        """Return the largest delay up to the last boundary."""
        return Duration(self._slack)

    def slack_path(self, largest_delay: object) -> None:
        """Change at boundaries only."""

    def snapshot(self) -> dict[str, Any]:
        """Return the slack in force, and the largest delay so far."""
        return {"slack": self._slack, "largest": self._largest}
