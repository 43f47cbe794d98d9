"""Durations by how often they occur: small whatever the number of rows, and parts can be added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

QUANTILES = {"p50": 50, "p95": 95, "p99": 99, "max": 100}
_RATIO = 1.01  # of neighboring bins


@dataclass(frozen=True, slots=True)
class Counted:
    """Durations in us, none negative, and how many rows took so long.

    >>> both = Counted.together([Counted.of(np.array([5, 1])), Counted(np.array([5, 9]), np.array([97, 1]))])
    >>> both.rows, both.quantiles()
    (100, {'p50': 5, 'p95': 5, 'p99': 5, 'max': 9})
    """

    value: Times
    count: Rows

    @classmethod
    def none(cls) -> Counted:
        """No rows."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))

    @classmethod
    def of(cls, durations: Times) -> Counted:
        """Count durations of single rows, rounded up by at most 1 %, but for the largest. O(n).

        A duration below 0 is that of clocks which disagree: it counts as 0.

        >>> Counted.of(np.array([-3, 0, 10_000, 10_001])).quantiles()
        {'p50': 0, 'p95': 10001, 'p99': 10001, 'max': 10001}
        """
        if not len(durations):
            return cls.none()
        known = np.maximum(durations, 0)
        bins = np.ceil(np.log1p(known) / np.log(_RATIO)).astype(np.int64)
        count = np.bincount(bins)
        some = np.flatnonzero(count)
        return cls(np.minimum(np.ceil(_RATIO**some).astype(np.int64) - 1, known.max()), count[some])

    @classmethod
    def together(cls, parts: Sequence[Counted]) -> Counted:
        """Add parts up."""
        if not parts:
            return cls.none()
        value, count = (np.concatenate(c) for c in zip(*((part.value, part.count) for part in parts), strict=True))
        order = np.argsort(value, kind="stable")
        return cls(value[order], count[order])

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.count.sum())

    def longer(self, by: int) -> Counted:
        """Return the same where each took longer; clocks that disagree make nothing negative."""
        return Counted(np.maximum(self.value + by, 0), self.count)

    def above(self, limit: int) -> int:
        """Return how many rows took longer than a limit."""
        return int(self.count[self.value > limit].sum())

    def quantiles(self) -> dict[str, int | None]:
        """Return the smallest durations that at least 50, 95, 99 and 100 % of the rows do not exceed; None of none."""
        if not self.rows:
            return dict.fromkeys(QUANTILES)
        so_far = np.cumsum(self.count)
        needed = [-(-percent * int(so_far[-1]) // 100) for percent in QUANTILES.values()]
        found = self.value[np.searchsorted(so_far, needed, side="left")]
        return dict(zip(QUANTILES, found.tolist(), strict=True))

    def as_lists(self) -> list[list[int]]:
        """Return values and counts as JSON can hold them."""
        return [self.value.tolist(), self.count.tolist()]

    @classmethod
    def from_lists(cls, lists: Any) -> Counted:
        """Read what `as_lists` gave."""
        value, count = lists
        return cls(np.array(value, np.int64), np.array(count, np.int64))
