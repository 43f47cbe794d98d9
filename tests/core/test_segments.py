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
