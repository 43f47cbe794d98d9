"""The buffer in memory."""

from __future__ import annotations

from slackwater.core.buffer import MemoryBuffer
from slackwater.events import Events


def buffer_of(*times: int) -> MemoryBuffer:
    buffer = MemoryBuffer()
    buffer.put(Events.of(times))
    return buffer


def test_events_up_to_the_horizon_are_taken_in_order():
    assert [2, 5] == buffer_of(5, 2, 9).take(5).time.tolist()


def test_what_is_not_taken_stays():
    buffer = buffer_of(5, 2, 9)
    buffer.take(5)
    assert (1, [9]) == (len(buffer), buffer.take(9).time.tolist())


def test_equal_times_leave_in_the_order_in_which_they_were_put():
    buffer = buffer_of(3, 3)
    buffer.put(Events.of([3], arrival=[7]))
    assert [0, 1, 7] == buffer.take(3).arrival.tolist()


def test_taking_from_an_empty_buffer_gives_nothing():
    assert 0 == len(MemoryBuffer().take(2**62))


def test_a_buffer_made_of_a_snapshot_holds_the_same():
    assert [2, 5, 9] == MemoryBuffer(buffer_of(5, 2, 9).snapshot()).take(9).time.tolist()


def test_the_times_of_what_is_held_are_in_order():
    buffer = buffer_of(5, 2, 9)
    buffer.put(Events.of([3]))
    assert [2, 3, 5, 9] == buffer.held_times().tolist()


def test_a_snapshot_does_not_change_with_its_buffer():
    buffer = buffer_of(5, 2, 9)
    snapshot = buffer.snapshot()
    buffer.take(5)
    buffer.put(Events.of([1]))
    assert [2, 5, 9] == snapshot.time.tolist()
