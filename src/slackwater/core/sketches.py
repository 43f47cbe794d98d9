"""Quantiles and distinct counts by sketches: states of bounded size, with known errors, that combine exactly.

Combining is exact: the sketch of a window does not depend on how its events were cut into panes or batches. Both are
maps from a small integer to a number, and hold no more keys than there were events.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.ragged import Ragged

if TYPE_CHECKING:
    from slackwater.core.algebra import State
    from slackwater.core.segments import Column, Reduction
    from slackwater.events import Rows
    from slackwater.time import Mask

_ONE = 1 << 24  # the key of the bucket that ends at 1: beyond the index of any float64, so that keys have its order
_INFINITE, _NAN = 2**31 - 2, 2**31 - 1
_LEAST = 1e-300  # numbers nearer to zero than this count as zero
_LARGEST = 709.78  # the largest number of which float64 has the exponential
_FEWEST_BITS, _MOST_BITS = 4, 16


class Sketch(ABC):
    """A function whose state is one ragged column."""

    reductions: ClassVar[None] = None
    how: ClassVar[Reduction]

    @abstractmethod
    def pairs(self, values: Column) -> tuple[Rows, Column]:
        """Return the key of each event and what it counts for it."""

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return a map with one key, or none for a null."""
        return self.fold(values, valid, np.arange(len(values)), len(values))

    def fold(self, values: Column, valid: Mask | None, slot: Rows, slots: int) -> State:
        """Gather the keys of each slot."""
        if valid is not None:
            values, slot = values[valid], slot[valid]
        return (Ragged.of(slot, *self.pairs(values), slots, self.how),)

    def combine(self, left: State, right: State) -> State:
        """Merge the maps."""
        return (left[0].merged(right[0], self.how),)

    def scan(self, state: State, begins: Mask) -> State:
        """Merge each map with those before it."""
        return (state[0].running(begins, self.how),)


@dataclass(frozen=True)
class Quantile(Sketch):
    """The number below which a share `q` of the others lies, within a relative error of `accuracy`, always.

    It is the one of rank ceil(q * count), as SQL's `percentile_disc`. Numbers are counted in buckets that grow by
    (1 + accuracy) / (1 - accuracy) (DDSketch, Masson et al., VLDB 2019, without its merging of buckets: the error holds
    for every distribution). A map has a key for each bucket in use: 230 for each factor of 100 at an accuracy of 1 %.

    >>> sketch = Quantile(0.5, accuracy=0.01)
    >>> values, valid = sketch.lower(sketch.fold(np.array([1.0, 7.0, 100.0]), None, np.zeros(3, np.int64), 1))
    >>> abs(values[0] / 7 - 1) <= 0.01, valid.tolist()
    (np.True_, [True])
    """

    q: float
    accuracy: float = 0.01
    how: ClassVar[Reduction] = "add"

    def pairs(self, values: Column) -> tuple[Rows, Column]:
        """Return the bucket of each number, and 1."""
        numbers = values.astype(np.float64)
        size = np.abs(numbers)
        counts = (size >= _LEAST) & np.isfinite(size)
        steps = np.ceil(np.log(size, out=np.zeros_like(size), where=counts) / self._step)
        bucket = np.where(counts, np.copysign(_ONE + steps, numbers), 0).astype(np.int64)
        bucket[np.isinf(numbers)] = _INFINITE
        bucket[numbers == -np.inf] = -_INFINITE
        bucket[np.isnan(numbers)] = _NAN
        return bucket, np.ones(len(numbers), np.int64)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the middle of the bucket that holds the rank."""
        maps: Ragged = state[0]
        key = _key_at(maps.starts, maps.keys, maps.values, self.q)
        exponent = (np.abs(key) - _ONE) * self._step
        middle = np.exp(np.minimum(exponent + math.log1p(-self.accuracy), _LARGEST))
        values = np.where(key == 0, 0.0, np.copysign(middle, key))
        values[np.abs(key) == _INFINITE] = np.inf
        values[key == -_INFINITE] = -np.inf
        values[key == _NAN] = np.nan
        return values, np.diff(maps.starts) > 0

    @property
    def _step(self) -> float:
        return math.log1p(self.accuracy) - math.log1p(-self.accuracy)


@dataclass(frozen=True)
class Distinct(Sketch):
    """How many different values there are, with a standard error of at most `error`; exact for a handful.

    HyperLogLog (Flajolet et al. 2007) over 64-bit hashes: 2^bits registers with 1.04 / sqrt(2^bits) <= error, of which
    a map has those in use; read by Ertl's estimator (2017), which needs no corrections for small or large counts. Two
    out of three counts are within one standard error, 95 % within two.

    >>> sketch = Distinct()
    >>> sketch.lower(sketch.fold(np.array([3, 5, 3]), None, np.zeros(3, np.int64), 1))[0].tolist()
    [2]
    """

    error: float = 0.02
    how: ClassVar[Reduction] = "most"

    def pairs(self, values: Column) -> tuple[Rows, Column]:
        """Return the register of each hash, and the place of the first one in its other bits."""
        return _registers(np.ascontiguousarray(values, np.int64), self.bits)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the estimate, rounded."""
        return _estimates(state[0].starts, state[0].values, self.bits), None

    @property
    def bits(self) -> int:
        """How many bits of a hash choose its register."""
        return min(max(math.ceil(2 * math.log2(1.04 / self.error)), _FEWEST_BITS), _MOST_BITS)


@compiled
def _key_at(starts: Rows, keys: Rows, counts: Column, q: float) -> Rows:
    out = np.zeros(len(starts) - 1, np.int64)
    for i in range(len(out)):
        total = 0
        for at in range(starts[i], starts[i + 1]):
            total += counts[at]
        rank = max(total - int(np.floor(total - q * total)), 1)  # ceil(q * total), safe from rounding as DuckDB has it
        for at in range(starts[i], starts[i + 1]):
            rank -= counts[at]
            if rank <= 0:
                out[i] = keys[at]
                break
    return out


@compiled
def _registers(values: Rows, bits: int) -> tuple[Rows, Column]:
    register, place = np.empty(len(values), np.int64), np.empty(len(values), np.uint8)
    for i in range(len(values)):
        mixed = np.uint64(values[i]) + np.uint64(0x9E3779B97F4A7C15)  # splitmix64: every bit depends on all others
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
        register[i] = np.int64(mixed >> np.uint64(64 - bits))
        rest = mixed << np.uint64(bits)
        first = 1
        while first <= 64 - bits and not rest >> np.uint64(63):
            rest = rest << np.uint64(1)
            first += 1
        place[i] = first
    return register, place


@compiled
def _estimates(starts: Rows, places: Column, bits: int) -> Rows:
    out = np.zeros(len(starts) - 1, np.int64)
    registers, last = 2.0**bits, 64 - bits
    for i in range(len(out)):
        many = np.zeros(last + 2, np.int64)
        many[0] = int(registers) - (starts[i + 1] - starts[i])
        for at in range(starts[i], starts[i + 1]):
            many[places[at]] += 1
        if starts[i + 1] > starts[i]:
            level = registers * _tau(1.0 - many[last + 1] / registers)
            for place in range(last, 0, -1):
                level = 0.5 * (level + many[place])
            level += registers * _sigma(many[0] / registers)
            out[i] = int(np.round(registers * registers / (2.0 * np.log(2.0) * level)))
    return out


@compiled
def _sigma(share: float) -> float:
    """Return the sum of x^(2^k) * 2^(k - 1): what registers without a value stand for."""
    total, before, weight = share, -1.0, 1.0
    while total != before:
        share, before = share * share, total
        total += share * weight
        weight += weight
    return total


@compiled
def _tau(share: float) -> float:
    """Return what full registers stand for."""
    if share == 0.0 or share == 1.0:
        return 0.0
    total, before, weight = 1.0 - share, -1.0, 1.0
    while total != before:
        share, before, weight = np.sqrt(share), total, 0.5 * weight
        total -= (1.0 - share) ** 2 * weight
    return total / 3.0
