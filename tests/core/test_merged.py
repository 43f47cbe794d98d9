"""The clocks of several streams after each step, against plain columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.merged import MergedArrivals
from slackwater.events import Events

EVENTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=15)  # (arrival, time)
STREAMS = st.lists(st.tuples(EVENTS, st.none() | st.integers(0, 6)), min_size=1, max_size=3)


def arrived(events, clock):
    events = sorted(events, key=lambda event: event[0])
    return Arrivals.after(clock, Events.of([time for _, time in events], arrival=[at for at, _ in events]))


def merged(streams, idle=frozenset()):
    clocks = [clock for _, clock in streams]
    return MergedArrivals.of([arrived(events, clock) for events, clock in streams], clocks, idle)


def clock_at(stream, arrival):
    events, clock = stream
    return max([time for at, time in events if at <= arrival] + ([] if clock is None else [clock]), default=None)


@given(STREAMS, st.sets(st.integers(0, 2)))
def test_the_slowest_stream_is_the_one_behind_all_that_have_spoken(streams, idle):
    found = merged(streams, frozenset(idle))
    awaited = [each for s, each in enumerate(streams) if s not in idle or each[0]]
    for step, arrival in enumerate(found.arrival.tolist()):
        known = [clock_at(stream, arrival) for stream in streams]
        spoken = [clock for stream in awaited if (clock := clock_at(stream, arrival)) is not None]
        assert max(clock for clock in known if clock is not None) == found.clock[step]
        assert min(spoken) == found.slowest[step]


@given(STREAMS)
def test_steps_are_the_distinct_arrivals_of_all_streams(streams):
    found = merged(streams)
    assert sorted({at for events, _ in streams for at, _ in events}) == found.arrival.tolist()
    for stream, (events, _) in enumerate(streams):
        assert sorted(at for at, _ in events) == found.arrival[found.steps_of(stream)].tolist()


@given(STREAMS)
def test_events_behind_the_slowest_clock_are_found_with_their_lags(streams):
    found = merged(streams)
    for stream, late in enumerate(found.behind):
        lag = found.per_event(stream, found.before) - found.streams[stream].events.time
        assert np.flatnonzero(lag > 0).tolist() == late.position.tolist()
        assert lag[lag > 0].tolist() == late.lag.tolist()


@given(STREAMS)
def test_the_largest_delay_of_a_step_is_that_of_its_events(streams):
    found = merged(streams)
    expected = np.zeros(found.steps, np.int64)
    for stream, own in enumerate(found.streams):
        np.maximum.at(expected, found.steps_of(stream), own.delay)
    assert expected.tolist() == found.largest_delay.tolist()


def two() -> MergedArrivals:
    """Steps at 1 to 4: a speaks at 1, 1, 3 and 4, b at 2 and 4."""
    a, b = [(1, 10), (1, 12), (3, 11), (4, 20)], [(2, 7), (4, 15)]
    return merged([(a, None), (b, None)])


def test_clocks_are_known_before_and_after_each_step():
    found, none = two(), int(two().clocks_before[0][0])
    assert ([12, 12, 12, 20], [none, 7, 7, 15]) == tuple(clock.tolist() for clock in found.clocks)
    assert ([none, 12, 12, 12], [none, none, 7, 7]) == tuple(clock.tolist() for clock in found.clocks_before)
    assert ([12, 7, 7, 15], [none, 12, 7, 7]) == (found.slowest.tolist(), found.before.tolist())


def test_an_event_has_the_step_in_which_it_came():
    found = two()
    assert ([0, 0, 2, 3], [1, 3]) == (found.steps_of(0).tolist(), found.steps_of(1).tolist())
    assert ([2, 0], [3]) == (found.step_of(0, np.array([2, 1])).tolist(), found.step_of(1, np.array([1])).tolist())
    assert [4, 2] == found.arrived_by(np.array([2, 0])).tolist()
    assert [2, 3, 4, 6] == found.arrived_by(np.arange(4)).tolist()


def test_values_of_steps_are_told_by_step_of_a_stream_or_by_event():
    values = np.array([5, 6, 7, 8])
    assert ([5, 7, 8], [6, 8]) == (two().of_stream(0, values).tolist(), two().of_stream(1, values).tolist())
    assert [5, 5, 7, 8] == two().per_event(0, values).tolist()


def test_a_stream_has_spoken_from_its_first_step_on():
    assert [False, True, True, True] == two().has_spoken(1).tolist()
    assert [False] == merged([([(1, 5)], None), ([], 3)]).has_spoken(1).tolist()


def test_a_part_has_its_steps_alone():
    part = two().part(1, 3)
    assert ([2, 3], [12, 12], [7, 7], [12, 7]) == tuple(
        column.tolist() for column in (part.arrival, part.clock, part.slowest, part.before)
    )
    assert ([1], [0]) == (part.steps_of(0).tolist(), part.steps_of(1).tolist())
    assert ([11], [7]) == tuple(own.events.time.tolist() for own in part.streams)
    assert [[12, 12], [7, 7]] == [clock.tolist() for clock in part.clocks]
    assert [12, 12] == part.clocks_before[0].tolist()


def test_the_largest_delay_of_all_is_that_of_any_stream():
    assert 1 == two().max_delay
    assert 4 == merged([([(1, 5), (2, 4)], None), ([(1, 9), (2, 5)], None)]).max_delay


def test_an_event_behind_the_slowest_clock_says_how_far_and_when():
    late = merged([([(1, 10), (4, 6), (5, 8)], None), ([(2, 7), (3, 9)], None)]).behind[0]
    assert ([1, 2], [3, 4], [3, 1]) == (late.position.tolist(), late.step.tolist(), late.lag.tolist())


def test_a_stream_that_had_not_spoken_may_be_behind_though_it_is_in_order():
    behind = merged([([(1, 10)], None), ([(2, 7)], None)]).behind
    assert ([], [3]) == (behind[0].lag.tolist(), behind[1].lag.tolist())
