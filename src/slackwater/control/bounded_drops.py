"""The default for `DropRatio`: the slack that recent delays ask for, and a guard that does not wait for a decision.

KIM assumes normal delays and bounds the share late on average. Here delays are counted as they are, as for a recall
(`NeededSlack`), and the share is kept in every period: a decision at every boundary cannot do that alone, since within
one interval more events may come too late than a period may lose. So arrivals are followed between decisions too. The
guard knows how many more events may be late in the period under way; once an interval uses up more of them than it
should, or hardly any are left, it waits as long as the largest recent delay asks for until the next decision.
See docs/decisions/0014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.around import Around
from slackwater.control.controller import estimated_by
from slackwater.control.needed_slack import NeededSlack
from slackwater.control.parameters import check_share, drop_ratio_of
from slackwater.estimate.kernels import count_behind
from slackwater.estimate.recent_peak import RecentPeak
from slackwater.estimate.recent_recall import RecentRecall
from slackwater.time import Duration, is_behind

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.events import Rows
    from slackwater.measurement import Measurement
    from slackwater.time import Times

_ONE_EACH: Rows = np.empty(0, np.int64)  # weights of events that stand for themselves
_SPARE = 3  # events: with fewer that may still be late, none is risked
_PEAK_PERIODS = 10  # over which the largest delay counts


@dataclass(frozen=True)
class BoundedDrops:
    """Waits as long as `NeededSlack` says, and longer at once where the period's share of late events runs out.

    Args:
        memory: how long delays are remembered, in periods (half-life): shorter than for a recall, as the guard covers
            for what has been forgotten.
        reserve: the share of the events that may still be late that may come behind the slack unheeded.

    >>> BoundedDrops().build().next_slack()
    Duration('0 seconds')
    """

    memory: float = 2.0
    reserve: float = 0.1

    skipped_laws: ClassVar[dict[str, str]] = NeededSlack.skipped_laws

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_share("reserve", self.reserve)
        self._inner()

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> BoundedDropsController:
        """Make the controller, anew or from its snapshot."""
        guard = (state or {}).get("guard", {})
        return BoundedDropsController(self._inner().build(state, goal), self.reserve, goal, guard)

    def _inner(self) -> NeededSlack:
        return NeededSlack(tolerance=0, memory=self.memory)


class BoundedDropsController(Around):
    """Logic of `BoundedDrops`. O(n) for n arrivals, besides the inner controller's decisions."""

    def __init__(self, inner: Controller, reserve: float, goal: Goal, state: dict[str, Any]) -> None:
        super().__init__(inner)
        self._reserve = reserve
        self._drop_ratio = drop_ratio_of(goal)
        self._spans = [goal.interval, goal.period]
        if state.get("spans", self._spans) != self._spans:  # what was counted in other intervals means nothing
            state = {}
        # The period that the next decision measures: all but its last interval is known.
        known = max(goal.period - goal.interval, 0)
        self._recent = RecentRecall(known, state.get("recent"))
        self._interval_share = goal.interval / known if known else 0.0
        self._peak = RecentPeak(max(1, round(_PEAK_PERIODS * goal.period / goal.interval)), state.get("peak"))
        self._arrived, self._behind = state.get("interval", (0, 0))  # in the interval under way
        self._alarmed = state.get("alarmed", False)

    @property
    def estimated(self) -> float | None:
        """What the inner controller expects; the guard only adds to it."""
        return estimated_by(self._inner)

    def observe(self, measurement: Measurement) -> None:
        """Let the inner controller learn; count what was late; a boundary ends the alarm."""
        super().observe(measurement)
        arrived = measurement.arrived
        self._recent.update(arrived, arrived - measurement.late)
        if measurement.intervals:
            self._recent.close(measurement.at)
            self._peak.close()
            self._arrived = self._behind = 0
            self._alarmed = False

    def next_slack(self) -> Duration:
        """Return what the inner controller decided, or what an alarm asks for."""
        decided = self._inner.next_slack()
        return max(decided, Duration(self._peak.get())) if self._alarmed else decided

    def slack_path(self, largest_delay: Times) -> None:
        """Decide at boundaries, and in between by `slack_within`."""

    def slack_within(self, delays: Times, arrived_by: Rows, weights: Rows | None = None) -> Times:
        """Return the slack at each step of a part of an interval; `arrived_by` says how many events came up to it.

        Events that arrived together count together: they have no order. Each stands for `weights` events, if given.
        """
        slack, last = self._inner.next_slack().microseconds, arrived_by - 1
        count, largest = count_behind(delays, slack, _ONE_EACH if weights is None else weights)
        arriving = arrived_by if weights is None else np.cumsum(weights)[last]
        if self._stays_calm(count, int(arriving[0]), int(arriving[-1])):
            self._peak.update(largest)
            return np.full(len(arrived_by), slack)
        is_over = is_behind(delays, slack)
        behind = self._behind + np.cumsum(is_over if weights is None else is_over * weights)[last]
        alarm = np.maximum.accumulate((behind > self._unheeded(arriving)) | self._alarmed)
        peak = np.maximum(np.maximum.accumulate(delays)[last], max(self._peak.get(), slack))
        path: Times = np.where(alarm, peak, slack)
        self._peak.update(largest)
        self._arrived, self._behind, self._alarmed = self._arrived + int(arriving[-1]), int(behind[-1]), bool(alarm[-1])
        return path

    def snapshot(self) -> dict[str, Any]:
        """Return the inner snapshot, and what the guard counts."""
        guard = {
            "spans": self._spans,
            "recent": self._recent.snapshot(),
            "peak": self._peak.snapshot(),
            "interval": (self._arrived, self._behind),
            "alarmed": self._alarmed,
        }
        return {**super().snapshot(), "guard": guard}

    def _stays_calm(self, more_behind: int, first: int, arriving: int) -> bool:
        """Count, if no step can raise an alarm: all that come are within the bound of the first, and it only grows.

        `first` events arrive with the first step, `arriving` with all.
        """
        behind = self._behind + more_behind
        # One number: NumPy would take longer than all the rest of this.
        if self._alarmed or behind > self._unheeded(first, min, max):
            return False
        self._arrived, self._behind = self._arrived + arriving, behind
        return True

    def _unheeded(self, arriving: Rows | int, least: Any = np.minimum, most: Any = np.maximum) -> Any:
        """Return how many events of the interval may come behind the slack before there is an alarm."""
        left = self._may_be_late(arriving)
        return least(most(self._reserve * left, self._at_this_pace()), left - _SPARE)

    def _may_be_late(self, arriving: Rows | int) -> Any:
        """Return how many events of the period may be late, after each that arrives, besides those that were."""
        due, made = self._recent.counts()
        return self._drop_ratio * (due + self._arrived + arriving) - (due - made)

    def _at_this_pace(self) -> float:
        """Return how many events of an interval may be late if all intervals of a period lose alike."""
        return self._drop_ratio * self._recent.counts()[0] * self._interval_share
