"""Sorted streams merged as packed numbers: against a sort of (time, stream, order)."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.gate_readers import SharedGate
from slackwater.core.merge_runs import merge_runs
from slackwater.events import Tagged
from slackwater.time import MAX_TIME, MIN_TIME

STREAMS = st.lists(st.lists(st.integers(-20, 20), max_size=12), min_size=1, max_size=9)


def numbered(streams, start=0):
    """Sorted times of each stream with rows that say where they come from."""
    return [(np.sort(np.array(own, np.int64)), np.arange(len(own)) + 100 * s + start) for s, own in enumerate(streams)]


def expected_of(*parts):
    events = [(int(t), s, int(r)) for part in parts for s, own in enumerate(part) for t, r in zip(*own, strict=True)]
    return sorted(events, key=lambda event: event[:2])


def triples(merged: Tagged):
    return list(zip(merged.time.tolist(), merged.stream.tolist(), merged.row.tolist(), strict=True))


@settings(max_examples=200, deadline=None)
@given(STREAMS)
def test_any_sorted_streams_are_merged_by_time_and_stream(streams):
    runs = numbered(streams)
    assert expected_of(runs) == triples(merge_runs(runs, Tagged.none()))


@settings(max_examples=200, deadline=None)
@given(STREAMS, st.data())
def test_kept_events_come_before_new_ones_of_their_stream_and_time(streams, data):
    kept = numbered(streams)
    gaps = [data.draw(st.lists(st.integers(0, 9), max_size=6)) for _ in streams]
    new = [[int(max(own, default=-20)) + gap for gap in more] for own, more in zip(streams, gaps, strict=True)]
    runs = numbered(new, start=50)
    assert expected_of(kept, runs) == triples(merge_runs(runs, merge_runs(kept, Tagged.none())))


def test_consecutive_rows_may_be_given_by_the_first():
    runs = [(np.array([1, 4]), 10), (np.array([2, 3]), 20)]
    assert [10, 20, 21, 11] == merge_runs(runs, Tagged.none()).row.tolist()


def test_times_that_are_too_far_apart_to_be_packed_are_sorted_instead():
    ends = np.array([MIN_TIME, MAX_TIME])
    assert merge_runs([(ends, 0)] * 100, Tagged.none()) is None
    gate = SharedGate(writers=100, readers=1).build()
    for writer in range(100):
        gate.insert(writer, ends)
    read = gate.get(0).events
    assert (sorted(read.time.tolist()), [*range(100)]) == (read.time.tolist(), read.stream[:100].tolist())


def test_times_that_are_too_far_apart_to_be_packed_are_left_to_others():
    far = 1 << (62 - 2)  # three streams take two bits
    streams = [(np.array([0]), 0), (np.array([1]), 0), (np.array([far - 1]), 0)]
    assert [0, 1, far - 1] == merge_runs(streams, Tagged.none()).time.tolist()
    streams[2] = (np.array([far]), 0)
    assert merge_runs(streams, Tagged.none()) is None


def test_times_on_both_sides_of_zero_are_as_far_apart_as_they_are():
    far = 1 << (62 - 2)
    streams = [(np.array([time]), 0) for time in (-far // 2, 0, far // 2)]
    assert merge_runs(streams, Tagged.none()) is None
