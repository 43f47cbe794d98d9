"""The gate as a set computation: against the oracle, whatever the batches, limits and idle streams."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.gate import Gate, GateLogic, Place, is_behind, is_up_to
from slackwater.events import Events, Tagged
from tests.oracle.gate import Event, SlackScaleGate

STREAMS = 3
ARRIVALS = st.lists(st.tuples(st.integers(0, STREAMS - 1), st.integers(0, 12)), min_size=1, max_size=24)
CUTS = st.lists(st.integers(1, 23), max_size=3)
LIMITS = st.lists(st.integers(0, 8), min_size=24, max_size=24)
property_test = settings(max_examples=200, deadline=None)


def batch(gate: GateLogic, pairs, start=0):
    """Let (stream, time) arrive one by one; rows are numbered from `start`."""
    parts = []
    for stream in range(len(gate.snapshot().clocks)):
        own = [(time, start + i) for i, (s, time) in enumerate(pairs) if s == stream]
        time, number = np.array(own, np.int64).reshape(-1, 2).T
        parts.append(Events(time, number, number))
    return gate.arrive(parts)


def rows_of(left) -> list[tuple[int, bool]]:
    return list(zip(left.events.row.tolist(), left.ready.tolist(), strict=True))


def edges_of(pairs, cuts) -> list[tuple[int, int]]:
    return list(pairwise([0, *sorted({cut for cut in cuts if 0 < cut < len(pairs)}), len(pairs)]))


def oracle_of(pairs, limits, slack=0) -> list[list[tuple[int, bool]]]:
    """What is read after each arrival, given the limit that is set before it."""
    oracle = SlackScaleGate(STREAMS, readers=1, slack=slack)
    read = []
    for index, (stream, time) in enumerate(pairs):
        oracle.limit = limits[index]
        oracle.insert(Event(time, stream, index))
        read.append([(each.event.index, each.ready) for each in oracle.get_all(0)])
    return read


@property_test
@given(ARRIVALS, CUTS, LIMITS, st.integers(0, 3))
def test_any_split_and_any_limits_equal_the_oracle(pairs, cuts, limits, slack):
    gate, got = Gate(STREAMS).build(), []
    for start, stop in edges_of(pairs, cuts):
        came = batch(gate, pairs[start:stop], start)
        got += rows_of(gate.on_batch(came, np.array(limits[start:stop]), slack))
        gate = Gate(STREAMS).build(gate.held, gate.snapshot())
    assert [each for read in oracle_of(pairs, limits, slack) for each in read] == got


@property_test
@given(ARRIVALS, st.integers(0, 8))
def test_each_event_leaves_at_the_step_at_which_the_oracle_reads_it(pairs, limit):
    gate = Gate(STREAMS).build()
    left = gate.on_batch(batch(gate, pairs), limit)
    read = enumerate(oracle_of(pairs, [limit] * len(pairs)))
    assert [(row, step) for step, rows in read for row, _ in rows] == list(
        zip(left.events.row.tolist(), left.step.tolist(), strict=True)
    )


@property_test
@given(ARRIVALS, CUTS, st.integers(0, 2), st.integers(0, 8))
def test_a_stream_that_steps_aside_equals_the_oracle(pairs, cuts, stream, limit):
    gate, oracle, got, expected = Gate(STREAMS).build(), SlackScaleGate(STREAMS, readers=1, limit=limit), [], []
    for start, stop in edges_of(pairs, cuts):
        got += rows_of(gate.on_batch(batch(gate, pairs[start:stop], start), limit))
        got += rows_of(gate.on_idle(stream))
        for index in range(start, stop):
            oracle.insert(Event(pairs[index][1], pairs[index][0], index))
            expected += oracle.get_all(0)
        oracle.idle.add(stream)
        expected += oracle.get_all(0)
    assert [(each.event.index, each.ready) for each in expected] == got


def test_e31_the_reads_of_figure_6_with_ready_events_only():
    gate = Gate(2).build()
    left = gate.on_batch(batch(gate, [(0, 10), (1, 20), (0, 55), (0, 90), (1, 40), (1, 95)]), None)
    assert ([10, 20, 40, 55, 90], [True] * 5) == (left.events.time.tolist(), left.ready.tolist())


def test_e31_the_reads_of_figure_6_with_a_limit_of_three():
    gate = Gate(2).build()
    left = gate.on_batch(batch(gate, [(0, 10), (1, 20), (0, 55), (0, 90), (1, 40), (1, 95)]), 30)
    assert [10, 20, 55, 40, 90] == left.events.time.tolist()
    assert [True, True, False, True, True] == left.ready.tolist()


def test_a_stream_that_stops_for_good_holds_the_others_back_for_no_longer_than_the_limit():
    gate = Gate(2).build()
    gate.on_batch(batch(gate, [(0, 1), (1, 1)]), 5)
    left = gate.on_batch(batch(gate, [(0, time) for time in range(2, 100)], 2), 5)
    assert (list(range(2, 94)), 6) == (left.events.time.tolist()[1:], len(gate.held))


def test_a_stream_that_never_spoke_is_waited_for_no_longer_than_the_limit():
    gate = Gate(2).build()
    left = gate.on_batch(batch(gate, [(0, 1), (0, 7), (0, 9)]), 5)
    assert ([1], [False]) == (left.events.time.tolist(), left.ready.tolist())


def test_a_clock_that_steps_back_changes_no_readiness():
    gate = Gate(2).build()
    left = gate.on_batch(batch(gate, [(0, 5), (1, 5), (0, 2), (1, 6), (0, 6)]), None)
    assert [5, 2, 5, 6] == left.events.time.tolist()
    assert (6, 6) == gate.snapshot().clocks


def test_rows_past_an_idle_stream_leave_but_are_not_ready_until_it_has_spoken():
    gate = Gate(2).build()
    gate.on_batch(batch(gate, [(0, 1), (1, 3)]), None)
    gate.on_idle(1)
    silent = gate.on_batch(batch(gate, [(0, 2), (0, 5)], 2), None)
    assert ([2, 3, 5], [True, True, False]) == (silent.events.time.tolist(), silent.ready.tolist())
    spoken = gate.on_batch(batch(gate, [(1, 8), (0, 8)], 4), None)
    assert ([8], [True]) == (spoken.events.time.tolist(), spoken.ready.tolist())


def test_draining_lets_everything_leave_in_order():
    gate = Gate(2).build()
    gate.on_batch(batch(gate, [(0, 5), (0, 9), (0, 7)]), None)
    assert [5, 7, 9] == gate.on_end().events.time.tolist()
    assert 0 == len(gate.held)


def test_what_left_because_a_stream_was_idle_makes_later_events_before_it_late():
    gate = Gate(streams=2).build()
    gate.on_batch(gate.arrive([Events.of([10, 20], arrival=[1, 2]), Events.of([5], arrival=[0])]), None)
    assert [10, 20] == gate.on_idle(1).events.time.tolist()
    assert Place(20, 0) == gate.snapshot().last
    left = gate.on_batch(gate.arrive([Events.none(), Events.of([15, 25])]), None, slack=100)
    assert ([15], [False]) == (left.events.time.tolist(), left.ready.tolist())
    assert [25] == gate.held.time.tolist()


def test_nothing_leaves_because_of_an_idle_stream_while_another_never_spoke():
    gate = Gate(streams=3).build()
    gate.on_batch(gate.arrive([Events.of([10]), Events.none(), Events.none()]), None)
    assert 0 == len(gate.on_idle(1).events)
    assert [10] == gate.on_idle(2).events.time.tolist()


def test_where_all_streams_are_idle_everything_leaves():
    gate = Gate(streams=2).build()
    gate.on_batch(gate.arrive([Events.of([10, 20], arrival=[1, 2]), Events.of([5], arrival=[0])]), None)
    assert [] == gate.on_idle(0).events.time.tolist()
    left = gate.on_idle(1)
    assert ([10, 20], [False, False]) == (left.events.time.tolist(), left.ready.tolist())


def test_up_to_where_the_awaited_streams_are_less_their_slack_events_leave():
    gate = Gate(streams=2).build()
    gate.on_batch(gate.arrive([Events.of([10, 14, 15, 20], arrival=[1, 2, 3, 4]), Events.of([5], arrival=[0])]), None)
    assert [10, 14, 15] == gate.on_idle(1, slack=5).events.time.tolist()


@pytest.mark.parametrize(("stream", "behind", "up_to"), [(0, True, True), (1, False, True), (2, False, False)])
def test_of_equal_times_the_stream_says_which_is_before(stream, behind, up_to):
    events = Tagged.from_stream(stream, Events.of([7]))
    assert (behind, up_to) == (bool(is_behind(events, Place(7, 1))[0]), bool(is_up_to(events, Place(7, 1))[0]))
