"""Orders and searches that exploit what is nearly sorted give what plain ones do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.leaving_order import leaving_order, merging_order
from slackwater.core.near_search import search_near
from slackwater.events import Tagged

SMALL = st.integers(0, 6)


@given(st.lists(st.tuples(SMALL, SMALL, st.integers(0, 2)), max_size=40))
def test_events_leave_by_cause_time_stream_and_arrival(events: list[tuple[int, int, int]]) -> None:
    tagged = Tagged.of([(stream, time) for _, time, stream in events])
    first = np.array([cause for cause, _, _ in events], np.int64)
    expected = sorted(range(len(events)), key=lambda i: (*events[i], i))
    assert expected == leaving_order(first, tagged).tolist()


@given(st.lists(st.lists(st.tuples(SMALL, SMALL), max_size=12), min_size=1, max_size=3))
def test_runs_that_are_in_order_are_merged_into_the_same_order(runs: list[list[tuple[int, int]]]) -> None:
    events = [(cause, time, stream) for stream, run in enumerate(runs) for cause, time in sorted(run)]
    tagged = Tagged.of([(stream, time) for _, time, stream in events])
    first = np.array([cause for cause, _, _ in events], np.int64)
    edges = np.cumsum([0, *map(len, runs)]).tolist()
    assert leaving_order(first, tagged).tolist() == merging_order(first, tagged, edges).tolist()


def test_a_stream_that_is_sorted_backwards_leaves_in_order_too() -> None:
    times = np.arange(1_000)[::-1]
    events = Tagged(np.zeros(1_000, np.int8), times, np.arange(1_000), np.arange(1_000))
    assert times[::-1].tolist() == times[leaving_order(np.zeros(1_000, np.int64), events)].tolist()


@given(st.lists(SMALL, max_size=40), st.lists(st.integers(-2, 8), max_size=40))
def test_values_are_found_where_a_binary_search_finds_them(values: list[int], wanted: list[int]) -> None:
    ascending = np.array(sorted(values), np.int64)
    expected = np.searchsorted(ascending, np.array(wanted, np.int64)).tolist()
    assert expected == search_near(ascending, np.array(wanted, np.int64)).tolist()
