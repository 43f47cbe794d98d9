"""The synchronizer: one timestamp order over several streams."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.synchronize import Synchronizer
from slackwater.events import Tagged
from tests.oracle.join import Event
from tests.oracle.join import Synchronizer as SynchronizerOracle

ARRIVALS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=20)


def tagged(pairs, start=0) -> Tagged:
    made = Tagged.of(pairs)
    return Tagged(made.stream, made.time, made.arrival + start, made.row + start)


def test_e3_the_synchronizer_of_the_document():
    logic = Synchronizer(streams=2).build()
    came = [(0, 1), (0, 3), (1, 2), (0, 4), (1, 2), (1, 5), (0, 3)]
    emitted = [logic.on_batch(tagged([pair], i))[0].time.tolist() for i, pair in enumerate(came)]
    assert [[], [], [1, 2], [], [2], [3, 4], [3]] == emitted
    assert [5] == logic.held.time.tolist()


@settings(max_examples=200, deadline=None)
@given(ARRIVALS, st.lists(st.integers(0, 20), max_size=3))
def test_any_split_leaves_in_the_order_of_the_oracle(came, cuts):
    oracle = SynchronizerOracle(3)
    expected = [e.index for i, (s, t) in enumerate(came) for e in oracle.on_event(Event(t, s, i))]
    logic = Synchronizer(streams=3).build()
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(came)}), len(came)]
    got = []
    for start, stop in zip(edges, edges[1:], strict=False):  # noqa: RUF007  (pairs of edges)
        got += logic.on_batch(tagged(came[start:stop], start))[0].row.tolist()
    assert expected == got
    assert sorted(e.index for e in oracle.held) == sorted(logic.held.row.tolist())


def test_an_idle_stream_holds_nobody_back_until_it_speaks():
    logic = Synchronizer(streams=2).build()
    logic.on_batch(tagged([(0, 1), (1, 1), (0, 5)]))
    assert [5] == logic.on_idle(1).time.tolist()
    assert [7] == logic.on_batch(tagged([(0, 7)], 3))[0].time.tolist()
    assert [6, 8] == logic.on_batch(tagged([(1, 6), (0, 9), (1, 8)], 4), awake_from={0: 0, 1: 0})[0].time.tolist()


def test_with_all_streams_idle_everything_leaves_and_time_is_not_poisoned():
    logic = Synchronizer(streams=2).build()
    logic.on_batch(tagged([(0, 3), (1, 1)]))
    logic.on_idle(0)
    logic.on_idle(1)
    assert 0 == len(logic.held)
    assert 3 == logic.snapshot().passed


def test_a_stream_that_never_spoke_holds_everything_back():
    logic = Synchronizer(streams=2).build()
    left, _ = logic.on_batch(tagged([(0, 1), (0, 9)]))
    assert 0 == len(left)


def test_a_stream_that_spoke_but_released_nothing_is_waited_for_again():
    logic = Synchronizer(streams=2).build()
    logic.on_batch(tagged([(0, 1), (1, 1)]))
    logic.on_idle(1)
    logic.on_batch(Tagged.none(), awake_from={1: 0})
    assert 0 == len(logic.on_batch(tagged([(0, 7)], 2))[0])


def test_in_a_total_order_an_event_waits_for_equal_times_of_streams_before_its_own():
    logic = Synchronizer(streams=2, total_order=True).build()
    left = [logic.on_batch(tagged([pair], i))[0].stream.tolist() for i, pair in enumerate([(0, 4), (1, 4), (0, 5)])]
    assert [[], [0], [1]] == left


def test_in_a_total_order_nobody_waits_for_equal_times_of_an_idle_stream():
    logic = Synchronizer(streams=2, total_order=True).build()
    logic.on_batch(tagged([(0, 1), (1, 1)]))
    assert [1] == logic.on_idle(0).stream.tolist()
    assert [7] == logic.on_batch(tagged([(1, 7)], 2))[0].time.tolist()


@settings(max_examples=150, deadline=None)
@given(ARRIVALS, ARRIVALS, st.dictionaries(st.integers(0, 2), st.integers(0, 20), min_size=1), st.booleans())
def test_streams_wake_at_the_event_that_is_said(before, after, awake_from, total_order):
    whole, single = (Synchronizer(streams=3, total_order=total_order).build() for _ in range(2))
    awake_from = {stream: min(place, len(after)) for stream, place in awake_from.items()}
    for logic in (whole, single):
        logic.on_batch(tagged(before))
        for stream in awake_from:
            logic.on_idle(stream)
    left, reason = whole.on_batch(tagged(after, len(before)), awake_from)
    expected = []
    for place, event in enumerate(after):
        single.on_batch(Tagged.none(), {stream: 0 for stream, first in awake_from.items() if first == place})
        gone, _ = single.on_batch(tagged([event], len(before) + place))
        expected += [(row, place) for row in gone.row.tolist()]
    single.on_batch(Tagged.none(), {stream: 0 for stream, first in awake_from.items() if first == len(after)})
    assert expected == list(zip(left.row.tolist(), reason.tolist(), strict=True))
    assert single.snapshot() == whole.snapshot()
