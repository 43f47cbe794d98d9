"""Where events of many keys wait, and the loops over them: small cases by hand. A row's key is its last digit."""

from __future__ import annotations

import numpy as np

from slackwater.core.keyed_buffer import KeyedBuffer, new_keys
from slackwater.core.keyed_kernels import BEFORE, CLOCK, HELD, PASSED_ON, ROOT, TOUCHED, delays
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME


def events_of(*events: tuple[int, int]) -> Events:
    """Events of (time, row), in the order of their arrival."""
    time, row = np.array(events, np.int64).T
    return Events(time, np.arange(len(time)), row)


def buffer_of(*events: tuple[int, int], keys=None) -> KeyedBuffer:
    buffer = KeyedBuffer(key_of=lambda rows: rows % 10, keys=keys)
    if events:
        buffer.put(events_of(*events))
    return buffer


def shown(events: Events) -> list[tuple[int, int]]:
    return list(zip(events.time.tolist(), events.row.tolist(), strict=True))


def test_events_are_shown_by_time_and_then_by_arrival():
    assert [(2, 30), (2, 21), (5, 10)] == shown(buffer_of((5, 10), (2, 30), (2, 21)).snapshot())


def test_events_of_some_keys_leave_and_the_others_stay():
    buffer = buffer_of((5, 10), (2, 30), (2, 21), (9, 41))
    events, keys = buffer.take_all(np.array([False, True]))
    assert ([(2, 21), (9, 41)], [1, 1]) == (shown(events), keys.tolist())
    assert (2, [2, 0], [(2, 30), (5, 10)]) == (len(buffer), buffer.keys[:, HELD].tolist(), shown(buffer.snapshot()))


def test_the_room_of_events_that_left_is_used_again():
    buffer = buffer_of((5, 10), (2, 30), (2, 21))
    buffer.take_all()
    room = len(buffer.nodes)
    buffer.put(events_of((7, 1), (6, 2), (5, 3)))
    assert (room, [(5, 3), (6, 2), (7, 1)]) == (len(buffer.nodes), shown(buffer.snapshot()))


def test_room_for_more_doubles_and_for_many_is_what_they_need():
    buffer = buffer_of((1, 0), (2, 0), (3, 0))
    buffer.put(events_of((4, 0)))
    assert 6 == len(buffer.nodes)
    buffer.put(events_of(*((time, 0) for time in range(20))))
    assert (24, 24) == (len(buffer.nodes), len(buffer))


def test_a_key_that_was_never_seen_has_a_clock_before_all_time():
    buffer = buffer_of((5, 11))
    buffer.keys[1, CLOCK] = 8
    assert [BEFORE_ALL_TIME, 8, BEFORE_ALL_TIME] == buffer.known_clocks(np.array([2, 1])).tolist()
    assert [] == buffer.known_clocks(np.empty(0, np.int64)).tolist()


def test_keys_go_on_with_what_is_known_of_them_but_their_events_come_anew():
    known = new_keys(2)
    known[:, CLOCK], known[:, PASSED_ON], known[:, HELD], known[:, ROOT] = 7, 4, 3, 5
    keys = buffer_of(keys=known).keys
    assert ([7, 7], [4, 4], [0, 0], [-1, -1]) == tuple(
        keys[:, each].tolist() for each in (CLOCK, PASSED_ON, HELD, ROOT)
    )
    assert ([BEFORE_ALL_TIME] * 2, [0, 0]) == (keys[:, BEFORE].tolist(), keys[:, TOUCHED].tolist())


def test_what_is_kept_elsewhere_is_forgotten_but_still_counted_by_its_key():
    buffer = buffer_of((5, 10), (2, 30))
    buffer.clear()
    assert (0, [2], [-1], []) == (
        buffer.in_memory,
        buffer.keys[:, HELD].tolist(),
        buffer.keys[:, ROOT].tolist(),
        shown(buffer.in_memory_events()),
    )
    buffer.put(events_of((3, 0)))
    assert [(3, 0)] == shown(buffer.in_memory_events())


def test_a_delay_is_measured_against_the_clock_of_the_key_before_the_step():
    key, time, arrival = np.array([0, 1, 0, 0, 1]), np.array([9, 3, 5, 12, 1]), np.array([1, 1, 1, 2, 3])
    clock = np.array([6, BEFORE_ALL_TIME])
    assert [0, 0, 1, 0, 2] == delays(key, time, arrival, clock).tolist()
    assert [12, 3] == clock.tolist()
