"""The laws of aggregate functions, and their values."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.algebra import Count, Max, Mean, Min, Sum, Variance, fold, joined_states, scan, taken
from slackwater.core.lifted import Lifted
from slackwater.core.sketches import Distinct, Quantile, Sketch

FUNCTIONS = [Count(), Sum(), Mean(), Min(), Max(), Variance(), Quantile(0.3), Distinct()]
VALUES = st.lists(st.none() | st.integers(-1_000, 1_000), min_size=1, max_size=12)
each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: type(each).__name__)


class Plain:
    """A function as a user would write it: no reductions, no fold."""

    def __init__(self, inner: Any) -> None:
        self.reductions = None
        self.lift, self.combine, self.lower = inner.lift, inner.combine, inner.lower


def columns(values: list[int | None]) -> tuple[Any, Any]:
    return np.array([0 if v is None else v for v in values]), np.array([v is not None for v in values])


def state_of(function: Any, values: list[int | None]) -> Any:
    return fold(function, *columns(values), np.zeros(len(values), np.int64), 1)


def value_of(function: Any, state: Any) -> float | None:
    values, valid = function.lower(state)
    return None if valid is not None and not valid[0] else pytest.approx(float(values[0]), abs=1e-9)


@each_function
@settings(max_examples=50, deadline=None)
@given(left=VALUES, right=VALUES)
def test_combine_is_commutative(function, left, right):
    a, b = state_of(function, left), state_of(function, right)
    assert value_of(function, function.combine(a, b)) == value_of(function, function.combine(b, a))


@each_function
@settings(max_examples=50, deadline=None)
@given(parts=st.tuples(VALUES, VALUES, VALUES))
def test_combine_is_associative(function, parts):
    a, b, c = (state_of(function, part) for part in parts)
    left = function.combine(function.combine(a, b), c)
    assert value_of(function, left) == value_of(function, function.combine(a, function.combine(b, c)))


@each_function
@settings(max_examples=50, deadline=None)
@given(left=VALUES, right=VALUES)
def test_the_state_of_all_events_is_that_of_the_parts_combined(function, left, right):
    both = function.combine(state_of(function, left), state_of(function, right))
    assert value_of(function, state_of(function, left + right)) == value_of(function, both)


@each_function
@settings(max_examples=20, deadline=None)
@given(left=VALUES, right=VALUES)
def test_states_are_folded_as_the_events_that_they_stand_for(function, left, right):
    states = joined_states([state_of(function, left), state_of(function, right)])
    folded = fold(function, Lifted(states), None, np.zeros(2, np.int64), 1)
    assert value_of(function, state_of(function, left + right)) == value_of(function, folded)


@each_function
@settings(max_examples=50, deadline=None)
@given(values=VALUES)
def test_folding_equals_lifting_and_combining(function, values):
    assert value_of(function, state_of(function, values)) == value_of(function, state_of(Plain(function), values))


@each_function
@settings(max_examples=50, deadline=None)
@given(values=VALUES, cuts=st.lists(st.booleans(), min_size=12, max_size=12))
def test_a_scan_combines_from_the_beginning_of_each_segment(function, values, cuts):
    begins = np.array([True, *cuts[1 : len(values)]])
    scanned = scan(function, function.lift(*columns(values)), begins)
    for i in range(len(values)):
        start = max(j for j in range(i + 1) if begins[j])
        assert value_of(function, state_of(function, values[start : i + 1])) == value_of(function, taken(scanned, [i]))


def expected(name: str, known: list[int]) -> float | None:
    if name in ("Count", "Distinct"):
        return len(known)
    if len(known) < (2 if name == "Variance" else 1):
        return None
    python = {"Sum": sum, "Mean": statistics.fmean, "Min": min, "Max": max, "Variance": statistics.variance}
    return python[name](known)


@each_function
@settings(max_examples=50, deadline=None)
@given(values=VALUES)
def test_nulls_do_not_count(function, values):
    known = [value for value in values if value is not None]
    if isinstance(function, Sketch) and known:
        assert value_of(function, state_of(function, known)) == value_of(function, state_of(function, values))
    else:
        assert expected(type(function).__name__, known) == value_of(function, state_of(function, values))


@pytest.mark.parametrize(("function", "value"), [(Max(), np.nan), (Min(), 1.0)])
def test_nan_is_larger_than_any_number(function, value):
    numbers, slot = np.array([1.0, np.nan, 2.0]), np.zeros(3, np.int64)
    folded = fold(function, numbers, None, slot, 1)
    scanned = scan(function, function.lift(numbers, None), np.array([True, False, False]))
    for state in (folded, taken(scanned, [2])):
        np.testing.assert_equal(function.lower(state)[0], [value])


def test_the_variance_of_large_numbers_is_not_lost():
    numbers = np.array([1e9, 1e9 + 1, 1e9 + 2])
    state = Variance().combine(
        fold(Variance(), numbers[:1], None, np.zeros(1, np.int64), 1),
        fold(Variance(), numbers[1:], None, np.zeros(2, np.int64), 1),
    )
    assert [1.0] == Variance().lower(state)[0].tolist()
