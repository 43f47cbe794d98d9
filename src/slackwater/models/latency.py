"""What the latency of an operator and its slack-ready events depend on: features (SSG17 eq. 6) and error (Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.time import Times

FEATURES = ("slack", "hour", "minute", "second", "parallelism", "window")  # eq. 6
WITH_SPREAD = (*FEATURES, "spread")  # and how far the fastest stream is ahead of the slowest, which is ours

_SECOND = 1_000_000
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Situation:
    """An operator at moments in event time, as columns of equal length or single values; durations are in us."""

    at: Times | int  # the event time of what was processed last
    slack: Times | int
    parallelism: Times | int = 1
    window: Times | int = 0
    spread: Floats | Times | float = 0

    def features(self, names: Sequence[str] = FEATURES) -> Floats:
        """Return one row of features for each moment, durations in seconds.

        >>> Situation(at=3_723_000_000, slack=1_500_000, parallelism=2, window=5_000_000).features().tolist()
        [[1.5, 1.0, 2.0, 3.0, 2.0, 5.0]]
        """
        columns = np.broadcast_arrays(*(np.atleast_1d(self._column(name)) for name in names))
        return np.stack(columns, axis=1).astype(np.float64)

    def _column(self, name: str) -> Floats:
        seconds = np.asarray(self.at) // _SECOND % _DAY
        known = {
            "slack": np.asarray(self.slack) / _SECOND,
            "hour": seconds // 3_600,
            "minute": seconds // 60 % 60,
            "second": seconds % 60,
            "parallelism": np.asarray(self.parallelism),
            "window": np.asarray(self.window) / _SECOND,
            "spread": np.asarray(self.spread) / _SECOND,
        }
        return np.asarray(known[name], np.float64)


def waited(slack: Floats, spread: Floats | float) -> Floats:
    """Return how long events of the fastest stream wait: for the slowest one, but not longer than the slack.

    >>> waited(np.array([1.0, 4.0, 9.0]), spread=6).tolist()
    [1.0, 4.0, 6.0]
    """
    return np.minimum(slack, spread)


def passed_on_unready(slack: Floats, spread: float, events: float) -> Floats:
    """Return about how many of some events are passed on before they are ready: the fewer, the nearer to the spread.

    With one fast and one slow stream it is all or nothing at the spread, but that has no slope to climb.

    >>> passed_on_unready(np.array([0.0, 3.0, 9.0]), spread=6, events=500).tolist()
    [500.0, 250.0, 0.0]
    """
    if spread <= 0:
        return np.zeros(len(slack))
    left: Floats = events * np.clip(1 - slack / spread, 0, 1)
    return left


def normalized_error(predicted: Floats, true: Floats) -> float:
    """Return NRMSE: the root of the mean squared error, as a share of the range of the true values.

    SSG17 does not say by what it normalizes; the range is what the tools it cites use. 0 where the true values are all
    equal and found, infinite where they are not found.

    >>> round(normalized_error(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 5.0])), 3)
    0.289
    """
    error = float(np.sqrt(np.mean((predicted - true) ** 2)))
    span = float(np.ptp(true))
    return error / span if span else (0.0 if error == 0 else float("inf"))
