"""The default for `Recall`: the smallest slack with which the next period's recall can be counted on.

JI16 predicts the recall from the delays of events, assuming that they are independent of each other and of the keys,
and corrects the requirement by what the last period lacked (eq. 7), which swings between all and nothing. Here nothing
is assumed: how long each result had to be waited for is known once its last member has arrived, whatever the slack
was. So the recall at any slack is simply counted over recent results, with how much it varies; and a steady margin
takes the place of the swings. See docs/decisions/0008.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import check_share, target_of
from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats, add, pack, unpack
from slackwater.estimate.needed_slack import NeededSlack as Memory
from slackwater.estimate.needed_slack import bin_of, slack_of_bin
from slackwater.models.needed_slack import expected_recall, recall_to_count_on
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Measurement
    from slackwater.time import Times

_BLOCKS_PER_PERIOD = 12  # fewer say little about how blocks vary, more are not independent of each other
_BLOCKS_TO_START = 2  # until then, wait as long as any result needed


@dataclass(frozen=True)
class NeededSlack:
    """Waits as long as all but a tolerable share of recent results needed.

    Args:
        confidence: with which a period's recall is to reach the target, less the tolerance.
        tolerance: the share of the target by which a period may fall short: JI16 counts a period as kept from .99 Γ on.
        memory: how long results are remembered, in periods (half-life).
        alert: a second, shorter memory; the larger slack of the two is used: a change for the worse counts soon.

    >>> NeededSlack().build().next_slack()
    Duration('0 seconds')
    """

    confidence: float = 0.996
    tolerance: float = 0.01
    memory: float = 10.0
    alert: float = 1.0

    skipped_laws: ClassVar[dict[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_share("confidence", self.confidence)
        check_share("tolerance", self.tolerance)
        if self.confidence >= 1:
            raise ParameterError("confidence", self.confidence, must="be < 1", remedy="nothing is certain: use 0.999")
        for name, value in (("memory", self.memory), ("alert", self.alert)):
            if not value > 0:
                raise ParameterError(name, value, must="be > 0", remedy="it counts measurement periods")

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> NeededSlackController:
        """Make the controller, anew or from its snapshot."""
        return NeededSlackController(self, goal, state or {})


class NeededSlackController:
    """Logic of `NeededSlack`. A decision is O(bins), and there are at most 2,048 bins."""

    learns_from = "arrivals"  # results that never came count as much as those that did

    def __init__(self, config: NeededSlack, goal: Goal, state: dict[str, Any]) -> None:
        self._lowest = target_of(goal) * (1 - config.tolerance)
        self._deviations = NormalDist().inv_cdf(max(config.confidence, 0.5))
        intervals = max(1.0, goal.period / goal.interval)  # of a period
        self._block_intervals = max(1, round(intervals / _BLOCKS_PER_PERIOD))
        self._blocks = intervals / self._block_intervals
        memories = state.get("memories", [{}, {}])
        spans = (config.memory * self._blocks, config.alert * self._blocks)
        self._memories = [Memory(span, kept) for span, kept in zip(spans, memories, strict=True)]
        self._block = unpack(state["block"], np.float64) if "block" in state else np.zeros(1)
        self._intervals, self._complete = state.get("intervals", 0), state.get("complete", 0)
        self._slack, self._longest = state.get("slack", 0), state.get("longest", 0)
        self._estimated: float | None = state.get("estimated")

    def observe(self, measurement: Measurement) -> None:
        """Learn what results needed; decide where a block is complete."""
        needed, weight = _needs_of(measurement)
        longest = int(needed.max(initial=0))
        if longest:
            self._longest = max(self._longest, longest)
            self._block = add(self._block, np.bincount(bin_of(needed), weights=weight))
        else:
            self._block[0] += weight.sum()
        if not measurement.intervals:
            return
        self._intervals += measurement.intervals
        if self._intervals >= self._block_intervals:
            self._close_block()
        if self._complete < _BLOCKS_TO_START:
            self._slack = self._longest

    def next_slack(self) -> Duration:
        """Return the slack that was decided."""
        return Duration(min(self._slack, Duration.MAX.microseconds))

    @property
    def estimated(self) -> float | None:
        """The recall to expect with this slack."""
        return self._estimated

    def slack_path(self, largest_delay: Times) -> None:
        """Decide at boundaries only."""

    def snapshot(self) -> dict[str, Any]:
        """Return the memories, the block under way and the slack."""
        return {
            "memories": [memory.snapshot() for memory in self._memories],
            "block": pack(self._block),
            "intervals": self._intervals,
            "complete": self._complete,
            "slack": self._slack,
            "longest": self._longest,
            "estimated": self._estimated,
        }

    def _close_block(self) -> None:
        self._intervals = 0
        if not self._block.any():
            return
        for memory in self._memories:
            memory.update_counts(self._block)
        self._block = np.zeros(1)
        self._complete += 1
        if self._complete >= _BLOCKS_TO_START:
            chosen = max(self._smallest_bin(memory) for memory in self._memories)
            expected = expected_recall(self._memories[0].get())
            self._slack = min(slack_of_bin(chosen), self._longest)
            self._estimated = float(expected[min(chosen, len(expected) - 1)])

    def _smallest_bin(self, memory: Memory) -> int:
        """Return the first bin whose recall can be counted on to reach the target; the last one misses nothing."""
        recall: Floats = recall_to_count_on(memory.get(), blocks_per_period=self._blocks, deviations=self._deviations)
        enough = recall >= self._lowest - 1e-12
        return int(np.argmax(enough)) if enough.any() else len(recall) - 1


def _needs_of(measurement: Measurement) -> tuple[Times, Floats]:
    """Return what results needed, and their weights; where nothing is joined, every event is a result."""
    if measurement.needs is not None:
        return measurement.needs.slack, measurement.needs.weight
    if measurement.streams:
        return np.empty(0, np.int64), np.empty(0)
    return measurement.delays, np.ones(len(measurement.delays))
