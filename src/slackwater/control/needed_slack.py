"""The default for `Recall`: the smallest slack with which the next period's recall can be counted on.

JI16 predicts the recall from the delays of events, assuming that they are independent of each other and of the keys,
and corrects the requirement by what the last period lacked (eq. 7), which swings between all and nothing. Here nothing
is assumed: how long each result had to be waited for is known once its last member has arrived, whatever the slack
was. So the recall at any slack is simply counted over recent results, with how much it varies; and a margin that is
learned takes the place of the swings. See docs/decisions/0008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.held import Held
from slackwater.control.parameters import check_share, target_of
from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats, added, pack, unpack
from slackwater.estimate.event_lags import EventLags
from slackwater.estimate.kernels import bin_of_one, tallied, tallied_delays
from slackwater.estimate.needed_slack import NeededSlack as Memory
from slackwater.estimate.needed_slack import slack_of_bin
from slackwater.measurement import NeededSlacks
from slackwater.models.needed_slack import expected_recall, first_to_count_on
from slackwater.time import Duration, is_behind

if TYPE_CHECKING:
    from slackwater.measurement import Measurement

_NO_TIMES = np.empty(0, np.int64)
_BLOCKS_PER_PERIOD = 12  # fewer say little about how blocks vary, more are not independent of each other
_BLOCKS_TO_START = 2  # until then, wait as long as any event needed
_PRIOR_RESULTS = 30  # that events' lags count for, where results are rare
_STEP = 0.1  # by which a violation raises the caution
_LEAST, _MOST = 0.5, 12.0  # deviations
_GAIN = 12.0  # how much more than the target is aimed at while the last period falls short, for each bit it does


@dataclass(frozen=True)
class NeededSlack:
    """Waits as long as all but a tolerable share of recent results needed.

    Args:
        violations: the share of measurements that may fall short of the target, less the tolerance.
        tolerance: the share of the target by which a period may fall short: JI16 counts it as kept from .99 Γ on.
        memory: how long results are remembered, in periods (half-life).

    >>> NeededSlack().build().next_slack()
    Duration('0 seconds')
    """

    violations: float = 0.003
    tolerance: float = 0.01
    memory: float = 10.0

    skipped_laws: ClassVar[dict[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_share("violations", self.violations)
        check_share("tolerance", self.tolerance)
        if not self.memory > 0:
            raise ParameterError("memory", self.memory, must="be > 0", remedy="it counts measurement periods")

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> NeededSlackController:
        """Make the controller, anew or from its snapshot."""
        return NeededSlackController(self, goal, state or {})


class NeededSlackController(Held):
    """Logic of `NeededSlack`. A decision is O(bins), and there are at most 2,048 bins.

    Three memories look back over `memory` periods, one period and a quarter; the largest slack that any of them asks
    for is used, so that a change for the worse counts at once and one for the better in time. How many deviations to
    stay on the safe side is learned: each measured violation raises it, each measurement without one lowers it, such
    that the share of violations comes out as asked for (adaptive conformal inference, Gibbs and Candes 2021).
    """

    learns_from = "arrivals"  # results that never came count as much as those that did

    def __init__(self, config: NeededSlack, goal: Goal, state: dict[str, Any]) -> None:
        self._violations = config.violations
        self._lowest = target_of(goal) * (1 - config.tolerance) if target_of(goal) < 1 else 1.0
        self._most = Duration.MAX.microseconds if goal.cap is None else goal.cap
        self._spans = (goal.interval, goal.period)
        if state.get("spans", list(self._spans)) != list(self._spans):  # blocks of another length mean nothing
            state = {name: state[name] for name in ("slack", "longest") if name in state}
        super().__init__(state)
        self._start = min(self._most, goal.period or self._most)  # the longest wait before anything is known
        intervals = max(1.0, goal.period / goal.interval)  # of a period
        self._block_intervals = max(1, round(intervals / _BLOCKS_PER_PERIOD))
        self._blocks = intervals / self._block_intervals  # of a period
        spans = (config.memory * self._blocks, self._blocks, self._blocks / 4)
        kept = state.get("memories", [{}] * len(spans))
        self._memories = [Memory(span, each) for span, each in zip(spans, kept, strict=True)]
        self._lags = EventLags(spans[0], state.get("lags"))
        self._block = unpack(state["block"], np.float64) if "block" in state else np.zeros(1)
        self._intervals, self._complete = state.get("intervals", 0), state.get("complete", 0)
        self._longest = state.get("longest", 0)
        self._deviations = state.get("deviations", 2.33)

    def observe(self, measurement: Measurement) -> None:
        """Learn what results needed; decide where a block is complete."""
        if measurement.needs is None and measurement.weights is None and not measurement.streams:
            recall = self._learn_delays(measurement)
        else:
            recall = self._learn(_needs_of(measurement))
        if not measurement.intervals:
            return
        self._intervals += measurement.intervals
        if self._intervals >= self._block_intervals:
            self._close_block()
        lacking = 0.0 if recall is None else max(self._lowest - recall, 0.0)
        if recall is not None and self._complete >= self._blocks:
            self._correct(lacking)
        if self._complete < _BLOCKS_TO_START:
            self._slack = min(self._longest, self._start)
        elif self._longest and (lacking or not self._intervals):
            self._decide(lacking)

    def snapshot(self) -> dict[str, Any]:
        """Return the memories, the block under way, the caution and the slack."""
        return {
            **super().snapshot(),
            "spans": list(self._spans),
            "memories": [memory.snapshot() for memory in self._memories],
            "lags": self._lags.snapshot(),
            "block": pack(self._block),
            "intervals": self._intervals,
            "complete": self._complete,
            "longest": self._longest,
            "deviations": self._deviations,
        }

    def _learn_delays(self, measurement: Measurement) -> float | None:
        """Learn from events that are results themselves: what `_learn` does with their needs, in one pass."""
        tally, out_of_order, longest = tallied_delays(measurement.delays)
        self._longest = max(self._longest, longest)
        self._lags.update_tally(tally, out_of_order)
        self._block = added(self._block, tally)
        return measurement.kept

    def _learn(self, needs: NeededSlacks) -> float | None:
        """Learn from the needs of results, and return the recall of the last period."""
        for lag in needs.lags:
            if len(lag):
                self._longest = max(self._longest, int(lag.max()))
        self._lags.update(needs.lags, needs.events, needs.lag_weights)
        in_time = needs.in_time
        if in_time is None:
            self._block = added(self._block, tallied(needs.slack, needs.weight))
        else:
            self._block[0] += in_time
        return needs.recall

    def _correct(self, lacking: float) -> None:
        """Become more or less cautious, by whether the last period fell short; caution does not help at the cap."""
        if lacking and self._slack >= self._most:
            return
        step = _STEP * (float(lacking > 0) - self._violations)
        self._deviations = min(max(self._deviations + step, _LEAST), _MOST)

    def _close_block(self) -> None:
        self._intervals = 0
        self._complete += 1
        if self._block.any():
            for memory in self._memories:
                memory.update_counts(self._block)
        self._lags.close()
        self._block = np.zeros(1)

    def _decide(self, lacking: float) -> None:
        """Take the largest slack that a memory asks for; what the last period lacks is made good, but not at once."""
        aim = min(self._lowest + _GAIN * lacking, (1 + self._lowest) / 2)
        prior = self._lags.missed()
        chosen = max(self._smallest_bin(place, prior, aim) for place in range(len(self._memories)))
        expected = expected_recall(self._memories[0].get())
        self._slack = min(slack_of_bin(chosen), self._longest, self._most)
        waited = min(chosen, int(bin_of_one(self._slack)), len(expected) - 1)
        self._estimated = float(expected[waited])

    def _smallest_bin(self, place: int, prior: Floats, aim: float) -> int:
        """Return the first bin whose recall can be counted on to reach the aim; the last one misses nothing.

        The shortest memory is half as cautious: it is there to see changes, and has little to tell noise from. Only
        the longest has enough blocks to know whether trouble lasts.
        """
        share = 0.5 if place == len(self._memories) - 1 else 1.0
        return first_to_count_on(
            self._memories[place].get(),
            prior,
            _PRIOR_RESULTS,
            aim,
            blocks_per_period=self._blocks,
            deviations=share * self._deviations,
            of_mean=share,
            lasting=place == 0,
        )


def _needs_of(measurement: Measurement) -> NeededSlacks:
    """Return what results needed; where events stand for others, and nothing is joined, every event is a result."""
    if measurement.needs is not None:
        return measurement.needs
    if measurement.weights is None:  # an operator over streams of which no result is known
        return NeededSlacks(np.zeros(1, np.int64), np.zeros(1), (_NO_TIMES,), (0,), measurement.kept)
    behind = is_behind(measurement.delays, 0)
    lags, weights = measurement.delays[behind], measurement.weights[behind].astype(np.float64)
    slack = np.append(0, lags)  # all that need nothing are one result
    weight = np.append(measurement.arrived - weights.sum(), weights)
    return NeededSlacks(slack, weight, (lags,), (measurement.arrived,), measurement.kept, lag_weights=(weights,))
