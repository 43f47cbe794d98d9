"""Samples and pace, for KIM's estimates."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.sampled import ClockPace, Sampled


@given(st.lists(st.integers(0, 99), max_size=60), st.integers(1, 5), st.integers(1, 8), st.integers(0, 60))
def test_samples_are_every_so_many_th_value_of_the_last_ones(values, every, most, cut):
    column = np.array(values, np.int64)
    first = Sampled(every=every, most=most)
    first.update(column[:cut])
    second = Sampled(every=every, most=most, state=json.loads(json.dumps(first.snapshot())))
    second.update(column[cut:])
    assert values[::every][-most:] == second.get().tolist()


def test_a_silence_counts_until_its_events_are_forgotten():
    pace = ClockPace(events=4)
    assert [0.0, 1.0, 26.0, 1.0] == [pace.update(clock, seen) for clock, seen in ((0, 1), (2, 3), (104, 5), (108, 9))]


def test_a_pace_goes_on_from_its_snapshot():
    whole, parts = ClockPace(events=10), ClockPace(events=10)
    for clock in range(0, 400, 7):
        parts = ClockPace(events=10, state=json.loads(json.dumps(parts.snapshot())))
        assert whole.update(clock, clock // 3) == parts.update(clock, clock // 3)
