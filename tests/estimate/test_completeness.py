from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.estimate.completeness import MOST_LOOKS, Completeness
from slackwater.estimate.slots import Slots

SLOTS = Slots(slide=100, per_slide=1, remembered=64)


def delayed(by: int, *, steps: int, every: int = 100) -> Completeness:
    """A stream of an event per us, all of which come so much later, looked at every so often."""
    past = Completeness(SLOTS)
    for clock in range(every, steps * every, every):
        # the one event that is in order moves the clock
        past.update(np.append(np.arange(max(clock - every - by, 0), max(clock - by, 0)), clock - 1))
        past.look(clock - 1)
        past.settle(clock - 20 * 100)
    return past


def test_a_stream_in_order_is_complete_behind_its_clock():
    assert [1.0, 1.0] == pytest.approx(delayed(0, steps=60).visible(np.array([1, 5])).tolist(), abs=0.02)


def test_what_comes_later_is_not_visible_until_then():
    visible = delayed(250, steps=60).visible(np.array([1, 2, 3]))
    assert [0.0, 0.5, 1.0] == pytest.approx(visible.tolist(), abs=0.02)


def test_what_has_not_happened_is_not_visible():
    assert [0.0] == delayed(0, steps=10).visible(np.array([-1])).tolist()


def test_before_any_look_a_stream_is_taken_to_be_in_order():
    assert [0.0, 1.0] == Completeness(SLOTS).visible(np.array([-1, 1])).tolist()


@pytest.mark.parametrize(("part", "share"), [(0.1, 0.125), (0.9, 0.875)])
def test_before_any_look_the_clock_has_seen_its_part_of_its_slot(part, share):
    assert share == Completeness(SLOTS).visible(np.array([0]), part=part)[0]


def test_shares_grow_with_distance():
    visible = delayed(250, steps=60).visible(np.arange(1, 30))
    assert (np.diff(visible) >= 0).all()


def test_a_look_that_is_not_settled_teaches_nothing():
    past = Completeness(SLOTS)
    past.update(np.arange(1000))
    past.look(999)
    past.update(np.arange(1000))
    assert 1.0 == past.visible(np.array([3]))[0]


def test_looks_that_wait_are_bounded():
    past = Completeness(SLOTS)
    for clock in range(1000):
        past.update(np.array([clock]))
        past.look(clock)
    assert MOST_LOOKS == len(past.snapshot()["at"])


def test_a_look_that_waited_longer_than_slots_are_remembered_does_not_show_more_than_all():
    past = Completeness(SLOTS)
    past.update(np.arange(6000))
    past.look(5999)
    past.update(np.arange(6000, 11_000))
    past.settle(11_000)
    assert 1.0 == pytest.approx(past.visible(np.array([30]))[0])


def test_goes_on_from_a_snapshot():
    past = delayed(250, steps=30)
    again = Completeness(SLOTS, json.loads(json.dumps(past.snapshot())))
    for each in (past, again):
        each.update(np.arange(2900, 3000))
        each.look(2999)
        each.settle(2500)
    assert past.snapshot() == again.snapshot()
