"""What constants miss, against counting row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.advice.needed import Needed

NEEDS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9), st.integers(1, 3)), min_size=1, max_size=40)


def needed_of(rows) -> Needed:
    at, slack, weight = (np.array(column, np.int64) for column in zip(*sorted(rows), strict=True))
    return Needed.of(at, slack, weight.astype(np.float64))


def missed(rows, slack) -> float:
    return sum(weight for _, need, weight in rows if need > slack) / sum(weight for *_, weight in rows)


@settings(deadline=None)
@given(NEEDS, st.integers(0, 10))
def test_a_slack_misses_what_needs_more(rows, slack):
    assert missed(rows, slack) == pytest.approx(needed_of(rows).missed(slack))


@settings(deadline=None)
@given(NEEDS, st.sampled_from([0, 0.1, 0.25, 0.5, 0.9]))
def test_the_smallest_slack_keeps_the_share_and_one_less_does_not(rows, allowed):
    found = needed_of(rows).smallest(allowed)
    assert found == next(slack for slack in range(11) if missed(rows, slack) <= allowed + 1e-9)


@settings(deadline=None)
@given(NEEDS, st.sampled_from([0, 0.1, 0.5]), st.integers(1, 20), st.integers(1, 20))
def test_each_period_has_its_smallest_slack(rows, allowed, period, every):
    first, last = min(rows)[0], max(rows)[0]
    expected = []
    for at in range(first + period, last + 1, every):
        inside = [row for row in rows if at - period <= row[0] < at]
        if inside:
            expected.append(next(slack for slack in range(11) if missed(inside, slack) <= allowed + 1e-9))
    assert expected == needed_of(rows).periods(period, every).smallest(allowed).tolist()


@settings(deadline=None)
@given(NEEDS, st.integers(0, 10))
def test_the_worst_period_is_found(rows, slack):
    first, last = min(rows)[0], max(rows)[0]
    periods = [[row for row in rows if at - 10 <= row[0] < at] for at in range(first + 10, last + 1, 5)]
    shares = [missed(inside, slack) for inside in periods if inside]
    assert shares == pytest.approx(needed_of(rows).periods(10, 5).missed(slack).tolist())


@settings(deadline=None)
@given(NEEDS)
def test_the_curve_is_exact_where_it_has_points_and_ends_at_nothing_missed(rows):
    slack, share = needed_of(rows).curve()
    assert [missed(rows, each) for each in slack.tolist()] == pytest.approx(share.tolist())
    assert 0 == share[-1]
