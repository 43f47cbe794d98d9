"""How many results there were, and how many there should have been: JI16 Sec. IV-C, the result-size monitor."""

from __future__ import annotations

from typing import Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack
from slackwater.estimate.productivity import IntervalSizes


class ResultSizes:
    """Sums over the last adaptation intervals, (P - L) / L of them. Holds two numbers for each.

    >>> sizes = ResultSizes(remembered=2)
    >>> for produced in (1.0, 2.0, 3.0):
    ...     sizes.update(IntervalSizes(produced, true=4.0))
    >>> sizes.get()
    IntervalSizes(produced=5.0, true=8.0)
    """

    def __init__(self, remembered: int, state: dict[str, Any] | None = None) -> None:
        self._remembered = remembered
        self._sizes: Floats = unpack(state["sizes"], np.float64).reshape(-1, 2) if state else np.zeros((0, 2))

    def update(self, sizes: IntervalSizes, intervals: int = 1) -> None:
        """Add an interval; more than one ends after a silence, in which there were no results."""
        silent = np.zeros((min(intervals - 1, self._remembered), 2))
        known = np.concatenate((self._sizes, [[sizes.produced, sizes.true]], silent))
        self._sizes = known[max(len(known) - self._remembered, 0) :]

    def get(self) -> IntervalSizes:
        """Return both sums."""
        produced, true = self._sizes.sum(axis=0)
        return IntervalSizes(float(produced), float(true))

    def snapshot(self) -> dict[str, Any]:
        """Return the sizes of each interval."""
        return {"sizes": pack(self._sizes)}
