"""Aggregate functions as algebra: lift an event to a state, combine states, lower a state to the value of a window.

Panes hold states; windows combine the states of their panes. `combine` must be associative and commutative, since
events come in any order. All three work on columns: a state is a tuple of columns, one entry per event, pane or window.
A column is an array, or ragged (`core/ragged.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from slackwater.core.entries import concatenated, replaced
from slackwater.core.lifted import Lifted
from slackwater.core.segments import Column, Reduction, neutral, reduced, running, stable_order

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask

State: TypeAlias = tuple[Any, ...]  # of columns: arrays, or Ragged


class Algebra(Protocol):
    """An aggregate function. A frozen value: it is part of the plan.

    `reductions`, where it is not None, says that `combine` reduces each column of the state by itself, and how; that
    is computed faster. A function may also have the methods `fold(values, valid, slot, slots)` and `scan(state,
    begins)`, if it knows faster ways than to lift each event and to combine states.
    """

    @property
    def reductions(self) -> tuple[Reduction, ...] | None:
        """How each column of the state is combined, where they are independent."""

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return the state of each event; `values` are int64 or float64, `valid` says which are not null (None: all).

        What stands for a null in `values` is any number.
        """

    def combine(self, left: State, right: State) -> State:
        """Return the states of events of both, pairwise."""

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the values of windows, and which are not null (None: all)."""


class Reducing:
    """A function whose columns are combined each by itself."""

    reductions: tuple[Reduction, ...] = ()

    def combine(self, left: State, right: State) -> State:
        """Add, or take the least or the most; NaN is larger than any number."""
        pairs = zip(self.reductions, left, right, strict=True)
        return tuple(_PAIRWISE[how](a, b) for how, a, b in pairs)


@dataclass(frozen=True)
class Count(Reducing):
    """How many events there are; of a column, how many are not null.

    >>> Count().lift(np.array([7, 8]), np.array([True, False]))[0].tolist()
    [1, 0]
    """

    reductions: tuple[Reduction, ...] = ("add",)

    def lift(self, values: Column, valid: Mask | None) -> State:
        """One, or zero for a null."""
        return (_ones(values, valid),)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the count."""
        return state[0], None


@dataclass(frozen=True)
class Sum(Reducing):
    """The sum of what is not null; null where there is nothing. Integers are added as int64, and wrap around beyond it.

    >>> Sum().lower(Sum().lift(np.array([7, 8]), None))[0].tolist()
    [7, 8]
    """

    reductions: tuple[Reduction, ...] = ("add", "add")

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return (value, 1)."""
        return _filled(values, valid, "add"), _ones(values, valid)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the sum."""
        return state[0], state[1] > 0


@dataclass(frozen=True)
class Mean(Reducing):
    """The mean of what is not null."""

    reductions: tuple[Reduction, ...] = ("add", "add")

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return (value, 1), the value as float64."""
        return _filled(values.astype(np.float64), valid, "add"), _ones(values, valid)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return sum / count."""
        total, count = state
        return total / np.maximum(count, 1), count > 0


@dataclass(frozen=True)
class Min(Reducing):
    """The least of what is not null; NaN is larger than any number."""

    reductions: tuple[Reduction, ...] = ("least", "add")

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return (value, 1)."""
        return _filled(values, valid, "least"), _ones(values, valid)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the least."""
        return state[0], state[1] > 0


@dataclass(frozen=True)
class Max(Reducing):
    """The largest of what is not null; NaN is larger than any number."""

    reductions: tuple[Reduction, ...] = ("most", "add")

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return (value, 1)."""
        return _filled(values, valid, "most"), _ones(values, valid)

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return the largest."""
        return state[0], state[1] > 0


@dataclass(frozen=True)
class Variance:
    """The sample variance of what is not null; null for fewer than two.

    The state is (count, mean, sum of squared distances from it), combined as Chan et al. (1979) do: numbers that are
    large against their variance lose nothing.

    >>> state = Variance().fold(np.array([1.0, 2.0, 6.0]), None, np.zeros(3, np.int64), 1)
    >>> Variance().lower(state)[0].tolist()
    [7.0]
    """

    reductions: None = None

    def lift(self, values: Column, valid: Mask | None) -> State:
        """Return (1, value, 0)."""
        mean = _filled(values.astype(np.float64), valid, "add")
        return _ones(values, valid), mean, np.zeros_like(mean)

    def fold(self, values: Column, valid: Mask | None, slot: Rows, slots: int) -> State:
        """Find the means first, then the distances."""
        count, numbers, _ = self.lift(values, valid)
        many = reduced(count, slot, slots, "add")
        mean = reduced(numbers, slot, slots, "add") / np.maximum(many, 1)
        return many, mean, reduced((numbers - mean[slot]) ** 2 * count, slot, slots, "add")

    def combine(self, left: State, right: State) -> State:
        """Return (count, mean, squares) of both."""
        (n, mean, squares), (m, other, more) = left, right
        count, apart = n + m, other - mean
        weight = m / np.maximum(count, 1)
        squared = squares + more + apart**2 * n * weight
        # where one side is empty, what stands for its mean must not matter, whatever it is
        joint = np.where(n == 0, other, np.where(m == 0, mean, mean + apart * weight))
        return count, joint, np.where(n == 0, more, np.where(m == 0, squares, squared))

    def lower(self, state: State) -> tuple[Column, Mask | None]:
        """Return squares / (count - 1)."""
        count, _, squares = state
        return squares / np.maximum(count - 1, 1), count > 1


def fold(function: Algebra, values: Column | Lifted, valid: Mask | None, slot: Rows, slots: int) -> State:
    """Return the state of the events of each slot; of slots without events it means nothing.

    Events that were added up beforehand come as states.

    >>> [column.tolist() for column in fold(Max(), np.array([3, 1, 2]), None, np.array([0, 1, 0]), 2)]
    [[3, 1], [2, 1]]
    """
    if isinstance(values, Lifted):
        return _combined(function, values.state, slot, slots)
    own = getattr(function, "fold", None)
    if own is not None:
        folded: State = own(values, valid, slot, slots)
        return folded
    return _combined(function, function.lift(values, valid), slot, slots)


def _combined(function: Algebra, state: State, slot: Rows, slots: int) -> State:
    """Combine the states of each slot."""
    if function.reductions is not None:
        return tuple(reduced(c, slot, slots, how) for c, how in zip(state, function.reductions, strict=True))
    order = stable_order(slot)
    ordered = slot[order]
    scanned = scan(function, taken(state, order), _begins(ordered))
    last = np.zeros(slots, np.int64)
    last[ordered] = np.arange(len(ordered))  # of equal indexes the last one counts
    return taken(scanned, last) if len(ordered) else tuple(np.zeros(slots, column.dtype) for column in state)


def scan(function: Algebra, state: State, begins: Mask) -> State:
    """Return running combinations, begun anew where `begins` says so.

    O(n) where columns are reduced each by itself, else O(n log longest segment).
    """
    own = getattr(function, "scan", None)
    if own is not None:
        scanned: State = own(state, begins)
        return scanned
    if function.reductions is not None:
        return tuple(running(c, begins, how) for c, how in zip(state, function.reductions, strict=True))
    index = np.arange(len(begins))
    place = index - np.maximum.accumulate(np.where(begins, index, 0))
    step, longest = 1, int(place.max(initial=0))
    while step <= longest:
        at = np.flatnonzero(place >= step)
        both = function.combine(taken(state, at - step), taken(state, at))
        state = tuple(replaced(column, at, new) for column, new in zip(state, both, strict=True))
        step *= 2
    return state


def taken(state: State, which: Any) -> State:
    """Return some entries of a state."""
    return tuple(column[which] for column in state)


def joined_states(states: Sequence[State]) -> State:
    """Put states one after the other; there must be one."""
    return tuple(map(concatenated, zip(*states, strict=True)))


def _begins(slot: Rows) -> Mask:
    return np.concatenate((np.ones(min(len(slot), 1), np.bool_), slot[1:] != slot[:-1]))


def _ones(values: Column, valid: Mask | None) -> Column:
    return np.ones(len(values), np.int64) if valid is None else valid.astype(np.int64)


def _filled(values: Column, valid: Mask | None, how: Reduction) -> Column:
    return values if valid is None else np.where(valid, values, neutral(values.dtype, how))


# NumPy's maximum gives NaN if one side is, fmin the other side: both as if NaN were larger than any number
_PAIRWISE: dict[Reduction, Any] = {"add": np.add, "least": np.fmin, "most": np.maximum}
