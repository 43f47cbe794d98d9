"""The index that partners are found in, by values worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.compiled import compiled
from slackwater.core.probe import Index, Pool, Triggers
from slackwater.core.probe import _is_orderly as is_orderly


def index(code, time, position, codes: int = 2) -> Index:
    return Index.of(Pool(np.array(time), np.arange(len(time)) + 10, np.array(position)), np.array(code), codes)


def triggers(*asking) -> Triggers:
    return Triggers(*np.array(asking, np.int64).T)


@compiled
def same(left, left_row, right, right_row) -> bool:
    return left[0][left_row] == right[0][right_row]


def test_an_event_is_orderly_if_all_that_follow_in_its_group_came_after_it():
    starts, position = np.array([0, 3, 3, 5]), np.array([2, 1, 3, 0, 0])
    assert [False, True, True, True, True] == is_orderly(starts, position).tolist()


def test_events_without_a_key_are_in_no_group():
    found = index([1, -1, 0, 1], [1, 2, 3, 4], [-1] * 4)
    assert ([0, 1, 3], [12, 10, 13], [2, 0, 3]) == (found.starts.tolist(), found.row.tolist(), found.rank.tolist())


@pytest.mark.parametrize(
    ("asking", "count"),
    [
        ((0, 2, 4, 9), 3),  # both bounds belong to what is asked for
        ((0, 3, 4, 9), 2),
        ((0, 2, 3, 9), 2),
        ((0, 2, 4, 7), 2),  # the one at position 7 is not before it
        ((0, 5, 9, 9), 0),
        ((1, 0, 9, 9), 1),
        ((-1, 0, 9, 9), 0),  # no key
    ],
)
def test_partners_have_the_key_lie_within_the_bounds_and_came_before(asking, count):
    found = index([0, 0, 0, 1], [2, 3, 4, 4], [5, 7, 6, 8])
    assert [count] == found.count(triggers(asking)).tolist()
    assert count == sum(len(trigger) for trigger, _ in found.pairs(triggers(asking)))


def test_conditions_are_checked_on_rows_of_both():
    found = index([0, 0, 0, 1], [2, 3, 4, 4], [5, 7, 6, 8])
    asked, left_row = triggers((0, 2, 4, 9), (0, 2, 4, 7), (-1, 0, 9, 9), (0, 3, 3, 9)), np.array([1, 0, 0, 1])
    columns = (np.array([4, 6]),), left_row, same, (np.array([0] * 10 + [4, 6, 4, 6]),)
    assert [1, 2, 0, 1] == found.count_where(asked, *columns).tolist()
    trigger, row = found.pairs_where(asked, *columns)
    assert ([0, 1, 1, 3], [11, 10, 12, 11]) == (trigger.tolist(), row.tolist())
