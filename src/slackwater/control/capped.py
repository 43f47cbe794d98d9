"""A limit on the slack of any controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import NO_GOAL, ControllerConfig, Goal, check_config
from slackwater.control.around import Around
from slackwater.control.controller import estimated_by, slack_within
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.events import Rows
    from slackwater.time import Times


@dataclass(frozen=True)
class Capped:
    """Never waits longer than `cap`, whatever the inner controller says.

    >>> from slackwater.control.fixed import Fixed
    >>> Capped(Fixed("1 minute"), cap="30 seconds").build().next_slack()
    Duration('30 seconds')
    """

    inner: ControllerConfig
    cap: DurationLike

    def __post_init__(self) -> None:
        """Check the inner controller and the cap."""
        check_config("inner", self.inner)
        object.__setattr__(self, "cap", Duration.of(self.cap, parameter="cap"))

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> CappedController:
        """Make the controller around the inner one."""
        return CappedController(self.inner.build(state, goal), Duration.of(self.cap))


class CappedController(Around):
    """Logic of `Capped`."""

    def __init__(self, inner: Controller, cap: Duration) -> None:
        super().__init__(inner)
        self._cap = cap

    @property
    def estimated(self) -> float | None:
        """What the inner controller expects of its own slack; unknown where that is capped."""
        return estimated_by(self._inner) if self._inner.next_slack() <= self._cap else None

    def next_slack(self) -> Duration:
        """Return the inner slack, or the cap where that is smaller."""
        return min(self._inner.next_slack(), self._cap)

    def slack_path(self, largest_delay: Times) -> Times | None:
        """Cap the inner path."""
        path = self._inner.slack_path(largest_delay)
        return None if path is None else np.minimum(path, self._cap.microseconds)

    def slack_within(self, delays: Times, arrived_by: Rows, weights: Rows | None = None) -> Times:
        """Cap what the inner controller says between decisions."""
        return np.minimum(slack_within(self._inner, delays, arrived_by, weights), self._cap.microseconds)
