import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.contracts import Goal
from slackwater.control import BoundedDrops, Capped, Fixed
from slackwater.control.bounded_drops import BoundedDropsController
from slackwater.control.controller import slack_within
from slackwater.errors import ParameterError
from slackwater.measurement import Counts, Measurement
from tests.oracle.guard import OracleGuard

SECOND = 1_000_000
GOAL = Goal(0.9, period=10 * SECOND, interval=SECOND)  # a tenth may be late


def one_second(state=None):
    """A guard around a controller that always waits a second."""
    return BoundedDropsController(Fixed("1 second").build(), 0.1, GOAL, (state or {}).get("guard", {}))


def part(controller, delays, *, late=0, at=0, intervals=1):
    """Let the events of an interval, or of a part of it, arrive one by one; return the slack at each, in seconds."""
    delays = np.array(delays) * SECOND
    path = slack_within(controller, delays, np.arange(1, len(delays) + 1))
    controller.observe(
        Measurement(at * SECOND, intervals, int(path[-1]), int(delays.max()), delays, Counts(), late=late)
    )
    return (path / SECOND).tolist()


def calm(controller, intervals=10):
    """Let a hundred events arrive in time in each of some intervals: then a hundred of a period may be late."""
    for number in range(intervals):
        part(controller, [0] * 100, at=number + 1)


def test_nothing_is_risked_before_anything_is_known():
    assert [3, 3, 5] == part(one_second(), [3, 0, 5])


def test_a_few_events_behind_the_slack_do_not_matter():
    controller = one_second()
    calm(controller)
    assert [1, 1, 1] == part(controller, [4, 0, 4])


def test_it_waits_longer_at_once_where_the_share_runs_out():
    controller = one_second()
    calm(controller)
    # 90 of 900 may be late: 10 of an interval, if all lose alike, may come behind the slack.
    path = part(controller, [4] * 10 + [7, 2])
    assert [1] * 10 + [7, 7] == path


def test_events_that_were_late_are_no_longer_left():
    controller = one_second()
    calm(controller)
    part(controller, [0] * 100, late=89, at=11)
    assert [6] == part(controller, [6], at=12)


def test_a_boundary_ends_the_alarm():
    controller = one_second()
    calm(controller)
    part(controller, [4] * 20, at=11)
    assert [1] == part(controller, [0], at=12)


def test_the_largest_recent_delay_is_waited_for_even_after_a_silence():
    controller = one_second()
    calm(controller)
    part(controller, [8] + [0] * 99, at=11)
    part(controller, [0], at=1_000)  # ends the silence, and the interval
    assert [8] == part(controller, [0], at=1_001)


@pytest.mark.parametrize("cut", [1, 4, 9, 12])
def test_a_batch_that_ends_within_an_interval_changes_nothing(cut):
    delays = [4] * 11 + [7, 2, 0]
    whole, parted = one_second(), one_second()
    calm(whole), calm(parted)
    first = part(parted, delays[:cut], intervals=0)
    parted = one_second(json.loads(json.dumps(parted.snapshot())))
    assert part(whole, delays) == first + part(parted, delays[cut:])


def test_events_that_arrive_together_have_one_slack():
    controller = one_second()
    assert [5 * SECOND] == slack_within(controller, np.array([5, 2]) * SECOND, np.array([2])).tolist()


@pytest.mark.parametrize("delays", [[4] * 15 + [0] * 985, [0] * 985 + [4] * 15])
def test_events_that_arrive_together_have_no_order(delays):
    controller = one_second()
    calm(controller)
    assert [SECOND] == slack_within(controller, np.array(delays) * SECOND, np.array([1_000])).tolist()


def test_an_event_that_stands_for_many_counts_as_all_of_them():
    whole, added = one_second(), one_second()
    calm(whole), calm(added)
    delays, weights = np.array([0, 4, 7]) * SECOND, np.array([50, 12, 3])
    slack = slack_within(whole, np.repeat(delays, weights), np.array([65]))
    assert slack.tolist() == slack_within(added, delays, np.array([3]), weights).tolist()
    for controller, each in ((whole, {"delays": np.repeat(delays, weights)}), (added, {"delays": delays})):
        more = {} if controller is whole else {"weights": weights}
        controller.observe(Measurement(20 * SECOND, 1, int(slack[0]), 7 * SECOND, **each, counts=Counts(), **more))
    assert whole.snapshot() == added.snapshot()


def test_a_cap_holds_between_decisions_too():
    controller = Capped(BoundedDrops(), cap="2 seconds").build(None, GOAL)
    assert [2 * SECOND] == slack_within(controller, np.array([5 * SECOND]), np.array([1])).tolist()


def test_a_reserve_is_a_share():
    with pytest.raises(ParameterError, match="reserve"):
        BoundedDrops(reserve=2)


def test_another_period_begins_to_count_anew():
    controller = one_second()
    part(controller, [9], at=1)
    other = Goal(0.9, period=20 * SECOND, interval=SECOND)
    again = BoundedDropsController(Fixed("1 second").build(), 0.1, other, controller.snapshot()["guard"])
    assert [1] == part(again, [0])


# Shares and periods whose products are exact: both sides may add them up in any order.
EXACT = Goal(0.875, period=5 * SECOND, interval=SECOND)
STEPS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=12), min_size=1, max_size=6)


@settings(max_examples=200)
@given(st.lists(st.tuples(STEPS, st.integers(0, 3), st.integers(1, 6), st.integers(0, 6)), max_size=12))
def test_a_batch_has_the_slacks_of_one_step_at_a_time(intervals):
    columns = BoundedDropsController(Fixed("4 us").build(), 0.25, EXACT, {})
    oracle, at = OracleGuard(4, 0.125, 0.25, EXACT.interval, EXACT.period), 0
    for steps, late, passed, cut in intervals:
        at += passed * SECOND
        expected = [oracle.on_step(step) for step in steps]
        found = [each for part in (steps[:cut], steps[cut:]) for each in slacks_of(columns, part)]
        assert expected == found
        delays = np.concatenate(steps)
        columns.observe(Measurement(at, passed, 4, int(delays.max()), delays, Counts(), late=late))
        oracle.on_boundary(at, late)
        assert oracle.slack == columns.next_slack().microseconds


def slacks_of(controller, steps) -> list[int]:
    """Let some steps arrive; return the slack at each."""
    if not steps:
        return []
    arrived_by = np.cumsum([len(step) for step in steps])
    return slack_within(controller, np.concatenate(steps), arrived_by).tolist()


def test_after_ten_periods_the_largest_delay_is_forgotten():
    controller = BoundedDropsController(Fixed("1 second").build(), 0.25, EXACT, {})
    part(controller, [9], at=1)
    for number in range(49):
        part(controller, [0], at=number + 2)
    assert [9] == part(controller, [2], at=51)  # so few events came that none may be late
    assert [2] == part(controller, [2], at=52)


def test_where_a_period_is_one_interval_only_the_one_under_way_counts():
    controller = BoundedDropsController(Fixed("1 second").build(), 0.1, Goal(0.9, SECOND, SECOND), {})
    calm(controller)
    assert [4] == part(controller, [4], at=11)


def test_during_an_alarm_the_next_slack_is_the_largest_recent_delay():
    controller = one_second()
    slack_within(controller, np.array([7 * SECOND]), np.array([1]))
    assert "7 seconds" == str(controller.next_slack())
