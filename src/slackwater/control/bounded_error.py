"""The default for `RelativeError`: the smallest slack with which enough of the recent results would have been close.

What each result would have been at every slack is known soon after its window has ended, whatever the slack was
(`core/ledger.py`). So the share of results within the bound is counted for all slacks, and the smallest is taken whose
share is enough: in the long run, and over the last few windows, which know first when things get worse. How much more
than the confidence is asked for is corrected by what was reached. See docs/decisions/0022.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.held import Held
from slackwater.control.needed_slack import NeededSlack
from slackwater.control.parameters import check_share, target_of
from slackwater.errors import ParameterError
from slackwater.estimate.needed_slack import slack_of_bin
from slackwater.models.within_bound import shares_within, smallest_bin

if TYPE_CHECKING:
    from slackwater.measurement import Measurement, RecentWindows

_RECENT = 20.0  # windows that the short memory looks back
_DOUBT = 1.0  # standard deviations by which few windows may fall short without saying that things got worse
_MARGIN = 0.5  # standard deviations of a share of so few results that are added to what is asked for
_NEARLY_ALL = 0.02  # the share of what may be out of bounds that is never asked back
_GAIN = 2.0  # how much more is asked for while less was reached, for each bit that is lacking


@dataclass(frozen=True)
class BoundedError:
    """Waits as long as all but a tolerable share of recent results needed to be within the bound.

    Args:
        memory: how many windows are remembered (half-life).
        reserve: the share of what may be out of bounds that is not used, as a margin for what the past does not tell.

    >>> BoundedError().build().next_slack()
    Duration('0 seconds')
    """

    memory: float = 150.0
    reserve: float = 0.25

    skipped_laws: ClassVar[dict[str, str]] = NeededSlack.skipped_laws

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_share("reserve", self.reserve)
        if not self.memory > 0:
            raise ParameterError("memory", self.memory, must="be > 0", remedy="it counts windows")

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> BoundedErrorController:
        """Make the controller, anew or from its snapshot."""
        return BoundedErrorController(self, goal, state or {})


class BoundedErrorController(Held):
    """Logic of `BoundedError`. It remembers the slack, and how long events came behind before any window was known."""

    learns_from = "arrivals"

    def __init__(self, config: BoundedError, goal: Goal, state: dict[str, Any]) -> None:
        super().__init__(state)
        self._config = config
        self._confidence = target_of(goal)
        self._longest: int = state.get("longest", 0)
        self._changed: bool = state.get("changed", False)  # whether windows have been judged in this interval

    def observe(self, measurement: Measurement) -> None:
        """Where an interval ended, decide; until a window is known, wait as long as any event came behind."""
        self._longest = max(self._longest, measurement.max_delay)
        windows = measurement.windows
        self._changed |= windows is not None and windows.changed
        if not measurement.intervals:
            return
        if windows is None or not len(windows.age):
            self._slack = self._longest
        elif self._changed:
            self._decide(windows)
            self._changed = False

    def snapshot(self) -> dict[str, Any]:
        """Return the slack, and what it is to keep."""
        return {**super().snapshot(), "longest": self._longest, "changed": self._changed}

    def _decide(self, windows: RecentWindows) -> None:
        level = self._level(windows)
        long = shares_within(windows, half_life=self._config.memory)
        short = shares_within(windows, half_life=_RECENT)
        chosen = max(smallest_bin(long, level), smallest_bin(short, self._confidence, doubt=_DOUBT))
        self._slack = slack_of_bin(chosen)
        expected = float(long.within[chosen])
        self._estimated = None if expected != expected else expected  # nan: no window is old enough

    def _level(self, windows: RecentWindows) -> float:
        """Return the share to aim at: the confidence and a reserve, more while less than the confidence is reached."""
        spare = 1 - self._confidence
        lacking = 0.0
        if windows.share is not None:
            lacking = self._confidence - windows.share - _DOUBT * self._deviation(windows.emitted)
        reserve = self._config.reserve * spare + _MARGIN * self._deviation(float(windows.results.sum()))
        return min(self._confidence + reserve + _GAIN * max(lacking, 0.0), 1 - _NEARLY_ALL * spare)

    def _deviation(self, results: float) -> float:
        """Return the standard deviation of a share of so many results, if each is within the bound by chance."""
        return math.sqrt(self._confidence * (1 - self._confidence) / results)
