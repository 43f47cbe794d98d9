"""How far a value is from the true one, as a share of it: the error of an aggregate (SUN15 Sec. 3.1, JI16 Sec. I)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.estimate.arrays import Floats

if TYPE_CHECKING:
    from slackwater.time import Mask

Column: TypeAlias = npt.NDArray[Any]

_ROUNDING = 1e-9  # sums of floats differ in the last digits, and 3 % of 100 must allow 97


def relative_error(
    emitted: Column, true: Column, *, emitted_valid: Mask | None = None, true_valid: Mask | None = None
) -> Floats:
    """Return `|emitted - true| / |true|` for each pair; `valid` says which are not null (None: all).

    Values that are the same have no error, whatever they are: zeros, nulls, NaN, infinities. Where just one is null,
    NaN or infinite, or the true one alone is zero, no number says how far off it is: the error is infinite. A change of
    sign is an error above 1.

    >>> relative_error(np.array([97.0, 0.0, 0.0, 3.0, -1.0]), np.array([100.0, 0.0, 5.0, 0.0, 2.0])).tolist()
    [0.03, 0.0, 1.0, inf, 1.5]
    >>> some = {"emitted_valid": np.array([False, False, True]), "true_valid": np.array([False, True, True])}
    >>> relative_error(np.array([1, 2, 3]), np.array([9, 9, 4]), **some).tolist()
    [0.0, inf, 0.25]
    """
    mine, theirs = emitted.astype(np.float64), true.astype(np.float64)
    usable = np.isfinite(mine) & np.isfinite(theirs) & (theirs != 0)
    error = np.full(len(mine), np.inf)
    error[usable] = np.abs(mine[usable] - theirs[usable]) / np.abs(theirs[usable])
    error[(mine == theirs) | (np.isnan(mine) & np.isnan(theirs))] = 0.0
    known, due = (_known(valid, len(mine)) for valid in (emitted_valid, true_valid))
    error[known != due] = np.inf
    error[~known & ~due] = 0.0
    return error


def is_within(error: Floats, bound: float) -> Mask:
    """Whether errors keep a bound; one that is equal to it does, but for rounding.

    >>> is_within(relative_error(np.array([97, 96]), np.array([100, 100])), 0.03).tolist()
    [True, False]
    """
    within: Mask = error <= bound + _ROUNDING
    return within


def _known(valid: Mask | None, count: int) -> Mask:
    return np.ones(count, np.bool_) if valid is None else valid
