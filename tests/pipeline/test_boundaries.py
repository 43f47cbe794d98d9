"""When decisions fall due."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.contracts import NoSlack
from slackwater.core.arrivals import Arrivals
from slackwater.events import Events
from slackwater.measurement import Counts
from slackwater.pipeline.boundaries import Boundaries, Decisions


def counts_by(step):
    return step + 1, step, np.zeros_like(step), step


def pass_over(boundaries: Boundaries, *times: int, clock: int | None = None) -> Decisions:
    arrivals = Arrivals.after(clock, Events.of(times))
    return boundaries.pass_over(arrivals, boundaries.crossed(arrivals.clock), np.full(len(times), 7), counts_by)


def test_the_first_event_crosses_no_boundary():
    assert [] == pass_over(Boundaries(10), 95).at.tolist()


def test_a_boundary_is_crossed_by_the_event_that_reaches_it():
    assert [10, 20] == pass_over(Boundaries(10), 5, 9, 10, 19, 20).at.tolist()


def test_an_event_behind_the_clock_crosses_nothing():
    assert [10] == pass_over(Boundaries(10), 5, 10, 3, 11).at.tolist()


def test_a_silence_over_many_boundaries_is_one_decision_that_says_so():
    decisions = pass_over(Boundaries(10), 5, 95)
    assert ([95], [9]) == (decisions.at.tolist(), decisions.intervals.tolist())


def test_boundaries_before_1970_are_crossed_too():
    assert [-10, 0] == pass_over(Boundaries(10), -15, -10, -1, 0).at.tolist()


def test_no_events_are_no_decisions():
    assert 0 == len(pass_over(Boundaries(10)))


def test_a_decision_has_the_slack_that_was_in_force():
    assert [7] == pass_over(Boundaries(10), 5, 10).slack.tolist()


def test_a_decision_has_the_largest_delay_since_the_one_before():
    assert [4, 2] == pass_over(Boundaries(10), 9, 5, 10, 8, 20).max_delay.tolist()


def test_the_largest_delay_is_kept_from_batch_to_batch():
    boundaries = Boundaries(10)
    pass_over(boundaries, 9, 5)
    assert [4] == pass_over(boundaries, 10, clock=9).max_delay.tolist()


def test_the_largest_delay_begins_anew_after_a_decision():
    boundaries = Boundaries(10)
    pass_over(boundaries, 9, 5, 10)
    assert [0] == pass_over(boundaries, 20, clock=10).max_delay.tolist()


def test_counts_are_asked_for_at_the_steps_that_cross():
    assert [3, 5] == pass_over(Boundaries(10), 5, 9, 10, 19, 20).arrived.tolist()


def test_closing_is_one_more_decision():
    boundaries = Boundaries(10)
    pass_over(boundaries, 9, 5)
    last = boundaries.close(9, 7, Counts(arrived=2, released=1, late=1), 1)
    assert [(9, 1, 7, 4, 2, 1, 1)] == list(zip(*(column.tolist() for column in last.columns()[:7]), strict=True))


def test_closing_a_stream_that_never_delivered_is_none():
    assert 0 == len(Boundaries(10).close(None, 7, Counts(), 0))


@given(st.lists(st.integers(-50, 200), max_size=20), st.integers(0, 20), st.integers(1, 30))
def test_any_split_crosses_the_same_boundaries(times, cut, interval):
    whole, parts = Boundaries(interval), Boundaries(interval)
    expected = list(zip(*(column.tolist() for column in pass_over(whole, *times).columns()[:7]), strict=True))
    first = pass_over(parts, *times[:cut])
    clock = max(times[:cut], default=None)
    restored = Boundaries(interval, clock=clock, max_delay=parts.max_delay)
    second = pass_over(restored, *times[cut:], clock=clock)
    got = [row for part in (first, second) for row in zip(*(c.tolist() for c in part.columns()[:7]), strict=True)]
    without_counts = slice(0, 4)
    assert [row[without_counts] for row in expected] == [row[without_counts] for row in got]


@given(st.lists(st.integers(-50, 200), min_size=1, max_size=20), st.integers(1, 30))
def test_intervals_add_up_to_the_way_of_the_clock(times, interval):
    decisions = pass_over(Boundaries(interval), *times)
    assert max(times) // interval - times[0] // interval == int(decisions.intervals.sum())


def test_decisions_put_together_keep_their_order():
    first, second = pass_over(Boundaries(10), 5, 10), pass_over(Boundaries(10), 5, 30)
    assert [10, 30] == Decisions.concat([first, Decisions.none(), second]).at.tolist()


def test_buffered_is_what_arrived_and_neither_left_nor_was_late():
    columns = pass_over(Boundaries(10), 5, 10).as_columns(NoSlack())
    assert (columns["arrived"] - columns["released"] - columns["late"]).tolist() == columns["buffered"].tolist()
