"""Events and late events as columns."""

from __future__ import annotations

import numpy as np

from slackwater.events import REASONS, Events, Late, Reason, code_of


def test_events_of_numbers_arrive_one_after_the_other():
    events = Events.of([5, 3])
    assert ([5, 3], [0, 1], [0, 1]) == (events.time.tolist(), events.arrival.tolist(), events.row.tolist())


def test_adding_events_keeps_their_order():
    both = Events.of([5, 3], arrival=[7, 8]) + Events.of([4], arrival=[9])
    assert ([5, 3, 4], [7, 8, 9], [0, 1, 0]) == (both.time.tolist(), both.arrival.tolist(), both.row.tolist())


def test_adding_no_events_changes_nothing():
    events = Events.of([5])
    assert [[5], [5]] == [(events + Events.none()).time.tolist(), (Events.none() + events).time.tolist()]


def test_no_events_have_columns_of_integers():
    assert np.int64 == Events.concat([]).time.dtype


def test_events_of_equal_time_stay_in_arrival_order():
    assert [1, 3, 0, 2] == Events.of([3, 1, 3, 1]).by_time().row.tolist()


def test_a_mask_chooses_events():
    events = Events.of([5, 3, 4], arrival=[9, 9, 8])[np.array([True, False, True])]
    assert ([5, 4], [9, 8], [0, 2]) == (events.time.tolist(), events.arrival.tolist(), events.row.tolist())


def test_late_events_share_a_reason():
    late = Late.because(Events.of([1, 2]), Reason.FUTURE)
    assert ([Reason.FUTURE] * 2, [0, 0]) == (late.reason, late.late_by.tolist())


def test_late_events_of_different_reasons_can_be_added():
    late = Late.because(Events.of([1]), Reason.LATE, np.array([5])) + Late.because(Events.of([2]), Reason.NULL_TIME)
    assert ([5, 0], ["late", "null_time"]) == (late.late_by.tolist(), [str(reason) for reason in late.reason])


def test_a_code_leads_back_to_its_reason():
    assert list(Reason) == [REASONS[code_of(reason)] for reason in Reason]


def test_no_late_events_have_no_reason():
    assert (0, []) == (len(Late.none()), Late.none().reason)
