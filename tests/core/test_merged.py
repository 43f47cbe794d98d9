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
