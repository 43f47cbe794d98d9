"""The merge, which tells events that leave in order from late ones."""

from __future__ import annotations

from slackwater.core.merge import Merge, MergeState
from slackwater.events import Tagged


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
