"""As long as a deadline allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.fixed import FixedController
from slackwater.time import Duration


@dataclass(frozen=True)
class DeadlineSlack:
    """Waits what a deadline leaves once everything else is taken off; without a deadline, nothing.

    That is the largest slack threshold (SLT) that SSG17 may choose, and the fewest slack-ready events.

    >>> from slackwater.deadline import Deadline
    >>> DeadlineSlack().build(goal=Deadline("6 seconds", latency="1 second").goal()).next_slack()
    Duration('5 seconds')
    """

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> FixedController:
        """Make the controller; it has nothing to remember."""
        return FixedController(Duration(0 if goal.deadline is None else goal.deadline - goal.latency))
