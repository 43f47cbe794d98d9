"""How far a figure might be off, had another stretch of the same stream been the sample: a block bootstrap over time.

Neighboring periods are alike, so runs of them are drawn (Künsch 1989; circular as in Politis and Romano 1992, of about
the cube root of their number). It knows nothing of trouble that the sample never saw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slackwater.estimate.needed_slack import bin_of, slack_of_bin
from slackwater.time import is_behind

if TYPE_CHECKING:
    from slackwater.advice.needed import Needed
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.time import Times

SAMPLES = 500
MOST_BLOCKS = 256
LEVEL = 0.95
FEWEST_BLOCKS = 10  # with fewer, intervals come out far too short to be shown
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Interval:
    """Where a figure lies in 95 % of the samples drawn."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Floats | Times) -> Interval:
        """Return the interval that leaves out equally many on both sides; values of the sample, not between them."""
        tail = (1 - LEVEL) / 2
        low, high = (float(np.quantile(values, share, method="nearest")) for share in (tail, 1 - tail))
        return cls(low, high)


class Bootstrap:
    """Draws samples of the blocks of a stream; the same seed draws the same.

    >>> from slackwater.advice.needed import Needed
    >>> needed = Needed.of(np.arange(100), np.where(np.arange(100) % 10 == 0, 7, 0))
    >>> Bootstrap(needed, block=10).missed(5)
    Interval(low=0.1, high=0.1)
    """

    def __init__(self, needed: Needed, *, block: int, seed: int = 1) -> None:
        self._needed = needed
        self._block, self.blocks = _numbered(needed.at, block)
        self._seed = seed

    @property
    def says_something(self) -> bool:
        """Whether there are enough blocks to draw from."""
        return self.blocks >= FEWEST_BLOCKS

    def missed(self, slack: int) -> Interval:
        """Return the interval of the share that a constant slack misses."""
        missed = np.where(is_behind(self._needed.slack, slack), self._needed.weight, 0.0)
        return Interval.of(self._drawn @ self._by_block(missed) / self._totals)

    def smallest(self, allowed: float) -> Interval:
        """Return the interval of the smallest constant slack that misses at most a share of all, to 2 %."""
        enough = self._missed_by_bin / self._totals[:, np.newaxis] <= allowed + _ROUNDING
        slack = np.array([slack_of_bin(int(number)) for number in enough.argmax(axis=1)])
        return Interval.of(np.minimum(slack, self._needed.largest))

    def band(self, slacks: Times) -> tuple[Floats, Floats]:
        """Return, for each of these slacks, where the share missed lies."""
        places = np.minimum(bin_of(slacks), self._missed_by_bin.shape[1] - 1)
        shares = self._missed_by_bin[:, places] / self._totals[:, np.newaxis]
        tail = (1 - LEVEL) / 2
        low, high = np.quantile(shares, (tail, 1 - tail), axis=0)
        return low, high

    @cached_property
    def _drawn(self) -> Floats:
        """How often each sample has each block."""
        run = max(1, round(self.blocks ** (1 / 3)))
        starts = np.random.default_rng(self._seed).integers(self.blocks, size=(SAMPLES, math.ceil(self.blocks / run)))
        places = (starts[:, :, np.newaxis] + np.arange(run)).reshape(SAMPLES, -1)[:, : self.blocks] % self.blocks
        flat = (np.arange(SAMPLES)[:, np.newaxis] * self.blocks + places).ravel()
        counts: Floats = np.bincount(flat, minlength=SAMPLES * self.blocks).reshape(SAMPLES, -1).astype(np.float64)
        return counts

    @cached_property
    def _totals(self) -> Floats:
        totals: Floats = self._drawn @ self._by_block(self._needed.weight)
        return totals

    @cached_property
    def _missed_by_bin(self) -> Floats:
        """What each sample misses with the largest slack of each bin."""
        bins = bin_of(self._needed.slack)
        count = int(bins.max(initial=0)) + 1
        flat = np.bincount(self._block * count + bins, weights=self._needed.weight, minlength=self.blocks * count)
        needs = flat.reshape(self.blocks, count)
        more = needs.sum(axis=1, keepdims=True) - np.cumsum(needs, axis=1)
        missed: Floats = np.maximum(self._drawn @ more, 0)
        return missed

    def _by_block(self, weight: Floats) -> Floats:
        sums: Floats = np.bincount(self._block, weights=weight, minlength=self.blocks).astype(np.float64)
        return sums


def _numbered(at: Times, block: int) -> tuple[Rows, int]:
    """Return the block of each entry, numbered without gaps, and how many there are; blocks grow if there are many."""
    if not len(at):
        return np.zeros(0, np.int64), 0
    place = (at - at[0]) // block
    place = place // max(1, math.ceil((int(place[-1]) + 1) / MOST_BLOCKS))
    number = np.concatenate(([0], np.cumsum(np.diff(place) > 0, dtype=np.int64)))
    return number, int(number[-1]) + 1
