"""The running accuracy of early results, as soon as final ones are there: PROD Sec. 6.2(c), Fig. 6.4."""

from __future__ import annotations

from typing import Any

import numpy as np

from slackwater.estimate.arrays import Floats

FORGET = 0.5 ** (1 / 32)  # what a window weighs after the next one


def accuracy_of(early: Floats, final: Floats) -> Floats:
    """Return (F - |F - E|) / F, not below 0: PROD Sec. 4.4. NaN where F is 0 and E is not, or where one is unknown.

    >>> accuracy_of(np.array([97.0, 103.0, 0.0, 250.0]), np.array([100.0, 100.0, 0.0, 100.0])).tolist()
    [0.97, 0.97, 1.0, 0.0]
    """
    early, final = np.asarray(early, np.float64), np.asarray(final, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        accuracy = np.maximum(1 - np.abs(final - early) / np.abs(final), 0.0)
    accuracy = np.where((final == 0) & (early != 0), np.nan, accuracy)
    out: Floats = np.where(early == final, 1.0, accuracy)
    return out


class RunningAccuracy:
    """The mean accuracy of each function over recent windows, the worst ever, and how often intervals held.

    >>> running = RunningAccuracy(functions=1)
    >>> running.update(np.array([[0.9, 0.7]]), np.array([[1.0, 0.0]]))
    >>> running.get().tolist(), running.worst.tolist(), running.held.tolist()
    ([0.8], [0.7], [0.5])
    """

    def __init__(self, functions: int, state: dict[str, Any] | None = None) -> None:
        self._sums = np.array(state["sums"], np.float64) if state else np.zeros((4, functions))
        self.worst: Floats = np.array(state["worst"], np.float64) if state else np.ones(functions)
        self.windows: int = state["windows"] if state else 0

    def update(self, accuracy: Floats, held: Floats) -> None:
        """Take in the results of a window: a row for each function, an entry for each group; NaN where unknown."""
        known, asked = ~np.isnan(accuracy), ~np.isnan(held)
        one = known.sum(axis=1), np.nansum(accuracy, axis=1), asked.sum(axis=1), np.nansum(held, axis=1)
        counts = np.maximum(np.stack((one[0], one[0], one[2], one[2])), 1)
        self._sums = self._sums * FORGET + np.stack(one) / counts  # a window counts once, however many groups it has
        self.worst = np.fmin(self.worst, np.where(known, accuracy, 1.0).min(axis=1, initial=1.0))
        self.windows += 1

    def get(self) -> Floats:
        """Return the mean accuracy of each function; NaN before the first window."""
        return _quotient(self._sums[1], self._sums[0])

    @property
    def held(self) -> Floats:
        """Which share of the intervals of each function held the final result; NaN before there were any."""
        return _quotient(self._sums[3], self._sums[2])

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {"sums": self._sums.tolist(), "worst": self.worst.tolist(), "windows": self.windows}


def _quotient(sums: Floats, weights: Floats) -> Floats:
    out: Floats = np.divide(sums, weights, out=np.full(len(sums), np.nan), where=weights > 0)
    return out
