from __future__ import annotations

import numpy as np
import pytest

from slackwater.estimate.slots import SlotCounts, Slots

TEN = Slots(slide=10, per_slide=1, remembered=8)


def counted(*batches):
    counts = SlotCounts(TEN)
    for batch in batches:
        counts.update(np.array(batch))
    return counts


def test_a_slot_begins_where_a_slide_is_divided():
    slots = Slots.of(size=30, slide=10_000_000)
    assert 16 * 7 == slots.number(np.array([70_000_000]))[0] == slots.position(70_000_000)


def test_times_before_1970_have_negative_slots():
    assert [-1, -1, 0] == TEN.number(np.array([-10, -1, 0])).tolist()


@pytest.mark.parametrize(("overlap", "per_slide"), [(1, 16), (32, 16), (300, 1), (5000, 1)])
def test_windows_of_many_slides_have_fewer_slots_in_each(overlap, per_slide):
    assert per_slide == Slots.of(size=overlap * 100, slide=100).per_slide


def test_batches_do_not_matter():
    assert counted([3, 15, 22, 4]).between(0, 4).tolist() == counted([3, 15], [22], [4]).between(0, 4).tolist()


def test_slots_that_are_not_remembered_count_nothing():
    counts = counted([5], [95])
    counts.update(np.array([6]))
    assert 1 == counts.between(0, 10).sum()


def test_a_jump_of_the_clock_forgets_everything_before():
    assert [0, 1] == [counted([5], [10_000]).between(start, start + 1)[0] for start in (0, 1_000)]


def test_known_since_the_first_event_or_as_long_as_is_remembered():
    assert (1, 3) == (counted([15, 22]).since, counted([15], [105]).since)


def test_goes_on_from_a_snapshot():
    counts = counted([5, 15])
    again = SlotCounts(TEN, counts.snapshot())
    for each in (counts, again):
        each.update(np.array([95, 44]))
    assert counts.snapshot() == again.snapshot()


def test_counts_before_the_first_event_are_zero():
    assert [0.0, 0.0] == SlotCounts(TEN).between(0, 2).tolist()
