"""The recall of the last period, and of earlier ones of which more has become known."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.estimate.known_misses import KnownMisses

PERIOD = 640  # in parts of 10


def known(made=(), missed=()) -> KnownMisses:
    found = KnownMisses(PERIOD)
    found.made(np.array(made, np.int64), np.ones(len(made), np.int64))
    found.miss(np.array(missed, np.int64), np.ones(len(missed)))
    return found


def test_nothing_is_known_where_nothing_was_due():
    assert math.isnan(known().worst(1_000))


def test_results_count_for_a_period_and_no_longer():
    found = known(made=[5, 6, 7], missed=[5])
    assert 0.75 == found.worst(630)
    found.made(np.array([645]), np.array([1]))
    assert 1.0 == found.worst(649)


def test_a_miss_that_becomes_known_late_is_news_of_the_periods_that_it_falls_into():
    found = known(made=[600, 601, 602])
    assert 1.0 == found.worst(609)
    found.miss(np.array([600]), np.array([1.0]))
    found.made(np.array([1_300]), np.array([100]))  # a silence of more than a period in between
    assert 0.75 == found.worst(1_300)


def test_news_are_told_once():
    found = known(made=[600, 601, 602], missed=[600])
    found.made(np.array([1_300]), np.array([100]))
    assert [0.75, 1.0] == [found.worst(1_300), found.worst(1_309)]


def test_a_miss_of_more_than_two_periods_ago_is_forgotten():
    found = known(made=[10, 3_000])
    found.miss(np.array([10]), np.array([1.0]))
    assert 1.0 == found.worst(3_000)


def test_a_miss_stands_for_as_many_results_as_its_weight_says():
    found = known(made=[5, 6, 7])
    found.miss(np.array([6]), np.array([9.0]))
    assert 0.25 == found.worst(9)


EVENTS = st.lists(st.tuples(st.sampled_from(["made", "miss", "worst"]), st.integers(0, 400)), max_size=40)


@settings(max_examples=100, deadline=None)
@given(EVENTS)
def test_it_goes_on_from_its_snapshot_at_any_point(events):
    one, other, clock = KnownMisses(PERIOD), KnownMisses(PERIOD), 0
    for what, step in events:
        clock += step if what != "miss" else 0
        if what == "worst":
            np.testing.assert_equal(one.worst(clock), other.worst(clock))
            continue
        for each in (one, other):
            getattr(each, what)(np.array([max(clock - step, 0)]), np.array([1]))
        other = KnownMisses(PERIOD, other.snapshot())
