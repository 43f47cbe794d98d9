"""The same slack for ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times


@dataclass(frozen=True)
class Fixed:
    """Waits `slack`, whatever happens; `Fixed("0 seconds")` never waits (JI16 No-K-slack).

    >>> Fixed("2 seconds").build().next_slack()
    Duration('2 seconds')
    """

    slack: DurationLike

    def __post_init__(self) -> None:
        """Check the slack."""
        object.__setattr__(self, "slack", Duration.of(self.slack, parameter="slack"))

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> FixedController:
        """Make the controller; it has nothing to remember."""
        return FixedController(Duration.of(self.slack))


class FixedController:
    """Logic of `Fixed`."""

    def __init__(self, slack: Duration) -> None:
        self._slack = slack

    def observe(self, measurement: Measurement) -> None:
        """Learn nothing."""

    def next_slack(self) -> Duration:
        """Return the slack."""
        return self._slack

    def slack_path(self, largest_delay: Times) -> Times:
        """Return the slack for every step."""
        return np.broadcast_to(np.int64(self._slack.microseconds), largest_delay.shape)

    def snapshot(self) -> dict[str, Any]:
        """Return nothing: the configuration says it all."""
        return {}
