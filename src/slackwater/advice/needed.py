"""What a constant slack would miss, over all and period by period: counted once, from what each event or result needs.

An event needs a slack with which it is not late (`core.event_needs.slack_needed`), a result one with which it is
produced (`core.needs`). A constant slack misses exactly what needs more, so one run answers for all slacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.needed_slack import bin_of, slack_of_bin
from slackwater.quality.drop_ratio import measured_at
from slackwater.time import in_periods, is_behind

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

ROUNDING = 1e-9  # 0.07 * 100 is above 7 in floating point, and 7 of 100 must be allowed


@dataclass(frozen=True, eq=False)
class Needed:
    """Events or results in the order of `at`: when they came or, of results, their time; and the slack they need.

    >>> needed = Needed.of(np.array([1, 2, 3, 4]), np.array([0, 5, 0, 9]))
    >>> needed.missed(5), needed.smallest(0.25), needed.smallest(0)
    (0.25, 5, 9)
    """

    at: Times
    slack: Times
    weight: Floats  # how many each stands for

    @classmethod
    def of(cls, at: Times, slack: Times, weight: Floats | None = None) -> Needed:
        """Put them in order; each stands for itself unless a weight is given."""
        weight = np.ones(len(at)) if weight is None else weight.astype(np.float64)
        if (at[1:] < at[:-1]).any():
            order = np.argsort(at, kind="stable")
            at, slack, weight = at[order], slack[order], weight[order]
        return cls(at, slack, weight)

    @cached_property
    def total(self) -> float:
        """How many there are."""
        return float(self.weight.sum())

    @cached_property
    def largest(self) -> int:
        """The slack with which nothing is missed."""
        return int(self.slack.max(initial=0))

    def missed(self, slack: int) -> float:
        """Return the share that a constant slack misses; 0 where there is nothing."""
        return float(self.weight[is_behind(self.slack, slack)].sum() / self.total) if self.total else 0.0

    def smallest(self, allowed: float) -> int:
        """Return the smallest constant slack that misses at most this share of all."""
        behind = is_behind(self.slack, 0)
        return smallest_of(self.slack[behind], self.weight[behind], allowed * self.total)

    def curve(self) -> tuple[Times, Floats]:
        """Return slacks in us, from none to the largest needed, and the share that each misses: exact for these."""
        weight = np.bincount(bin_of(self.slack), weights=self.weight, minlength=1)
        slack = np.array([slack_of_bin(number) for number in range(len(weight))], np.int64)
        missed = np.maximum(self.total - np.cumsum(weight), 0) / max(self.total, 1.0)
        missed[-1:] = 0.0
        used = np.flatnonzero(np.append(True, weight[1:] > 0))
        return np.minimum(slack[used], self.largest), missed[used]

    def periods(self, period: int, every: int) -> Periods:
        """Return the periods that are measured: the first ends a period after the first event, and so on by `every`."""
        at = measured_at(self.at, period, every)
        return Periods(self, at, *in_periods(self.at, at, period))


@dataclass(frozen=True, eq=False)
class Periods:
    """Stretches `[at - period, at)`, each with something in it."""

    needed: Needed
    at: Times
    first: Rows
    last: Rows

    def __len__(self) -> int:
        return len(self.at)

    @cached_property
    def totals(self) -> Floats:
        """How many events or results are in each."""
        return self._sums(self.needed.weight)

    def missed(self, slack: int) -> Floats:
        """Return the share of each period that a constant slack misses."""
        return self._sums(np.where(is_behind(self.needed.slack, slack), self.needed.weight, 0.0)) / self.totals

    def smallest(self, allowed: float) -> Times:
        """Return for each period the smallest constant slack that misses at most this share of it."""
        behind = np.flatnonzero(is_behind(self.needed.slack, 0))
        slack, weight = self.needed.slack[behind], self.needed.weight[behind]
        edges = zip(np.searchsorted(behind, self.first), np.searchsorted(behind, self.last), strict=True)
        each = [
            smallest_of(slack[a:b], weight[a:b], allowed * total)
            for (a, b), total in zip(edges, self.totals, strict=True)
        ]
        return np.array(each, np.int64)

    def _sums(self, weight: Floats) -> Floats:
        so_far = np.concatenate((np.zeros(1), np.cumsum(weight)))
        sums: Floats = so_far[self.last] - so_far[self.first]
        return sums


def smallest_of(slack: Times, weight: Floats, allowed: float) -> int:
    """Return the smallest slack with which at most this weight needs more.

    >>> smallest_of(np.array([3, 9, 5]), np.ones(3), 1), smallest_of(np.array([3, 9, 5]), np.ones(3), 3)
    (5, 0)
    """
    order = np.argsort(-slack, kind="stable")
    too_much = np.cumsum(weight[order]) > allowed + ROUNDING
    return int(slack[order[int(np.argmax(too_much))]]) if too_much.any() else 0
