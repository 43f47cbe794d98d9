import json

import pytest

from slackwater.estimate.recent_peak import RecentPeak


def filled(recent, values):
    for value in values:
        recent.update(value)
        recent.close()
    return recent


def test_the_interval_under_way_counts():
    recent = RecentPeak(3)
    recent.update(7)
    assert 7 == recent.get()


def test_what_is_too_long_ago_is_forgotten():
    assert 1 == filled(RecentPeak(3), [9, 1, 1, 1]).get()


@pytest.mark.parametrize("intervals", [64, 65, 1_000])
def test_it_reaches_back_as_far_as_asked_for_and_at_most_two_parts_further(intervals):
    part = -(-intervals // 64)
    assert 9 == filled(RecentPeak(intervals), [9] + [1] * (intervals - 1)).get()
    assert 1 == filled(RecentPeak(intervals), [9] + [1] * (intervals + 2 * part)).get()


def test_many_intervals_are_few_parts():
    assert 64 >= len(filled(RecentPeak(10_000), range(20_000)).snapshot()["parts"])


def test_it_goes_on_from_its_snapshot():
    recent = filled(RecentPeak(100), [3, 8, 1])
    again = filled(RecentPeak(100, json.loads(json.dumps(recent.snapshot()))), [2])
    assert filled(recent, [2]).snapshot() == again.snapshot()


def test_fewer_intervals_than_when_it_was_saved_forget_all_the_same():
    saved = filled(RecentPeak(600), [9] + [1] * 6).snapshot()
    assert 1 == filled(RecentPeak(100, saved), [1] * 200).get()
