"""How far emitted values are from the true ones, how many results keep a bound, and which constant slack would do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.errors import ParameterError
from slackwater.models.relative_error import Column, is_within, relative_error

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_ROUNDING = 1e-9  # 0.07 * 100 is above 7 in floating point, and 93 results of 100 must be enough


@dataclass(frozen=True, slots=True)
class Values:
    """One value of many results; `valid` says which are not null (None: all)."""

    numbers: Column
    valid: Mask | None = None


def errors_of(emitted: Sequence[Values], true: Sequence[Values], place: Rows) -> Floats:
    """Return the error of each true result: the largest of its values.

    `place` says where each true result is among the emitted ones; -1 where it never was, which no bound allows.

    >>> emitted, true = Values(np.array([97, 50])), Values(np.array([100, 50, 8]))
    >>> errors_of([emitted], [true], np.array([0, 1, -1])).tolist()
    [0.03, 0.0, inf]
    """
    error = np.where(place < 0, np.inf, 0.0)
    found = np.flatnonzero(place >= 0)
    at = place[found]
    for mine, theirs in zip(emitted, true, strict=True):
        own = None if mine.valid is None else mine.valid[at]
        due = None if theirs.valid is None else theirs.valid[found]
        single = relative_error(mine.numbers[at], theirs.numbers[found], emitted_valid=own, true_valid=due)
        error[found] = np.maximum(error[found], single)
    return error


@dataclass(frozen=True, slots=True)
class Errors:
    """How far results were off, and how many of them kept a bound."""

    results: int
    within: float  # the share of the results that kept the bound; 1 where there is none
    median: float
    p95: float
    worst: float  # infinite where one was missing
    missing: int  # results that were never emitted, or null where they should not be


def errors(error: Floats, bound: float) -> Errors:
    """Summarize the errors of results.

    >>> errors(np.array([0.0, 0.01, 0.2, np.inf]), 0.03)
    Errors(results=4, within=0.5, median=0.01, p95=inf, worst=inf, missing=1)
    """
    if not len(error):
        return Errors(0, 1.0, 0.0, 0.0, 0.0, 0)
    within = float(np.mean(is_within(error, bound)))
    median, p95 = (_quantile(error, share) for share in (0.5, 0.95))
    return Errors(len(error), within, median, p95, float(error.max()), int(np.isinf(error).sum()))


def smallest_slack(slack: Times, change: Rows, results: int, share: float) -> int:
    """Return the smallest constant slack with which a share of the results is within the bound.

    `slack` and `change` say at which slacks results come within it (+1) or leave it (-1), as `core.result_steps` finds
    them. Exact: more slack does not always help a mean, so all slacks are counted. O(n log n).

    >>> slack, change = np.array([0, 5, 3, 7, 9]), np.array([1, 1, 1, -1, 1])
    >>> [smallest_slack(slack, change, 3, each) for each in (1 / 3, 2 / 3, 1.0)]
    [0, 3, 5]
    """
    if not 0 < share <= 1:
        raise ParameterError("share", share, must="be > 0 and <= 1", remedy="1 keeps every result")
    if not len(slack):
        return 0
    order = np.argsort(slack, kind="stable")
    ascending, kept = slack[order], np.cumsum(change[order])
    last = np.append(ascending[1:] != ascending[:-1], True)
    enough = np.flatnonzero(last & (kept >= math.ceil(share * results - _ROUNDING)))
    return int(ascending[enough[0]]) if len(enough) else int(ascending[-1])


def _quantile(error: Floats, share: float) -> float:
    """Return an error that occurred: the smallest that this share of the results does not exceed."""
    place = max(math.ceil(share * len(error) - _ROUNDING), 1) - 1
    return float(np.partition(error, place)[place])
