from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.models.arrived import arrived_by, at, shifted, strided_sum

DEGREES = np.array([0.6, 0.2, 0.1, 0.1])


def test_e15_arrived_by_probabilities():
    assert [0.6, 0.8, 0.9, 1.0] == arrived_by(DEGREES).round(12).tolist()


def test_e15_after_a_slack_of_one_unit():
    assert [0.8, 0.1, 0.1] == shifted(DEGREES, 1).round(12).tolist()


def test_a_slack_past_the_largest_delay_leaves_only_delay_zero():
    assert [pytest.approx(1)] == shifted(DEGREES, 9).tolist()


def test_the_last_share_is_exactly_one():
    assert 1.0 == arrived_by(np.full(7, 1 / 7))[-1]


def test_all_has_arrived_where_nothing_is_known():
    assert [1.0, 1.0] == at(np.zeros(0), np.array([0, 5])).tolist()


@given(
    st.lists(st.floats(0, 1), max_size=12),
    st.lists(st.integers(0, 20), min_size=1, max_size=5),
    st.integers(1, 5),
    st.integers(0, 9),
)
def test_strided_sums_agree_with_a_loop(shares, starts, stride, terms):
    arrived = np.append(np.sort(np.array(shares)), 1.0)
    expected = [sum(at(arrived, np.array([s + i * stride]))[0] for i in range(terms)) for s in starts]
    assert pytest.approx(expected) == strided_sum(arrived, np.array(starts), stride, terms).tolist()
