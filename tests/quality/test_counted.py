"""Durations by how often they occur."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.quality.counted import Counted

DURATIONS = st.lists(st.integers(0, 10**13), min_size=1, max_size=200)


def counted(*pairs: tuple[int, int]) -> Counted:
    value, count = zip(*pairs, strict=True)
    return Counted(np.array(value), np.array(count))


def test_a_quantile_is_the_smallest_that_enough_rows_do_not_exceed():
    found = counted((1, 50), (2, 45), (3, 4), (4, 1)).quantiles()
    assert {"p50": 1, "p95": 2, "p99": 3, "max": 4} == found


def test_of_no_rows_nothing_is_said():
    assert {None} == set(Counted.none().quantiles().values())


def test_parts_add_up_whatever_their_order():
    one, other = counted((7, 1)), counted((3, 2), (9, 1))
    assert (
        Counted.together([one, other]).quantiles()
        == Counted.together([other, one]).quantiles()
        == {"p50": 3, "p95": 9, "p99": 9, "max": 9}
    )


def test_what_took_longer_moves_all_of_it_but_never_below_nothing():
    assert [[0, 4], [1, 1]] == counted((2, 1), (7, 1)).longer(-3).as_lists()


@given(DURATIONS)
def test_a_duration_is_overstated_by_at_most_one_percent(durations):
    true = np.sort(np.array(durations))
    found = Counted.of(np.array(durations))
    rounded = np.repeat(found.value, found.count)
    assert len(durations) == found.rows
    assert (true <= rounded).all()
    assert (rounded <= 1.01 * true + 1).all()
    assert true[-1] == found.quantiles()["max"]


@given(DURATIONS)
def test_lists_hold_all_of_it(durations):
    found = Counted.of(np.array(durations))
    assert found.quantiles() == Counted.from_lists(found.as_lists()).quantiles()
