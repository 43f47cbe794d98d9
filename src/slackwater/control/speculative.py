"""A fraction of any controller's slack: SUN15 Sec. 3.1.4, speculative K-slack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import NO_GOAL, ControllerConfig, Goal, check_config
from slackwater.control.around import Around
from slackwater.control.controller import slack_within
from slackwater.errors import ParameterError
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.events import Rows
    from slackwater.time import Times


@dataclass(frozen=True)
class Speculative:
    """Waits `alpha` times what the inner controller says, rounded down to whole microseconds.

    >>> from slackwater.control.fixed import Fixed
    >>> Speculative(Fixed("3 seconds"), alpha=0.5).build().next_slack()
    Duration('1.5 seconds')
    """

    inner: ControllerConfig
    alpha: float

    def __post_init__(self) -> None:
        """Check the inner controller and alpha."""
        check_config("inner", self.inner)
        if not 0 <= self.alpha <= 1:
            raise ParameterError("alpha", self.alpha, must="be in [0, 1]", remedy="1 waits in full, 0 never waits")

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> SpeculativeController:
        """Make the controller around the inner one."""
        return SpeculativeController(self.inner.build(state, goal), self.alpha)


class SpeculativeController(Around):
    """Logic of `Speculative`."""

    def __init__(self, inner: Controller, alpha: float) -> None:
        super().__init__(inner)
        self._alpha = alpha

    @property
    def estimated(self) -> float | None:
        """Unknown: the inner controller expects something of its own slack."""
        return None

    def next_slack(self) -> Duration:
        """Return the fraction of the inner slack."""
        return Duration(int(self._inner.next_slack().microseconds * self._alpha))

    def slack_path(self, largest_delay: Times) -> Times | None:
        """Scale the inner path."""
        path = self._inner.slack_path(largest_delay)
        return None if path is None else np.asarray(path * self._alpha, np.int64)

    def slack_within(self, delays: Times, arrived_by: Rows) -> Times:
        """Scale what the inner controller says between decisions."""
        return np.asarray(slack_within(self._inner, delays, arrived_by) * self._alpha, np.int64)
