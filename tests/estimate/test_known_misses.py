"""The recall of the last period, and of earlier ones of which more has become known."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.estimate.known_misses import KnownMisses

PERIOD = 640  # in parts of 10


def known(made=(), missed=()) -> KnownMisses:
    found = KnownMisses(PERIOD)
    tell(found, made, missed)
    return found


def tell(found: KnownMisses, made=(), missed=(), weight=1) -> None:
    """Tell of results at these times."""
    for take_in, times in ((found.made, made), (found.miss, missed)):
        time = np.array(times, np.int64)
        take_in(found.by_part(np.zeros(len(time), np.int64), time, np.full(len(time), weight), 1)[0])


def test_nothing_is_known_where_nothing_was_due():
    assert math.isnan(known().worst(1_000))


def test_results_count_for_a_period_and_no_longer():
    found = known(made=[5, 6, 7], missed=[5])
    assert 0.75 == found.worst(630)
    tell(found, made=[645])
    assert 1.0 == found.worst(649)


def test_a_miss_that_becomes_known_late_is_news_of_the_periods_that_it_falls_into():
    found = known(made=[600, 601, 602])
    assert 1.0 == found.worst(609)
    tell(found, missed=[600])
    tell(found, made=[1_300], weight=100)  # a silence of more than a period in between
    assert 0.75 == found.worst(1_300)


def test_news_are_told_once():
    found = known(made=[600, 601, 602], missed=[600])
    tell(found, made=[1_300], weight=100)
    assert [0.75, 1.0] == [found.worst(1_300), found.worst(1_309)]


def test_a_miss_of_more_than_two_periods_ago_is_forgotten():
    found = known(made=[10, 3_000])
    tell(found, missed=[10])
    assert 1.0 == found.worst(3_000)


def test_a_miss_stands_for_as_many_results_as_its_weight_says():
    found = known(made=[5, 6, 7])
    tell(found, missed=[6], weight=9)
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
            tell(each, **{"made" if what == "made" else "missed": [max(clock - step, 0)]})
        other = KnownMisses(PERIOD, other.snapshot())


def test_counts_are_added_up_by_interval_and_part():
    interval, time = np.array([0, 0, 0, 2, 2]), np.array([5, 9, 10, 11, 30])
    told = KnownMisses(PERIOD).by_part(interval, time, np.array([1, 2, 3, 4, 5]), 3)
    assert [[(0, 3), (1, 3)], [], [(1, 4), (3, 5)]] == told


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2_000) | st.integers(0, 10**6), st.integers(0, 3)), min_size=1, max_size=30),
    st.lists(st.integers(0, 30), max_size=5),
)
def test_counts_of_ascending_times_are_added_up_the_same(results, ends):
    results, ends = sorted(results), np.array(sorted(min(end, len(results)) for end in ends), np.int64)
    time, count = (np.array(column, np.int64) for column in zip(*results, strict=True))
    interval = np.searchsorted(ends, np.arange(len(time)), side="right")
    expected = KnownMisses(PERIOD).by_part(interval, time, count, len(ends) + 1)
    got = KnownMisses(PERIOD).ascending_by_part(ends, time, np.append(0, np.cumsum(count)))
    assert [[each for each in told if each[1]] for told in expected] == got


def worst_of_periods(made: Counter[int], missed: Counter[int], ends: range) -> float:
    """Look at every period by itself."""
    shares = []
    for end in ends:
        results, gone = (sum(told[part] for part in range(end - 63, end + 1)) for told in (made, missed))
        shares += [results / (results + gone)] if results + gone else []
    return min(shares, default=math.nan)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 3)), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 3)), max_size=20),
    st.integers(0, 100),
)
def test_a_question_for_several_intervals_is_answered_with_the_worst_of_all_periods_in_between(made, missed, more):
    found, made, missed = KnownMisses(PERIOD), [(0, 1), *sorted(made)], sorted(missed)
    found.made(made)
    found.miss(missed)
    end = max(part for part, _ in (*made, *missed)) + more
    results, gone = Counter[int](), Counter[int]()
    for counts, told in ((results, made), (gone, missed)):
        for part, count in told:
            counts[part] += count
    whole = range(min(63, end), end + 1)  # the first one begins with the first result
    np.testing.assert_equal(found.worst(10 * end, intervals=2), worst_of_periods(results, gone, whole))


def test_a_period_that_a_long_batch_has_passed_is_not_forgotten():
    found = known(made=[5, 3_000], missed=[6])
    assert 0.5 == found.worst(3_000, intervals=5)


def test_a_miss_of_a_long_batch_is_told_once():
    found = known(made=[5, 3_000], missed=[6])
    assert [0.5, 1.0] == [found.worst(3_000, intervals=5), found.worst(3_009, intervals=2)]
