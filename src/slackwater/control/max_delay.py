"""The largest delay seen so far: JI16 Max-K-slack, SUN15 Sec. 3.1.2 adaptive K-slack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times


@dataclass(frozen=True)
class MaxDelay:
    """Waits as long as the largest delay seen, updated at every arrival. Never shrinks.

    >>> import numpy as np
    >>> MaxDelay().build().slack_path(np.array([0, 0, 2, 1])).tolist()
    [0, 0, 2, 2]
    """

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> MaxDelayController:
        """Make the controller, anew or from its snapshot."""
        return MaxDelayController((state or {}).get("largest", 0))


class MaxDelayController:
    """Logic of `MaxDelay`."""

    def __init__(self, largest: int) -> None:
        self._largest = largest

    def observe(self, measurement: Measurement) -> None:
        """Learn nothing more: every arrival was followed already."""

    def next_slack(self) -> Duration:
        """Return the largest delay so far."""
        return Duration(self._largest)

    def slack_path(self, largest_delay: Times) -> Times:
        """Follow the delays: each arrival counts for its own step already."""
        path: Times = np.maximum(np.maximum.accumulate(largest_delay), self._largest)
        if len(path):
            self._largest = int(path[-1])
        return path

    def snapshot(self) -> dict[str, Any]:
        """Return the largest delay so far."""
        return {"largest": self._largest}
