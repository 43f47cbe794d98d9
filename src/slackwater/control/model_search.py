"""The smallest slack that a model of the recall allows: JI16 Alg. 3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from slackwater.contracts import NO_GOAL, Goal
from slackwater.control.parameters import arrivals_of, check_choice, positive_duration, remembered, slack_of, target_of
from slackwater.control.searching import Searching
from slackwater.errors import ParameterError
from slackwater.estimate.delay_histogram import MOST_BINS
from slackwater.estimate.drift import AdaptiveWindow, RecentDelays
from slackwater.estimate.productivity import OutOfOrder, Productivity
from slackwater.estimate.result_sizes import ResultSizes
from slackwater.models.recall import (
    Calibration,
    StreamModel,
    instant_requirement,
    recall_by_slack,
    selectivity_ratio,
    smallest_slack,
)
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.measurement import Measurement

Selectivity = Literal["noneq", "eq"]


@dataclass(frozen=True)
class ModelSearch:
    """At each boundary, predicts the recall for every slack and takes the smallest that is enough.

    Without a join it keeps the share of events in order. If no slack up to the largest recent delay is predicted to
    do, it waits longer than that delay. A decision takes O(bins) per stream.

    Args:
        selectivity: whether events of different delays are taken to be differently productive ("noneq", as
            profiled) or alike ("eq").
        granularity: g, in which delays are counted and slacks tried.
        basic_window: b, in which a window's completeness is estimated; one of b and g is a multiple of the other.
        calibration: how the target of the period becomes that of the next interval; "literal" is eq. 7, see
            `slackwater.models.recall.instant_requirement` for the others.
        out_of_order: what the productivity of an out-of-order event is taken to be: the "max" of its interval, as
            the paper has it, or the "mean".

    >>> ModelSearch(calibration="none").build().next_slack()
    Duration('0 seconds')
    """

    selectivity: Selectivity = "noneq"
    granularity: DurationLike = "10 ms"
    basic_window: DurationLike = "10 ms"
    calibration: Calibration = "literal"
    out_of_order: OutOfOrder = "max"
    skipped_laws: ClassVar[Mapping[str, str]] = {
        "any order within the slack gives the in-order output": "it may lower the slack while events wait"
    }

    def __post_init__(self) -> None:
        """Check all parameters."""
        check_choice("selectivity", self.selectivity, get_args(Selectivity))
        check_choice("calibration", self.calibration, get_args(Calibration))
        check_choice("out_of_order", self.out_of_order, get_args(OutOfOrder))
        for name in ("granularity", "basic_window"):
            object.__setattr__(self, name, positive_duration(name, getattr(self, name)))
        finer, coarser = sorted((self.bin_size, Duration.of(self.basic_window).microseconds))
        if coarser % finer:
            raise ParameterError(
                "basic_window",
                str(self.basic_window),
                must=f"be a multiple or a whole fraction of the granularity ({self.granularity})",
                remedy="use the same for both",
            )

    @property
    def bin_size(self) -> int:
        """The granularity, in us."""
        return Duration.of(self.granularity).microseconds

    def build(self, state: dict[str, Any] | None = None, goal: Goal = NO_GOAL) -> ModelSearchController:
        """Make the controller, anew or from its snapshot."""
        return ModelSearchController(self, goal, remembered(state, self.bin_size))


class ModelSearchController(Searching):
    """Logic of `ModelSearch`."""

    def __init__(self, config: ModelSearch, goal: Goal, state: dict[str, Any]) -> None:
        super().__init__(config.bin_size, goal, state)
        self._config = config
        streams = max(len(goal.windows), 1)
        self._recent = [AdaptiveWindow(config.bin_size, saved) for saved in state.get("recent", [None] * streams)]
        self._productivity = Productivity(config.bin_size, config.out_of_order, state.get("productivity"))
        intervals = max((goal.period - goal.interval) // goal.interval, 0)
        self._sizes = ResultSizes(intervals, state.get("sizes"))

    def observe(self, measurement: Measurement) -> None:
        """Remember what happened; where an interval ended, search for the next slack."""
        for window, arrived in zip(self._recent, arrivals_of(measurement, self._goal), strict=True):
            window.update(arrived.delays, arrived.ahead)
        if measurement.joined is not None:
            self._productivity.update(measurement.joined)
        if measurement.intervals:
            self._sizes.update(self._productivity.close(), measurement.intervals)
            self._slack = self._search()

    def snapshot(self) -> dict[str, Any]:
        """Return the slack and all memories."""
        return {
            **super().snapshot(),
            "recent": [window.snapshot() for window in self._recent],
            "productivity": self._productivity.snapshot(),
            "sizes": self._sizes.snapshot(),
        }

    def _search(self) -> int:
        recent = [window.get() for window in self._recent]
        largest = -(-max(delays.largest for delays in recent) // self._config.bin_size)
        # Delays past the last bin share it: how many of them a slack covers is not known, short of the largest.
        candidates = largest + 1 if largest < MOST_BINS - 1 else MOST_BINS - 1
        predicted = self._predict(recent, candidates)
        found = smallest_slack(predicted, self._requirement())
        self._estimated = 1.0 if found is None else float(predicted[found])
        return slack_of(largest + 1 if found is None else found, self._config.bin_size)

    def _predict(self, recent: list[RecentDelays], candidates: int) -> Floats:
        """Return the recall of the next interval for each slack: eq. 5."""
        slowest = min((delays.mean_ahead for delays in recent if delays.events), default=0.0)
        windows = self._goal.windows or (0,)
        streams = [
            StreamModel(delays.probability, max(delays.mean_ahead - slowest, 0.0), window)
            for delays, window in zip(recent, windows, strict=True)
        ]
        equal = recall_by_slack(
            streams,
            granularity=self._config.bin_size,
            basic_window=Duration.of(self._config.basic_window).microseconds,
            candidates=candidates,
        )
        if self._config.selectivity == "eq":
            return equal
        profile = self._productivity.get()
        return equal * selectivity_ratio(profile.cross, profile.results, candidates)

    def _requirement(self) -> float:
        """Return the recall that the next interval must have: eq. 7."""
        known = self._sizes.get()
        return instant_requirement(
            target_of(self._goal),
            produced=known.produced,
            true=known.true,
            next_true=float(np.sum(self._productivity.get().results)),
            calibration=self._config.calibration,
        )
