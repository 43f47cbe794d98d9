"""How much slack recent results needed: shares by slack, and how much these shares vary from block to block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack
from slackwater.estimate.kernels import GROWTH, LAST, MOST_BINS, followed

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times

_NUMBERS = ("blocks", "n", "n_n", "n_before")  # of a snapshot
_COLUMNS = ("m", "n_m", "m_m", "n_m_before", "m_m_before", "last")


def bin_of(slack: Times) -> Rows:
    """Return the bin of each slack: 0 for none, then bins that grow by 2 %.

    >>> bin_of(np.array([0, 1, 1_000_000])).tolist()
    [0, 1, 699]
    """
    grown = np.ceil(np.log(np.maximum(slack, 1)) / GROWTH - 1e-9).astype(np.int64)
    bins: Rows = np.minimum(grown + (slack > 0), MOST_BINS - 1)
    return bins


def slack_of_bin(number: int) -> int:
    """Return the largest slack of a bin, in us.

    >>> slack_of_bin(0), slack_of_bin(1), slack_of_bin(699)
    (0, 1, 1006745)
    """
    return 0 if number == 0 else int(np.exp((number - 1) * GROWTH))


def slacks_of_bins(numbers: Rows) -> Times:
    """Return the largest slack of each bin, in us."""
    return np.where(numbers == 0, 0, np.exp((numbers - 1) * GROWTH)).astype(np.int64)


def bins_within(slack: Times) -> Rows:
    """Return the last bin that each slack covers to its end: what needs that bin or an earlier one needs no more.

    >>> bins_within(np.array([0, 1_006_745, 1_006_744])).tolist()
    [0, 699, 698]
    """
    number = bin_of(slack)
    return number - (slacks_of_bins(number) > slack)


@dataclass(frozen=True, slots=True)
class BlockSums:
    """Sums over blocks of results: n is the weight of a block, m(K) the weight of what slack K would have missed."""

    blocks: float  # how many, each weighed by how recent it is
    n: float
    n_n: float
    m: Floats  # by bin of K
    n_m: Floats
    m_m: Floats
    # The same products with the block before: how alike neighbors are.
    n_before: float = 0.0
    n_m_before: Floats = field(default_factory=lambda: np.zeros(1))  # n of one times m of the other, both ways
    m_m_before: Floats = field(default_factory=lambda: np.zeros(1))


class NeededSlack:
    """Remembers blocks of results with exponential forgetting; `half_life` counts blocks. O(bins) per block.

    >>> memory = NeededSlack(half_life=10)
    >>> memory.update(np.array([0, 5]), np.array([3.0, 1.0]))
    >>> sums = memory.get()
    >>> sums.n, float(sums.m[0])
    (4.0, 1.0)
    """

    def __init__(self, half_life: float, state: dict[str, Any] | None = None) -> None:
        self._keep = 0.5 ** (1 / half_life)
        state = state or {}
        self._blocks, self._n, self._n_n, self._n_before = (float(state.get(name, 0.0)) for name in _NUMBERS)
        self._columns = _stacked(
            [unpack(state[name], np.float64) if name in state else np.zeros(1) for name in _COLUMNS]
        )
        self._last_n = float(state.get("last_n", 0.0))

    def update(self, bins: Rows, weight: Floats) -> None:
        """Take in a block: the bin of the slack that each result needed, and how many results it stands for."""
        self.update_counts(np.bincount(bins, weights=weight, minlength=1).astype(np.float64))

    def update_counts(self, counts: Floats) -> None:
        """Take in a block: the weight of its results by bin."""
        n = float(counts.sum())
        self._columns = followed(self._columns, counts, n, self._last_n, self._keep)
        self._blocks = self._keep * self._blocks + 1
        self._n, self._n_n = self._keep * self._n + n, self._keep * self._n_n + n * n
        self._n_before = self._keep * self._n_before + n * self._last_n
        self._last_n = n

    def get(self) -> BlockSums:
        """Return the sums."""
        m, n_m, m_m, n_m_before, m_m_before = self._columns[:LAST]
        return BlockSums(self._blocks, self._n, self._n_n, m, n_m, m_m, self._n_before, n_m_before, m_m_before)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        numbers = (self._blocks, self._n, self._n_n, self._n_before)
        named = zip(_COLUMNS, map(pack, self._columns), strict=True)
        return {**dict(zip(_NUMBERS, numbers, strict=True)), **dict(named), "last_n": self._last_n}


def _stacked(columns: Sequence[Floats]) -> Floats:
    """Put columns into one array, which is never changed in place: `get` gives its rows away."""
    stacked = np.zeros((len(columns), max(map(len, columns))))
    for row, column in zip(stacked, columns, strict=True):
        row[: len(column)] = column
    return stacked
