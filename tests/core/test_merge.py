"""The merge, which tells events that leave in order from late ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.merge import Merge, MergeState
from slackwater.events import Tagged
from slackwater.time import BEFORE_ALL_TIME

EVENTS = st.lists(st.tuples(st.integers(0, 2), st.integers(-5, 5)), max_size=12)


def in_order(*events, state=None):
    """Whether each (stream, time) leaves in order."""
    return Merge(streams=3).build(state).on_batch(Tagged.of(events)).in_order.tolist()


def test_equal_times_are_in_the_order_of_their_streams():
    assert [True, True, False] == in_order((0, 5), (2, 5), (1, 5))


def test_an_event_at_the_place_of_the_last_is_not_behind_it():
    assert [True, True, False, True, True] == in_order((0, 4), (1, 5), (0, 5), (1, 5), (2, 5))


def test_an_event_before_the_last_one_is_late():
    assert [True, False, True] == in_order((0, 5), (1, 4), (0, 6))


def test_what_has_left_before_counts():
    assert [False, False, True, True] == in_order((0, 4), (0, 5), (1, 5), (2, 6), state=MergeState(5, 1))


@given(EVENTS, st.integers(0, 12), st.none() | st.integers(-6, 6))
def test_any_batches_leave_as_one_event_after_the_other_does(events, cut, skipped):
    logic, last, fastest = Merge(streams=3).build(), (BEFORE_ALL_TIME, 0), BEFORE_ALL_TIME
    if skipped is not None:
        logic.skip_to(skipped)
        last, fastest = (skipped, 0), skipped
    expected = []
    for stream, time in events:
        in_order = (time, stream) >= last
        expected.append((in_order, fastest))
        fastest, last = max(fastest, time), (time, stream) if in_order else last
    found = []
    for part in (events[:cut], events[cut:]):
        processed = logic.on_batch(Tagged.of(part))
        found += zip(processed.in_order.tolist(), processed.behind.tolist(), strict=True)
    assert expected == found


def test_the_merge_never_skips_back():
    logic = Merge(streams=2).build(MergeState(5, 1))
    logic.skip_to(5)
    assert MergeState(5, 1) == logic.snapshot()
