"""Since when things have waited, from a short list of calls."""

from __future__ import annotations

import numpy as np

from slackwater.estimate.recent_calls import MOST_CALLS, RecentCalls


def calls(*marks: int) -> RecentCalls:
    """Calls at 100, 200, ... us of processing time, with clocks ten times that."""
    recent = RecentCalls()
    for number, mark in enumerate(marks, start=1):
        recent.update(mark, at=100 * number, clock=1_000 * number)
    return recent


def since(recent: RecentCalls, *marks: int) -> dict[int, int]:
    found = recent.get(np.array(marks, np.int64))
    return dict(zip(found.at.tolist(), found.how_many.tolist(), strict=True))


def test_a_mark_waits_since_the_first_call_that_reached_it():
    assert {100: 1, 200: 2, 300: 1} == since(calls(5, 9, 12), 5, 6, 9, 10)


def test_a_call_that_reached_nothing_new_changes_nothing():
    assert {100: 1} == since(calls(5, 5, 3), 5)


def test_what_no_call_has_reached_waits_since_the_last():
    assert {200: 1} == since(calls(5, 9), 40)


def test_without_a_call_nothing_is_known():
    assert {} == since(RecentCalls(), 1, 2)


def test_what_is_forgotten_was_asked_for_by_nothing_else():
    recent = calls(5, 9, 12)
    recent.forget(9)
    assert {300: 1} == since(recent, 10)
    assert [[12, 300, 3_000]] == recent.snapshot()


def test_the_last_call_is_never_forgotten():
    recent = calls(5)
    recent.forget(99)
    assert {100: 1} == since(recent, 99)


def test_a_snapshot_is_all_that_is_needed_to_go_on():
    recent = calls(5, 9)
    assert since(recent, 3, 7) == since(RecentCalls(recent.snapshot()), 3, 7)


def test_of_many_calls_no_wait_is_understated_and_the_last_is_exact():
    count = 10 * MOST_CALLS
    recent = calls(*range(count))
    found = np.array([next(iter(since(recent, mark))) for mark in range(count)])
    true = 100 * np.arange(1, count + 1)
    assert MOST_CALLS >= len(recent.snapshot())
    assert (found <= true).all()
    assert true[-1] == found[-1]


def test_of_many_calls_a_wait_is_overstated_by_a_small_share():
    count = 10 * MOST_CALLS
    recent = calls(*range(count))
    now = 100 * count
    for mark in range(count // 2, count):
        waited = now - 100 * (mark + 1)
        assert waited <= now - next(iter(since(recent, mark))) <= 1.07 * waited + 200
