"""How fast something grows, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

_BLOCK = 60.0  # seconds whose samples count as one


@dataclass(frozen=True)
class Slope:
    """Growth an hour with its 95 % interval, and the level that it starts from."""

    per_hour: float
    low: float
    high: float
    level: float

    @property
    def is_flat(self) -> bool:
        """Whether no growth is within the interval, or it is below 1 % of the level an hour."""
        return self.low <= 0 <= self.high or abs(self.per_hour) < 0.01 * abs(self.level)


def slope(seconds: np.ndarray, values: np.ndarray, *, block: float = _BLOCK) -> Slope:
    """Fit a line through the means of minutes.

    Neighboring minutes are alike, so that they say less than as many independent ones would: the interval is widened by
    what the residuals of neighbors have in common.

    >>> found = slope(np.arange(0, 3_600, 5.0), np.arange(0, 3_600, 5.0) / 3_600)
    >>> round(found.per_hour, 6), round(found.level, 1)
    (1.0, 0.5)
    """
    blocks = np.unique(seconds // block)
    means = np.array([values[seconds // block == each].mean() for each in blocks])
    hours = blocks * block / 3_600
    if len(blocks) < 3:
        return Slope(np.nan, -np.inf, np.inf, float(values.mean()))
    fitted = stats.linregress(hours, means)
    residuals = means - fitted.intercept - fitted.slope * hours
    alike = _alike(residuals)
    independent = max(3.0, len(blocks) * (1 - alike) / (1 + alike))
    widened = np.sqrt(max(1.0, (len(blocks) - 2) / max(1.0, independent - 2)))
    half = stats.t.ppf(0.975, max(1.0, independent - 2)) * fitted.stderr * widened
    return Slope(float(fitted.slope), float(fitted.slope - half), float(fitted.slope + half), float(values.mean()))


def _alike(residuals: np.ndarray) -> float:
    """Return what neighbors have in common: 0 (nothing) to 0.95."""
    spread = float(residuals @ residuals)
    return min(0.95, max(0.0, float(residuals[1:] @ residuals[:-1]) / spread)) if spread > 1e-12 else 0.0
