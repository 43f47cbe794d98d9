"""A search that begins where the last one ended finds what one from the start does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.near_search import search_near

NUMBERS = st.lists(st.integers(0, 30), max_size=40)


@given(NUMBERS, NUMBERS)
def test_it_finds_the_first_place_that_is_not_less(numbers, wanted):
    ascending = np.sort(np.array(numbers, np.int64))
    assert np.searchsorted(ascending, wanted).tolist() == search_near(ascending, np.array(wanted, np.int64)).tolist()


def test_of_equal_ones_it_finds_the_first_from_either_side():
    ascending = np.array([1, 5, 5, 5, 5, 9])
    assert [0, 1, 6, 1, 5] == search_near(ascending, np.array([0, 5, 10, 5, 9])).tolist()


def test_it_finds_what_is_many_places_away():
    ascending = np.arange(100)
    assert [99, 0, 100, 1, 64, 63] == search_near(ascending, np.array([99, 0, 200, 1, 64, 63])).tolist()


def test_nothing_is_found_at_the_start_of_nothing():
    assert [0, 0] == search_near(np.empty(0, np.int64), np.array([3, 1])).tolist()
