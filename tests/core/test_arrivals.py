"""What the arrival of events does to the clock."""

from __future__ import annotations

import numpy as np

from slackwater.core.arrivals import Arrivals
from slackwater.events import Events

TOGETHER = Events.of([4, 3, 9, 7, 8], arrival=[0, 0, 1, 2, 2])


def test_a_first_event_has_no_delay():
    assert [0] == Arrivals.after(None, Events.of([-5])).delay.tolist()


def test_the_delay_is_measured_against_the_clock_before():
    assert [0, 0, 1, 0] == Arrivals.after(None, Events.of([1, 4, 3, 5])).delay.tolist()


def test_the_clock_of_earlier_batches_counts():
    assert ([3, 0], [7, 8]) == ((a := Arrivals.after(7, Events.of([4, 8]))).delay.tolist(), a.clock.tolist())


def test_events_that_arrive_together_are_one_step():
    assert (3, [4, 9, 9]) == ((a := Arrivals.after(None, TOGETHER)).steps, a.clock.tolist())


def test_events_that_arrive_together_have_no_delay_among_themselves():
    assert [0, 0, 0, 2, 1] == Arrivals.after(None, TOGETHER).delay.tolist()


def test_the_largest_delay_is_that_of_the_step():
    assert [0, 0, 2] == Arrivals.after(None, TOGETHER).largest_delay.tolist()


def test_a_part_is_as_if_its_steps_came_alone():
    part = Arrivals.after(None, TOGETHER).part(1, 3)
    alone = Arrivals.after(4, TOGETHER[2:])
    columns = ("clock", "before", "delay")
    assert [getattr(alone, c).tolist() for c in columns] == [getattr(part, c).tolist() for c in columns]
    assert alone.largest_delay.tolist() == part.largest_delay.tolist()


def test_a_part_may_be_empty():
    assert (0, 0) == ((part := Arrivals.after(None, TOGETHER).part(3, 3)).steps, len(part.events))


def test_no_events_are_no_steps():
    assert (0, []) == ((a := Arrivals.after(None, Events.none())).steps, a.largest_delay.tolist())


def test_events_that_have_arrived_are_counted_by_step():
    assert [2, 3, 5] == Arrivals.after(None, TOGETHER).arrived_by(np.arange(3)).tolist()
    assert [1, 2, 3] == Arrivals.after(None, Events.of([4, 3, 9])).arrived_by(np.arange(3)).tolist()


def test_events_that_stand_for_others_count_as_many():
    came = Arrivals.together(5, Events.of([1, 6]), weight=np.array([3, 7]), latest=9)
    assert (10, [10], [2]) == (
        came.count,
        came.counted_by(np.array([0])).tolist(),
        came.arrived_by(np.array([0])).tolist(),
    )
    assert ([3, 5], 2) == (
        Arrivals.after(None, TOGETHER).counted_by(np.array([1, 2])).tolist(),
        came.part(0, 1).events.time.size,
    )


def test_events_that_come_together_move_the_clock_once_and_never_back():
    came = Arrivals.together(5, Events.of([1, 6]), weight=np.array([1, 1]), latest=2)
    assert ([6], [5], [4, 0], 1) == (came.clock.tolist(), came.before.tolist(), came.delay.tolist(), came.steps)
    assert [9] == Arrivals.together(9, Events.of([1]), weight=np.array([1]), latest=3).clock.tolist()


def test_a_step_has_the_arrival_of_its_events():
    came = Arrivals.after(None, TOGETHER)
    assert ([0, 1, 2], [0, 2, 2]) == (came.arrival_of_steps().tolist(), came.step_of(np.array([1, 3, 4])).tolist())
    assert [9, 9, 7, 5, 5] == came.per_event(np.array([9, 7, 5])).tolist()


def test_the_largest_delay_of_all_is_nothing_where_nothing_came():
    assert (2, 0) == (Arrivals.after(None, TOGETHER).max_delay, Arrivals.after(None, Events.none()).max_delay)
