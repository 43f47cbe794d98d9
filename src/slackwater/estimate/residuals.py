"""By how much early results were wrong, at each age of a window: what intervals are made of.

PROD Sec. 6.2(c) holds that confidence intervals are not possible, and from a formula they are not: nobody knows how
values are distributed or what the rate will do. But every final result says by how much the early one was off. An
interval takes quantiles of these errors (split conformal prediction), in units of a scale that says which errors may be
large; how many errors it leaves out follows how often it was wrong lately (Gibbs and Candes 2021), so that it holds its
share also where errors drift.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack

REMEMBERED = 1_024  # errors, for each function and age
ENOUGH = 16  # errors, before there is an interval
STEP = 0.02  # how fast the share that is left out follows what happens
WIDEST, NARROWEST = 0.1, 2.0  # times the share that may be wrong


class Offsets(NamedTuple):
    """Where the final result lies, from the estimate, in units of its scale; bounds are NaN as long as nobody knows."""

    low: float
    middle: float  # 0 unless moving estimates by it would clearly have made them better
    high: float


class Residuals:
    """Errors of some functions at each age. Holds the last 1,024 for each.

    >>> residuals = Residuals(functions=1, confidence=0.8)
    >>> residuals.update(0, np.arange(-50.0, 51.0)[None], np.array([0.2]))
    >>> residuals.get(0, 0)
    Offsets(low=-41.0, middle=0.0, high=41.0)
    >>> residuals.get(0, age=3) == residuals.get(0, age=0)  # the nearest age that is known
    True
    """

    def __init__(self, *, functions: int, confidence: float, state: dict[str, Any] | None = None) -> None:
        self._functions, self._wrong = functions, 1 - confidence
        state = state or {}
        self._errors = {int(age): unpack(text, np.float64).reshape(functions, -1) for age, text in state.items()}
        self._left_out = {age: errors[:, 0] for age, errors in self._errors.items()}
        self._errors = {age: errors[:, 1:] for age, errors in self._errors.items()}

    def update(self, age: int, errors: Floats, missed: Floats) -> None:
        """Take in the errors of early results of one age, a row for each function; NaN is none.

        `missed` is which share of their intervals did not hold the final result; NaN where there were none.
        """
        known = self._errors.get(age, np.empty((self._functions, 0)))
        self._errors[age] = np.concatenate((known, errors), axis=1)[:, -REMEMBERED:]
        left_out = self._left_out.get(age, np.full(self._functions, self._wrong))
        moved = left_out + STEP * (self._wrong - np.where(np.isnan(missed), self._wrong, missed))
        self._left_out[age] = np.clip(moved, WIDEST * self._wrong, NARROWEST * self._wrong)

    def get(self, function: int, age: int, *, one_sided: bool = False) -> Offsets:
        """Return what holds the final results of the function with the confidence that was asked for.

        One-sided, only the upper bound counts: all that may be wrong is above it. Of an age without errors, those of
        the nearest one are taken.
        """
        if not self._errors:
            return _UNKNOWN
        near = min(self._errors, key=lambda known: (abs(known - age), known))
        errors = self._errors[near][function]
        errors = np.sort(errors[~np.isnan(errors)])
        if len(errors) < ENOUGH:
            return _UNKNOWN
        left_out = float(self._left_out[near][function])
        above = left_out if one_sided else left_out / 2
        rank = min(int(np.ceil((len(errors) + 1) * (1 - above))), len(errors))
        return Offsets(float(errors[-rank]), _worthwhile_middle(errors), float(errors[rank - 1]))

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {
            str(age): pack(np.concatenate((self._left_out[age][:, None], errors), axis=1))
            for age, errors in self._errors.items()
        }


def _worthwhile_middle(errors: Floats) -> float:
    """Return the median of sorted errors, or 0 if chance may explain by how much it is better than that."""
    middle = float(errors[len(errors) // 2])
    spread = float(np.abs(errors - middle).mean())
    gain = float(np.abs(errors).mean()) - spread
    return middle if gain > spread / np.sqrt(len(errors)) else 0.0


_UNKNOWN = Offsets(np.nan, 0.0, np.nan)
