"""Slots and orders, dense and sparse."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.segments import slots_of, stable_order

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
