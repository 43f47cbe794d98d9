"""What the final value of a window will be, from what has come: pure functions over columns of groups.

How an early value is corrected depends on what its function does with more events:

- a *total* (sum) grows with them: value * (1 + to come / come); so does a *count*, which never falls;
- the *most* and the *least* can only move one way, and mostly do not: the value itself is a sure bound;
- any *other* (mean, variance, quantile, distinct) is taken as it is; what past windows say about its errors moves it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from slackwater.estimate.arrays import Floats

Kind: TypeAlias = Literal["count", "total", "most", "least", "other"]
GROWING = ("count", "total")


def group_rows_to_come(rows: Floats, to_come: float, *, shares: Floats, strength: Floats) -> Floats:
    """Return how many events of each group are to come, of `to_come` of all groups.

    A group has its usual share of them, times how much more of it came so far than usual: (k + n) / (k + expected), the
    mean of a Gamma rate with k = `strength`. A group without a past has the share that it has of what came.

    >>> strength = np.array([100.0, 0.0])
    >>> group_rows_to_come(np.array([90.0, 60.0]), 30.0, shares=np.array([0.5, 0.0]), strength=strength).tolist()
    [16.285714285714285, 12.0]
    """
    came = max(float(rows.sum()), 1e-9)
    expected = shares * came
    usual = shares * to_come * (strength + rows) / np.maximum(strength + expected, 1e-9)
    out: Floats = np.where(expected > 0, usual, rows / came * to_come)
    return out


def corrected(kind: Kind, value: Floats, rows: Floats, to_come: Floats) -> Floats:
    """Return the value that is expected in the end.

    >>> corrected("total", np.array([80.0]), np.array([40.0]), np.array([10.0])).tolist()
    [100.0]
    """
    return value * (1 + to_come / np.maximum(rows, 1)) if kind in GROWING else value


def error_base(kind: Kind, rows: Floats, to_come: Floats, uneven: float) -> Floats:
    """Return how errors grow with what is to come, besides the size of values.

    A total misses as many events as Poisson counts scatter, and `uneven` times their number more, where rates do. What
    is taken as it is, like a mean, is off by sqrt(1 / come - 1 / all). Where less than one event is foreseen, one may
    come all the same.

    >>> error_base("other", np.array([50.0]), np.array([50.0]), 0.0).tolist()
    [0.1]
    """
    to_come = np.maximum(to_come, 1.0)
    if kind in GROWING:
        return np.sqrt(to_come * (1 + uneven * to_come))
    if kind == "other":
        return np.sqrt(to_come / np.maximum(rows * (rows + to_come), 1))
    return np.ones(len(rows))


def error_size(kind: Kind, value: Floats, rows: Floats, least: float) -> Floats:
    """Return how large the values are whose errors are compared: of a total, that of one event. Not below `least`."""
    one = value / np.maximum(rows, 1) if kind in GROWING else value
    return np.sqrt(one**2 + least**2)


def within_sure_bounds(kind: Kind, value: Floats, estimate: Floats) -> Floats:
    """Return an estimate, or a bound of it, that does not contradict what has come.

    >>> within_sure_bounds("most", np.array([7.0]), np.array([6.0])).tolist()
    [7.0]
    """
    if kind in ("count", "most"):
        return np.maximum(value, estimate)
    return np.minimum(value, estimate) if kind == "least" else estimate
