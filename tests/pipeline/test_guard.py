"""Which events have a usable time."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.events import Events, Reason
from slackwater.pipeline.guard import Incoming, batches_together, turn_away
from slackwater.time import MAX_TIME, MIN_TIME, Duration

LONGEST, SHORTEST = np.iinfo(np.int64).max, np.iinfo(np.int64).min


def turned_away(*times: int, has_time=None, processing_time=MAX_TIME, max_ahead: str | None = None) -> list:
    """Return the reason of each event that is turned away, and None for the others."""
    known = None if has_time is None else np.array(has_time)
    ahead = None if max_ahead is None else Duration.of(max_ahead)
    good, bad = turn_away(Incoming(Events.of(times), known, processing_time), ahead)
    reasons = dict(zip(bad.events.row.tolist(), bad.reason, strict=True))
    assert sorted([*good.row.tolist(), *reasons]) == list(range(len(times)))
    return [reasons.get(row) for row in range(len(times))]


def test_times_before_1970_are_usable():
    assert [None, None] == turned_away(-1, -10_000_000_000)


def test_an_event_without_a_time_is_turned_away():
    assert [None, Reason.NULL_TIME] == turned_away(5, 5, has_time=[True, False])


def test_the_first_and_the_last_moment_are_usable():
    assert [None, None] == turned_away(MIN_TIME, MAX_TIME)


def test_before_the_year_1_is_no_time():
    assert [Reason.NULL_TIME, Reason.NULL_TIME] == turned_away(MIN_TIME - 1, SHORTEST)


def test_after_the_year_9999_is_the_future():
    assert [Reason.FUTURE, Reason.FUTURE] == turned_away(MAX_TIME + 1, LONGEST)


def test_exactly_max_ahead_is_not_the_future():
    assert [None, Reason.FUTURE] == turned_away(110, 111, processing_time=100, max_ahead="10 us")


def test_without_max_ahead_every_clock_is_trusted():
    assert [None] == turned_away(MAX_TIME, processing_time=0)


def test_the_longest_max_ahead_does_not_overflow():
    assert [None] == turned_away(5, processing_time=MAX_TIME, max_ahead=str(Duration.MAX))


def test_each_event_may_have_its_own_processing_time():
    assert [None, Reason.FUTURE] == turned_away(110, 110, processing_time=np.array([100, 99]), max_ahead="10 us")


def test_an_event_without_a_time_is_not_in_the_future():
    assert [Reason.NULL_TIME] == turned_away(LONGEST, has_time=[False], processing_time=0, max_ahead="1 s")


def test_good_events_pass_as_they_are():
    events = Events.of([3, 1])
    assert events is turn_away(Incoming(events), None)[0]


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_batches_put_together_are_the_whole(rows):
    whole = Incoming(Events.of([5, 6, 7, 8, 9], arrival=[0, 1, 1, 1, 2]), np.array([True] * 5), np.arange(5))
    parts = list(whole.in_batches(rows))
    assert whole.events.row.tolist() == [row for part in parts for row in part.events.row.tolist()]


def test_events_that_arrived_together_stay_in_one_batch():
    whole = Incoming(Events.of([5, 6, 7, 8, 9], arrival=[0, 1, 1, 1, 2]))
    assert [[5, 6, 7, 8], [9]] == [part.events.time.tolist() for part in whole.in_batches(2)]


def test_nothing_is_no_batch():
    assert [] == list(Incoming(Events.none()).in_batches(10))


def test_streams_are_cut_at_the_same_arrivals_and_what_came_together_stays_together():
    first = Incoming(Events.of([10, 20, 30, 40], arrival=[0, 2, 2, 5]))
    second = Incoming(Events.of([11, 21], arrival=[2, 6]))
    parts = [[each.events.time.tolist() for each in part] for part in batches_together([first, second], 2)]
    assert [[[10], []], [[20, 30], [11]], [[40], [21]]] == parts


def test_streams_without_events_are_one_batch_without_any():
    (part,) = batches_together([Incoming(Events.none()), Incoming(Events.none())], 2)
    assert [0, 0] == [len(each.events) for each in part]
