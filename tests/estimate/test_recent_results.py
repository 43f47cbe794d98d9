"""What is remembered of recent windows."""

from __future__ import annotations

import json

import numpy as np

from slackwater.estimate.recent_results import RecentResults


def remembered(*bins: list[int], most: int = 10) -> RecentResults:
    recent = RecentResults(most=most, youngest=1)
    for number, each in enumerate(bins):
        recent.update(10 * (number + 1), np.array(each))
    return recent


def test_a_window_that_is_judged_again_replaces_itself():
    recent = remembered([0, 0], [0, 1])
    recent.update(10, np.array([0, 2, 2]))
    found = recent.get(100)
    assert [3, 2] == found.results.tolist()
    assert [[1, 1, 3], [1, 2, 2]] == found.kept.tolist()


def test_the_oldest_windows_are_forgotten():
    found = remembered([0], [0, 0], [0, 0, 0], most=2).get(100)
    assert ([80, 70], [2, 3]) == (found.age.tolist(), found.results.tolist())


def test_a_window_older_than_all_that_is_remembered_is_left_out():
    recent = remembered([0], [0], most=2)
    recent.update(5, np.array([0, 0, 0]))
    assert [1, 1] == recent.get(100).results.tolist()


def test_what_was_emitted_before_it_was_judged_is_known_when_it_is():
    recent = RecentResults(most=10, youngest=1)
    recent.emitted(10, 0)
    recent.update(10, np.array([0, 3]))
    assert 0.5 == recent.get(100).share


def test_the_error_of_a_result_is_not_known_before_the_window_is_twice_as_old_as_its_wait():
    recent = remembered([0])
    recent.emitted(10, 20)
    assert [None, 1.0] == [recent.get(clock).share for clock in (49, 50)]


def test_what_becomes_known_is_told_once():
    recent = remembered([0, 5])
    recent.emitted(10, 0)
    first = recent.get(100)
    recent.told()
    assert [(2.0, 1.0), (0.0, 0.0)] == [(each.due, each.made) for each in (first, recent.get(100))]


def test_going_on_from_a_snapshot_gives_the_same():
    recent = remembered([0, 5], [1], [7])
    recent.emitted(10, 2)
    recent.emitted(90, 1)
    again = RecentResults(most=10, youngest=1, state=json.loads(json.dumps(recent.snapshot())))
    for each in (recent, again):
        each.update(90, np.array([0]))
    assert json.dumps(recent.snapshot()) == json.dumps(again.snapshot())
    assert recent.get(200).kept.tolist() == again.get(200).kept.tolist()


def test_windows_that_are_emitted_but_never_judged_are_forgotten():
    recent = RecentResults(most=3, youngest=1)
    for end in range(10, 1_000, 10):
        recent.emitted(end, 0)
        if end % 20:
            recent.update(end, np.array([0]))
    assert 4 > len(recent.snapshot()["early"])
