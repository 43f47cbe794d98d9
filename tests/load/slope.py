"""How fast something grows, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

_BLOCK = 60.0  # seconds whose samples count as one
_LAGS = 6  # blocks within which neighbors may be alike
_STEADY = 0.1  # of the level an hour: an interval within this on both sides is flat
_MATTERS = 0.01  # of the level an hour: growth below this is none


@dataclass(frozen=True)
class Slope:
    """Growth an hour with its 95 % interval, and the level around which it is."""

    per_hour: float
    low: float
    high: float
    level: float

    @property
    def surely_grows(self) -> bool:
        """Whether it grows by more than a tenth of its level an hour, whatever end of the interval is right."""
        return self.low > _STEADY * abs(self.level)

    @property
    def verdict(self) -> str:
        """Whether it "grows", "shrinks" or is "flat", as the interval says; "unsure" where that is too wide."""
        if abs(self.per_hour) >= _MATTERS * abs(self.level):
            if self.low > 0:
                return "grows"
            if self.high < 0:
                return "shrinks"
        steady = _STEADY * abs(self.level)
        return "flat" if -steady <= self.low <= self.high <= steady else "unsure"


def slope(seconds: np.ndarray, values: np.ndarray, *, block: float = _BLOCK) -> Slope:
    """Fit a line through the means of minutes; the interval is Newey's and West's, since neighboring minutes are alike.

    >>> found = slope(np.arange(0, 3_600, 5.0), np.arange(0, 3_600, 5.0) / 3_600)
    >>> round(found.per_hour, 6), round(found.level, 1)
    (1.0, 0.5)
    """
    blocks = np.unique(seconds // block)
    if len(blocks) < 2 * _LAGS:
        return Slope(np.nan, -np.inf, np.inf, float(values.mean()))
    means = np.array([values[seconds // block == each].mean() for each in blocks])
    hours = blocks * block / 3_600
    away = hours - hours.mean()
    per_hour = float(away @ means / (away @ away))
    residuals = means - means.mean() - per_hour * away
    half = stats.t.ppf(0.975, max(2.0, len(blocks) / _LAGS - 2)) * _deviation(away * residuals) / (away @ away)
    return Slope(per_hour, per_hour - half, per_hour + half, float(values.mean()))


def _deviation(scores: np.ndarray) -> float:
    """Return the standard deviation of a sum whose neighboring parts are alike."""
    variance = scores @ scores
    for lag in range(1, _LAGS + 1):
        variance += 2 * (1 - lag / (_LAGS + 1)) * (scores[lag:] @ scores[:-lag])
    return float(np.sqrt(max(0.0, variance)))
