"""The groups with the largest values, against a version that looks at one entry at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.leading import is_leading

ENTRIES = st.lists(st.tuples(st.integers(-2, 2), st.one_of(st.none(), st.integers(-3, 3))), max_size=30)


@given(ENTRIES, st.integers(1, 4), st.booleans())
def test_an_entry_leads_if_fewer_than_so_many_of_its_place_are_larger(entries, count, floats):
    entries = sorted(entries, key=lambda entry: entry[0])
    expected = [
        value is not None and count > sum(1 for p, v in entries if p == place and v is not None and v > value)
        for place, value in entries
    ]
    place = np.array([place for place, _ in entries], np.int64)
    filled = [value for _, value in entries]
    if floats:
        values, valid = np.array([np.nan if value is None else value for value in filled], np.float64), None
    else:
        values = np.array([value or 0 for value in filled], np.int64)
        valid = np.array([value is not None for value in filled], np.bool_)
    assert expected == is_leading(place, values, valid, count).tolist()


def test_the_least_of_all_integers_can_be_compared():
    least = np.iinfo(np.int64).min
    assert [False, True] == is_leading(np.zeros(2, np.int64), np.array([least, 0]), None, 1).tolist()
