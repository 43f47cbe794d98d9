"""Cells that are merged, and combined by group: against a dictionary."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.algebra import Sum
from slackwater.core.cells import Cells, Input

ROWS = st.lists(st.tuples(st.sampled_from([-7, 0, 1, 5, 2**60]), st.integers(0, 3), st.integers(-5, 5)), max_size=12)


def cells(rows) -> Cells:
    place, group, value = (np.array([row[column] for row in rows], np.int64) for column in range(3))
    return Cells.of((Sum(),), place, group, [Input(value)])


def sums(rows, key) -> dict:
    total: dict = defaultdict(int)
    for row in rows:
        total[key(row)] += row[2]
    return dict(sorted(total.items()))


def values(found: Cells) -> list[int]:
    return found.states[0][0].tolist()


def test_places_that_are_far_apart_are_merged_in_order():
    far = [(-(2**61), 3, 1), (0, 2, 2), (2**61, 1, 3)]
    found = cells(far[:2]).merged(cells(far[1:]), (Sum(),))
    assert ([-(2**61), 0, 2**61], [3, 2, 1], [1, 4, 3]) == (found.place.tolist(), found.group.tolist(), values(found))


@given(ROWS, ROWS)
def test_merged_cells_hold_what_all_rows_give(left, right):
    found = cells(left).merged(cells(right), (Sum(),))
    expected = sums(left + right, lambda row: row[:2])
    assert expected == dict(
        zip(zip(found.place.tolist(), found.group.tolist(), strict=True), values(found), strict=True)
    )
    assert list(expected) == list(zip(found.place.tolist(), found.group.tolist(), strict=True))


@given(ROWS)
def test_groups_are_combined_over_all_places(rows):
    found = cells(rows).by_group((Sum(),))
    expected = sums(rows, lambda row: row[1])
    assert (list(expected), list(expected.values())) == (found.group.tolist(), values(found))
    assert not found.place.any()
