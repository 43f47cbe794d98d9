"""The smallest slack that a model of late degrees allows, for a join of two streams: SUN15 Alg. 2.

The document compares it with `slackwater.control.PD` and three baselines: Baseline1 is `NoSlack` (the synchronizer
stays), Baseline2 is `FixedSlack` with the smallest slack that loses nothing, known only in hindsight, and Baseline3 is
a join that does not even synchronize its streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import arrivals_of, check_share, positive_duration, remembered, slack_of, target_of
from slackwater.control.searching import Searching
from slackwater.control.tracked_quality import Sizes, TrackedQuality
from slackwater.errors import ParameterError
from slackwater.estimate.delay_histogram import DelayHistogram
from slackwater.models.arrived import arrived_by
from slackwater.models.late_degree import quality_by_slack
from slackwater.models.recall import smallest_slack
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.measurement import Measurement


@dataclass(frozen=True)
class LateDegreeModel:
    """At each boundary, estimates the quality for every slack and takes the smallest that is enough.

    Without a join it keeps the share of events in order. Never waits longer than the largest delay that it remembers.
    The slack may be 0 (as the document's text says; its Alg. 2, a do-while, always waits for one granularity).

    Args:
        decay: by what older delays are weighted down at each boundary (decay_factor).
        granularity: in which delays are counted and slacks tried (k_granularity).
        overall: whether the target holds from the start of the stream on, so that a surplus or deficit so far changes
            what the next interval must reach (optimize_overall_quality); or for each interval.
        most: how far above the target Q that may go: Q + most (1 - Q). With 1 a deficit asks for all results.

    >>> LateDegreeModel(decay=0.8).build().next_slack()
    Duration('0 seconds')
    """

    decay: float = 0.8
    granularity: DurationLike = "10 ms"
    overall: bool = False
    most: float = 1.0
    skipped_laws: ClassVar[Mapping[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check all parameters."""
        check_share("decay", self.decay)
        check_share("most", self.most)
        object.__setattr__(self, "granularity", positive_duration("granularity", self.granularity))

    @property
    def bin_size(self) -> int:
        """The granularity, in us."""
        return Duration.of(self.granularity).microseconds

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> LateDegreeController:
        """Make the controller, anew or from its snapshot; it knows joins of two streams only."""
        if len(goal.windows) not in (0, 2):
            raise ParameterError(
                "controller", self, must="join two streams", remedy="use ModelSearch() for more than two"
            )
        return LateDegreeController(self, goal, remembered(state, self.bin_size))


class LateDegreeController(Searching):
    """Logic of `LateDegreeModel`."""

    def __init__(self, config: LateDegreeModel, goal: Goal, state: dict[str, Any]) -> None:
        super().__init__(config.bin_size, goal, state)
        self._config = config
        streams = max(len(goal.windows), 1)
        self._degrees = [DelayHistogram(config.bin_size, saved) for saved in state.get("degrees", [None] * streams)]
        # Of each stream in the open interval: sum of how far it was ahead, and number of events.
        self._ahead: list[list[int]] = [list(pair) for pair in state.get("ahead", [[0, 0]] * streams)]
        self._quality = TrackedQuality(goal, state.get("quality"))

    def observe(self, measurement: Measurement) -> None:
        """Remember what happened; where an interval ended, search for the next slack, then let the past fade."""
        arrivals = arrivals_of(measurement, self._goal)
        for degrees, ahead, arrived in zip(self._degrees, self._ahead, arrivals, strict=True):
            degrees.update(arrived.delays)
            ahead[0] += int(arrived.ahead.sum())
            ahead[1] += len(arrived.ahead)
        self._quality.update(measurement)
        if measurement.intervals:
            self._slack = self._search(self._quality.close(measurement.intervals))
            self._ahead = [[0, 0] for _ in self._ahead]
            for degrees in self._degrees:
                degrees.decay(self._config.decay)

    def snapshot(self) -> dict[str, Any]:
        """Return the slack and all memories."""
        return {
            **super().snapshot(),
            "degrees": [degrees.snapshot() for degrees in self._degrees],
            "ahead": [list(pair) for pair in self._ahead],
            "quality": self._quality.snapshot(),
        }

    def _search(self, ended: Sizes | None) -> int:
        distributions = [degrees.get() for degrees in self._degrees]
        candidates = max(max(map(len, distributions)), 1)
        predicted = self._predict(distributions, candidates)
        found = smallest_slack(predicted, self._target(ended))
        chosen = candidates - 1 if found is None else found
        self._estimated = float(predicted[chosen])
        return slack_of(chosen, self._config.bin_size)

    def _predict(self, distributions: list[Floats], candidates: int) -> Floats:
        """Return Q_est for each slack, eq. 5.12; without a join the share of events in order."""
        if not self._goal.windows:
            return arrived_by(distributions[0]) if len(distributions[0]) else np.ones(1)
        first, second = distributions
        sizes = [max(-(-window // self._config.bin_size), 1) for window in self._goal.windows]
        return quality_by_slack((first, second), (sizes[0], sizes[1]), sync=self._sync(), candidates=candidates)

    def _sync(self) -> tuple[int, int]:
        """Return how far each stream is ahead of the other, in bins: its mean over the interval."""
        first, second = (total / count if count else 0.0 for total, count in self._ahead)
        lead = int(abs(first - second)) // self._config.bin_size
        return (lead, 0) if first > second else (0, lead)

    def _target(self, ended: Sizes | None) -> float:
        """Return the quality that the next interval must reach."""
        target = target_of(self._goal)
        if not self._config.overall or ended is None or not ended.original:
            return target
        total = self._quality.total
        instant = target + (target * total.original - total.produced) / ended.original
        return min(max(instant, 0.0), target + self._config.most * (1 - target))
