"""KIM's buffer of a number of events, and Algorithm 1 around it, against the oracle."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.control import NormalDelay
from slackwater.core.counted import UNBOUNDED, CountedBuffer
from slackwater.events import Events
from slackwater.experiments.counted import run_counted
from slackwater.models.drop_ratio import events_to_hold, exact_drop_ratio
from slackwater.sources.poisson import poisson
from tests.oracle.counted import OracleCounted

STREAMS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=120)


def stream_of(pairs):
    """Event times and arrival times, given each event's delay and the gap before it."""
    arrival = np.cumsum([gap for _, gap in pairs]) + 100
    return arrival - np.array([delay for delay, _ in pairs]), arrival


@settings(max_examples=200, deadline=None)
@given(
    STREAMS, st.sampled_from([1, 3, 10]), st.sampled_from([1, 2]), st.integers(2, 12), st.integers(1, 6), st.booleans()
)
def test_algorithm_1_equals_one_event_at_a_time(pairs, every, sample_every, samples, floor, is_12):
    times, arrival = stream_of(pairs)
    config = NormalDelay(
        estimate_every=every,
        sample_every=sample_every,
        samples=samples,
        floor=floor,
        equation="12" if is_12 else "11",
    )

    def size(sigma, theta):
        z = 2.3263478740408408
        if is_12:
            n = 0 if sigma == 0 else math.inf if theta == 0 else math.sqrt(2) * z * sigma / theta
        elif theta == 0:
            n = z**2 if sigma == 0 else math.inf
        else:
            n = (z**2 + math.sqrt(z**4 + 8 * z**2 * sigma**2 / theta**2)) / 2
        return math.ceil(max(n, floor) - 1e-9) if math.isfinite(n) else math.inf

    oracle = OracleCounted(size, every, sample_every, samples)
    for t, u in zip(times.tolist(), arrival.tolist(), strict=True):
        oracle.on_event(t, u)
    run = run_counted(times, arrival, 0.01, config)
    assert oracle.dropped == np.flatnonzero(run.dropped).tolist()
    assert oracle.sizes == [math.inf if n == UNBOUNDED else n for n in run.capacity.tolist()]
    held = {row for _, row in oracle.buffer}
    assert dict(oracle.sent) == {row: at for row, at in enumerate(run.left_at.tolist()) if at >= 0 and row not in held}


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)), min_size=1, max_size=60),
    st.lists(st.integers(0, 60), max_size=4),
)
def test_how_a_stream_is_cut_into_batches_does_not_show(pairs, cuts):
    times, capacity = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    events, whole, parts = Events.of(times), CountedBuffer(), CountedBuffer()
    expected = whole.on_batch(events, capacity)
    edges = [0, *sorted(min(cut, len(times)) for cut in cuts), len(times)]
    outs = [parts.on_batch(events[a:b], capacity[a:b]) for a, b in pairwise(edges) if b > a]
    assert expected.released.row.tolist() == [row for out in outs for row in out.released.row.tolist()]
    assert expected.dropped.tolist() == [each for out in outs for each in out.dropped.tolist()]
    assert whole.held.row.tolist() == parts.held.row.tolist()


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)), min_size=1, max_size=60))
def test_what_leaves_is_in_order(pairs):
    times, capacity = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    buffer = CountedBuffer()
    left = buffer.on_batch(Events.of(times), capacity).released.time.tolist() + buffer.on_end().time.tolist()
    assert sorted(left) == left


def test_an_event_at_the_earliest_time_held_passes_at_once():
    out = CountedBuffer().on_batch(Events.of([1, 2, 1]), np.full(3, 5))
    assert [2] == out.released.row.tolist()


def test_a_raised_capacity_does_not_let_in_what_is_earlier_than_all_held():
    out = CountedBuffer().on_batch(Events.of([5, 6, 7, 4]), np.array([2, 2, 2, 9]))
    assert [False, False, False, True] == out.dropped.tolist()


def test_e22_without_disorder_the_floor_is_held_and_nothing_dropped():
    config = NormalDelay(estimate_every=10, sample_every=1, samples=10)
    run = run_counted(np.arange(200), np.arange(200) + 1, 0.01, config)
    assert (30, 30, 0.0) == (run.capacity[-1], run.held[-1], run.drop_ratio)
    assert 170 == np.flatnonzero(run.left_at == 199)[1]  # 169 leaves as 199 comes, the rest is drained


def test_e22_nothing_leaves_before_there_are_as_many_samples_as_asked_for():
    config = NormalDelay(estimate_every=10, sample_every=1, samples=10)
    run = run_counted(np.arange(200), np.arange(200) + 1, 0.01, config)
    assert 10 <= run.left_at.min()


@pytest.mark.parametrize("deviation", [1, 3, 5])
def test_a_constant_stream_drops_what_the_poisson_condition_says(deviation):
    table = load_constant(deviation)
    times, arrivals = (table[name].cast("int64").to_numpy() for name in ("event_time", "arrival_time"))
    for n in (20, 20 * deviation):
        capacity = np.full(len(times), n)
        share = CountedBuffer().on_batch(Events.of(times), capacity).dropped.mean()
        assert exact_drop_ratio(n, deviation * 1_000, 100) == pytest.approx(share, rel=0.1)
    run = run_counted(times, arrivals, 0.01, NormalDelay())
    assert events_to_hold(0.01, deviation * 1_000, 100) == pytest.approx(run.average_capacity, rel=0.03)


def load_constant(deviation):
    return poisson(deviation=f"{deviation} ms", duration="20 seconds").streams["s"]


def test_a_constant_stream_never_drops_more_than_was_asked_for():
    """KIM Fig. 6 a), one point of it; `python -m benchmarks.drop_ratio` has them all."""
    table = load_constant(3)
    times, arrivals = (table[name].cast("int64").to_numpy() for name in ("event_time", "arrival_time"))
    assert 0.01 > run_counted(times, arrivals, 0.01, NormalDelay()).drop_ratio
