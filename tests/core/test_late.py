"""What happens to events that could not be used in time."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from slackwater.core.late import LatePolicy
from slackwater.errors import LateEventError, ParameterError
from slackwater.events import Events, Late, Reason

IN_ORDER = Events.of([10, 12])


def late_of(*reasons: Reason) -> Late:
    """Return one late event at time 4, 5, ... for each reason."""
    parts = [Late.because(Events.of([4 + n]), reason, np.array([6 - n])) for n, reason in enumerate(reasons)]
    return Late.concat(parts)


def route(policy: LatePolicy, *reasons: Reason, behind: int = 10, follows: int = 1):
    count = len(reasons)
    columns = np.full(count, behind), np.full(count, follows)
    return policy.route(IN_ORDER, late_of(*reasons), *columns, stream="bus")


@pytest.mark.parametrize("name", ["drop", "side", "adjust"])
def test_a_policy_is_read_from_its_name(name):
    assert getattr(LatePolicy, name)() == LatePolicy.of(name)


def test_raise_is_the_name_of_the_policy_that_fails():
    assert LatePolicy.fail() == LatePolicy.of("raise")


def test_a_policy_stays_itself():
    assert LatePolicy.drop() == LatePolicy.of(LatePolicy.drop())


@pytest.mark.parametrize("name", ["", "discard", "SIDE", None])
def test_an_unknown_policy_is_refused(name):
    with pytest.raises(ParameterError, match="late must be drop, side, adjust or raise"):
        LatePolicy.of(name)


def test_a_policy_pickles_and_is_hashable():
    assert {LatePolicy.side()} == {LatePolicy.side(), pickle.loads(pickle.dumps(LatePolicy.side()))}


def test_only_adjusting_changes_times():
    policies = [LatePolicy.side(), LatePolicy.drop(), LatePolicy.adjust(), LatePolicy.fail()]
    assert [False, False, True, False] == [policy.changes_times for policy in policies]


def test_side_sends_late_events_to_the_late_output():
    routed = route(LatePolicy.side(), Reason.LATE, Reason.NULL_TIME)
    assert ([10, 12], [4, 5], 2) == (routed.released.time.tolist(), routed.side.events.time.tolist(), routed.late)


def test_drop_counts_and_discards():
    routed = route(LatePolicy.drop(), Reason.LATE, Reason.FUTURE)
    assert ([10, 12], 0, 2) == (routed.released.time.tolist(), len(routed.side), routed.late)


def test_adjust_raises_times_to_what_was_passed_on():
    routed = route(LatePolicy.adjust(), Reason.LATE, Reason.OVER_CAP)
    assert ([10, 10, 10, 12], 0, 0) == (routed.released.time.tolist(), len(routed.side), routed.late)


@pytest.mark.parametrize("reason", [Reason.FUTURE, Reason.NULL_TIME])
def test_an_event_without_a_usable_time_cannot_be_adjusted(reason):
    routed = route(LatePolicy.adjust(), reason)
    assert ([10, 12], [reason], 1) == (routed.released.time.tolist(), routed.side.reason, routed.late)


def test_an_adjusted_event_comes_right_after_what_left_before_it():
    tied = Events.of([10, 10, 10])
    routed = LatePolicy.adjust().route(tied, late_of(Reason.LATE), np.array([10]), np.array([2]), stream="bus")
    assert [0, 1, 0, 2] == routed.released.row.tolist()


def test_fail_raises_at_the_first_late_event():
    with pytest.raises(LateEventError) as raised:
        route(LatePolicy.fail(), Reason.LATE, Reason.FUTURE)
    error = raised.value
    assert ("bus", "late", 4, 6) == (error.stream, error.reason, error.event_time, error.late_by)


def test_fail_knows_no_time_of_an_event_without_one():
    with pytest.raises(LateEventError) as raised:
        route(LatePolicy.fail(), Reason.NULL_TIME)
    assert (None, None) == (raised.value.event_time, raised.value.late_by)


def test_fail_lets_in_order_events_pass():
    assert [10, 12] == route(LatePolicy.fail()).released.time.tolist()
