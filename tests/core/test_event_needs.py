"""What single events need, against runs with constant slacks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.buffer import MemoryBuffer
from slackwater.core.event_needs import EventNeeds, slack_needed
from slackwater.core.merged import MergedArrivals
from slackwater.core.reorder import KSlack
from slackwater.events import Events

TIMES = st.lists(st.integers(0, 25), min_size=1, max_size=50)


def late_rows(events, slack):
    logic = KSlack().build(MemoryBuffer())
    out = logic.on_batch(logic.arrive(events), slack=slack)
    return sorted(out.late.row.tolist() + logic.on_end().late.row.tolist())


@settings(deadline=None)
@given(TIMES, st.integers(0, 26), st.data())
def test_an_event_is_late_if_and_only_if_the_slack_is_less_than_it_needs(times, slack, data):
    steps = np.arange(len(times))
    if data.draw(st.booleans()):
        steps = np.sort(data.draw(st.lists(st.integers(0, 9), min_size=len(times), max_size=len(times))))
    events = Events.of(times, arrival=steps)
    needed = slack_needed(Arrivals.after(None, events))
    assert np.flatnonzero(needed > slack).tolist() == late_rows(events, slack)


@settings(deadline=None)
@given(TIMES)
def test_no_event_needs_more_than_its_delay(times):
    arrivals = Arrivals.after(None, Events.of(times))
    assert (slack_needed(arrivals) <= arrivals.delay).all()


def test_events_that_come_together_need_nothing_of_each_other():
    assert [0, 0, 0] == slack_needed(Arrivals.after(None, Events.of([9, 4, 8], arrival=[0, 0, 0]))).tolist()


def test_nothing_needs_nothing():
    assert [] == slack_needed(Arrivals.after(None, Events.none())).tolist()


def test_every_event_of_every_stream_counts_once():
    a = Arrivals.after(None, Events.of([5, 9, 2], arrival=[0, 2, 4]))
    b = Arrivals.after(None, Events.of([4, 8], arrival=[1, 3]))
    merged = MergedArrivals.of([a, b], [None, None])
    needs = EventNeeds(2).on_batch(merged, np.array([0, 0, 0, 1, 1]), intervals=2).by_step()
    assert [(0, 1.0), (1, 1.0), (6, 1.0), (0, 2.0)] == sorted(
        zip(needs.slack.tolist(), needs.weight.tolist(), strict=True), key=lambda pair: (pair[1], pair[0])
    )


@pytest.mark.parametrize(("times", "other", "needed"), [([20, 5], 10, 6), ([10, 5], 10, 5), ([20, 10], 10, 1)])
def test_in_a_total_order_equal_times_of_others_count_but_no_event_needs_more_than_its_delay(times, other, needed):
    a = Arrivals.after(None, Events.of(times, arrival=[0, 2]))
    b = Arrivals.after(None, Events.of([other], arrival=[1]))
    merged = MergedArrivals.of([a, b], [None, None])
    needs = EventNeeds(2, total_order=True).on_batch(merged, np.array([0, 0, 0]), intervals=1)
    assert needed == needs.slack.max()


def test_those_in_time_are_one_result_at_the_last_step_of_their_interval_gone_once_its_clock_is_passed():
    a = Arrivals.after(None, Events.of([5, 9, 12, 20], arrival=[0, 1, 2, 3]))
    merged = MergedArrivals.of([a], [None])
    needs = EventNeeds(1).on_batch(merged, np.array([0, 0, 2, 2]), intervals=3)
    assert ([1, 3], [9, 20], [10, 21]) == (needs.step.tolist(), needs.time.tolist(), needs.gone.tolist())


def test_an_event_that_came_behind_is_gone_once_its_time_is_passed():
    merged = MergedArrivals.of([Arrivals.after(None, Events.of([9, 4]))], [None])
    needs = EventNeeds(1).on_batch(merged, np.array([0, 0]), intervals=1)
    assert [(1, 4, 5, 5), (1, 9, 0, 10)] == list(
        zip(needs.step.tolist(), needs.time.tolist(), needs.slack.tolist(), needs.gone.tolist(), strict=True)
    )


def test_an_event_as_late_as_the_slowest_clock_needs_nothing():
    merged = MergedArrivals.of([Arrivals.after(None, Events.of([9, 9]))], [None])
    needs = EventNeeds(1).on_batch(merged, np.array([0, 0]), intervals=1)
    assert ([0], [2.0]) == (needs.slack.tolist(), needs.weight.tolist())
