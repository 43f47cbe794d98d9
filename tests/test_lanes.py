"""Several things at the same time: what comes back, and when there are threads at all."""

from __future__ import annotations

import pickle
import threading

import pytest

from slackwater.lanes import ONE_LANE, Lanes

MANY = 1_000_000


@pytest.mark.parametrize("lanes", [1, 2, 3, 8])
@pytest.mark.parametrize("items", [0, 1, 2, 3, 7])
def test_what_is_found_is_in_the_order_of_the_items(lanes, items):
    assert [10 * item for item in range(items)] == Lanes(lanes).map(lambda item: 10 * item, range(items), events=MANY)


def test_two_lanes_work_at_the_same_time():
    both = threading.Barrier(2, timeout=30)
    assert {0, 1} == set(Lanes(2).map(lambda _: both.wait(), [0, 1], events=MANY))


@pytest.mark.parametrize(("lanes", "events"), [(ONE_LANE, MANY), (Lanes(2), 1_000)])
def test_one_lane_and_few_events_have_no_other_thread(lanes, events):
    assert [threading.get_ident()] * 2 == lanes.map(lambda _: threading.get_ident(), [0, 1], events=events)


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_comes_out_of_every_lane_once_all_have_ended(failing):
    failed, ended = threading.Event(), []

    def fail(item):
        if item == failing:
            failed.set()
            raise KeyError(item)
        if item % 2 != failing % 2:  # in the other lane
            assert failed.wait(30)
        ended.append(item)

    with pytest.raises(KeyError, match=str(failing)):
        Lanes(2).map(fail, range(3), events=MANY)
    assert {item for item in range(3) if item % 2 != failing % 2} <= set(ended)


def test_lanes_are_pickled_without_threads():
    assert Lanes(2) == pickle.loads(pickle.dumps(Lanes(2)))
