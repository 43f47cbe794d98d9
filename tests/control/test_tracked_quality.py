from __future__ import annotations

import pytest

from slackwater.contracts import Goal
from slackwater.control.tracked_quality import Sizes, TrackedQuality
from tests.control.measurements import MS, SECOND, joined, measured

GOAL = Goal(0.9, SECOND, SECOND, (2_000 * MS, 3_000 * MS))


def offered(events: int, cross: float):
    """So many events came to the join in order, and were offered so many combinations in all."""
    return joined([(0, True, cross / events, 0)] * events)


def tracked(goal: Goal, *measurements) -> list[Sizes | None]:
    tracker, found = TrackedQuality(goal), []
    for measurement in measurements:
        tracker.update(measurement)
        found.append(tracker.close(measurement.intervals))
    return found


def test_rates_and_windows_promise_a_size():
    # Four intervals of 10 and 20 events in a second: 10 * 20 * (2 + 3) = 1000 combinations in each second.
    each = measured([0] * 10, [0] * 20, joined=offered(30, 750))
    last = tracked(GOAL, each, each, each, each)[-1]
    assert (750, pytest.approx(1000), pytest.approx(0.75)) == (last.produced, last.original, last.quality)


def test_the_span_is_that_of_the_events_that_came_to_the_join():
    each, half = (measured([0] * 10, [0] * 20, joined=offered(count, count * 30)) for count in (30, 15))
    assert pytest.approx(500) == tracked(GOAL, each, each, each, half)[-1].original


def test_windows_that_are_still_filling_promise_less():
    # In the first second both windows reach back half a second in the mean: 10 * 20 * (.5 + .5).
    first = tracked(GOAL, measured([0] * 10, [0] * 20, joined=offered(30, 200)))[0]
    assert pytest.approx(200) == first.original


def test_an_interval_without_progress_has_no_quality():
    assert [None] == tracked(GOAL, measured([0], [0], joined=joined()))


def test_a_part_of_an_interval_counts_with_the_rest():
    tracker = TrackedQuality(GOAL)
    tracker.update(measured([0] * 4, [0] * 20, joined=offered(10, 100), intervals=0))
    tracker.update(measured([0] * 6, [], joined=offered(20, 100)))
    assert Sizes(200, pytest.approx(200)) == tracker.close(1)


def test_without_a_join_the_events_within_the_slack_count():
    assert [Sizes(3, 4)] == tracked(Goal(), measured([0, 0, 10, 20], slack=10))


def test_nothing_due_is_full_quality():
    assert 1.0 == Sizes(0, 0).quality


def test_where_nothing_was_due_the_quality_is_perfect():
    assert 1.0 == Sizes().quality


def test_no_sizes_add_nothing():
    assert Sizes(2, 4) == Sizes() + Sizes(2, 4)
