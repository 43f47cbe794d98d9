"""The largest recent delay, which decays: the adaptive method of Srivastava and Widom, as KIM Sec. 2 describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import check_count
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times


@dataclass(frozen=True)
class AdaptiveMax:
    """Waits as long as a delay m; a larger one takes its place at once, after `window` arrivals without one it decays.

    Then m becomes (m + largest delay of those arrivals) / 2, and the next `window` begins. It knows no target: a longer
    window loses fewer events and waits longer, and nobody can tell how long it has to be (KIM Sec. 4).

    Args:
        window: W, in arrivals; rows that arrive together are one. KIM takes at least as many as come in a second,
            which were 10,000.

    >>> import numpy as np
    >>> AdaptiveMax(window=3).build().slack_path(np.array([8, 0, 4, 2, 0, 0, 9])).tolist()
    [8, 8, 8, 8, 6, 6, 9]
    """

    window: int = 10_000
    skipped_laws: ClassVar[Mapping[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check the window."""
        check_count("window", self.window, least=1)

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> AdaptiveMaxController:
        """Make the controller, anew or from its snapshot."""
        return AdaptiveMaxController(self.window, state or {})


class AdaptiveMaxController:
    """Logic of `AdaptiveMax`. O(n) for n arrivals: every look at a window moves on by half of one or more."""

    def __init__(self, window: int, state: dict[str, Any]) -> None:
        self._window = window
        self._largest: int = state.get("largest", 0)  # m
        self._since: int = state.get("since", 0)  # arrivals since m was set
        self._second: int = state.get("second", 0)  # the largest delay of these

    def observe(self, measurement: Measurement) -> None:
        """Learn nothing more: every arrival was followed already."""

    def next_slack(self) -> Duration:
        """Return the delay that is waited for."""
        return Duration(self._largest)

    def slack_path(self, largest_delay: Times) -> Times:
        """Follow the delays: a larger one counts for its own step already, a decay from the next step on."""
        path = np.empty(len(largest_delay), np.int64)
        done = 0
        while done < len(path):
            done += self._follow(largest_delay[done : done + max(self._window - self._since, 1)], path[done:])
        return path

    def snapshot(self) -> dict[str, Any]:
        """Return the delay that is waited for, and what is known of the window under way."""
        return {"largest": self._largest, "since": self._since, "second": self._second}

    def _follow(self, delays: Times, path: Times) -> int:
        """Go on to the last delay of a window that is larger than all before, or to its end; return how many steps."""
        levels = np.maximum(np.maximum.accumulate(delays), self._largest)
        grew = np.flatnonzero(np.diff(levels, prepend=self._largest))
        steps = int(grew[-1]) + 1 if len(grew) else len(delays)
        path[:steps] = levels[:steps]
        if len(grew):
            self._largest, self._since, self._second = int(levels[steps - 1]), 0, 0
            return steps
        self._since += steps
        self._second = max(self._second, int(delays.max()))
        if self._since >= self._window:
            self._largest, self._since, self._second = (self._largest + self._second) // 2, 0, 0
        return steps
