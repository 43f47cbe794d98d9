"""Slots and orders, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.segments import reduced, running, slots_of, stable_order

KEYS = st.sampled_from([0, 1, 2, 10**9, -(10**12), 2**61])


@settings(max_examples=100, deadline=None)
@given(st.lists(KEYS, max_size=20))
def test_a_stable_order_is_that_of_a_stable_sort(keys):
    column = np.array(keys, np.int64)
    assert np.argsort(column, kind="stable").tolist() == stable_order(column).tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(KEYS, KEYS), min_size=1, max_size=20))
def test_slots_number_pairs_in_their_order(pairs):
    first, second = np.array(pairs, np.int64).T
    slot, position, _ = slots_of([first, second])
    occurs = position[position >= 0]
    assert sorted(set(pairs)) == [pairs[i] for i in occurs.tolist()]
    assert [pairs[position[s]] for s in slot.tolist()] == pairs


def test_slots_of_few_rows_among_many_possible_ones_are_numbered_in_order():
    random = np.random.default_rng(1)
    first, second = random.integers(-15, 15, 4_000), random.integers(7, 3_007, 4_000)
    slot, position, slots = slots_of([first, second])
    pairs = sorted(set(zip(first.tolist(), second.tolist(), strict=True)))
    assert len(pairs) == slots
    assert pairs == list(zip(first[position].tolist(), second[position].tolist(), strict=True))
    assert (first[position[slot]] == first).all()
    assert (second[position[slot]] == second).all()


NAN = float("nan")


@pytest.mark.parametrize(
    ("how", "expected"), [("add", [NAN, 5.0, NAN]), ("least", [1.0, 2.0, NAN]), ("most", [NAN, 3.0, NAN])]
)
@pytest.mark.parametrize("turn", [1, -1])
def test_a_value_that_is_no_number_is_larger_than_any(how, expected, turn):
    values, slot = np.array([1.0, NAN, 2.0, 3.0, NAN]), np.array([0, 0, 1, 1, 2])
    assert expected == pytest.approx(reduced(values[::turn], slot[::turn], 3, how).tolist(), nan_ok=True)


@pytest.mark.parametrize(("how", "expected"), [("add", [3, 0]), ("least", [-4, 2**63 - 1]), ("most", [7, -(2**63)])])
def test_a_slot_without_values_has_what_changes_nothing(how, expected):
    assert expected == reduced(np.array([7, -4]), np.array([0, 0]), 2, how).tolist()


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("add", [3, 4, 6, 2, 7]),
        ("least", [3, 1, 1, 2, 2]),
        ("most", [3, 3, 3, 2, 5]),
    ],
)
def test_running_values_begin_anew(how, expected):
    begins = np.array([True, False, False, True, False])
    assert expected == running(np.array([3, 1, 2, 2, 5]), begins, how).tolist()


@pytest.mark.parametrize(("how", "expected"), [("least", [NAN, 1.0, 1.0, 1.0]), ("most", [NAN] * 4)])
def test_running_values_take_what_is_no_number_for_the_largest(how, expected):
    found = running(np.array([NAN, 1.0, NAN, 2.0]), np.array([True, False, False, False]), how)
    assert expected == pytest.approx(found.tolist(), nan_ok=True)


def test_keys_that_are_dense_have_a_slot_for_every_combination():
    slot, position, slots = slots_of([np.array([5, 7]), np.array([1, 0])])
    assert ([1, 4], 6, [-1, 0, -1, -1, 1, -1]) == (slot.tolist(), slots, position.tolist())


@pytest.mark.parametrize(("highest", "slots"), [(65_535, 65_536), (65_536, 2)])
def test_more_slots_than_are_worth_counting_are_those_that_occur(highest, slots):
    assert slots == slots_of([np.array([0, highest])])[2]


def test_no_keys_have_no_slot():
    slot, position, _ = slots_of([np.empty(0, np.int64)])
    assert ([], []) == (slot.tolist(), position[position >= 0].tolist())
