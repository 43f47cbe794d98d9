"""The reorder pipeline against the oracle, and its edges; the laws are in tests/testing/test_laws.py."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.contracts import FixedSlack, MaxSlack, NoSlack
from slackwater.core.late import LatePolicy
from slackwater.errors import AccountingError, LateEventError, StateError
from slackwater.events import Events
from slackwater.pipeline.guard import Incoming, turn_away
from slackwater.pipeline.reorder import check_version
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.testing import strategies as sst
from slackwater.testing.scripted import Scripted
from slackwater.testing.trace import Driver, Trace, run_all
from slackwater.time import Duration
from tests.oracle.pipeline import OraclePipeline

STREAM = StreamNode(name="bus", event_time="ts", max_ahead=sst.MAX_AHEAD)


def node_of(contract, **options) -> ReorderNode:
    return ReorderNode(stream=STREAM, contract=contract, **options)


def batch_of(*times: int) -> Incoming:
    return Incoming(Events.of(time * sst.SECOND for time in times))


def oracle_of(whole: Incoming, slacks: tuple[Duration, ...], interval: int, release: str) -> OraclePipeline:
    """Run the oracle over a stream, step by step."""
    oracle = OraclePipeline(tuple(slack.microseconds for slack in slacks), interval, release)
    usable = set(turn_away(whole, sst.MAX_AHEAD)[0].row.tolist())
    columns = (whole.events.time.tolist(), whole.events.arrival.tolist(), whole.events.row.tolist())
    events = [(time if row in usable else None, arrival, row) for time, arrival, row in zip(*columns, strict=True)]
    for _, step in groupby(events, key=lambda event: event[1]):
        oracle.on_step(list(step))
    oracle.on_end()
    return oracle


@settings(max_examples=200, deadline=None)
@given(
    sst.incoming().flatmap(lambda whole: st.tuples(st.just(whole), sst.splits(whole))),
    st.lists(sst.durations(), min_size=1, max_size=5).map(tuple),
    st.integers(1, 6).map(lambda count: count * sst.SECOND),
    st.sampled_from(["arrival", "clock"]),
)
def test_a_controller_that_decides_at_boundaries_equals_the_oracle(stream, slacks, interval, release):
    whole, batches = stream
    contract = MaxSlack(controller=Scripted(slacks), adaptation_interval=Duration(interval))
    trace = run_all(node_of(contract, release=release), batches)
    oracle = oracle_of(whole, slacks, interval, release)
    late = [(row, behind - time) for time, row, behind in oracle.kslack.late]
    assert oracle.kslack.released == trace.released
    assert late == [(row, by) for row, by, reason in trace.late if reason == "late"]
    assert oracle.turned_away == sorted(row for row, _, reason in trace.late if reason != "late")
    assert oracle.decisions == trace.decisions


@settings(max_examples=100, deadline=None)
@given(sst.contracts(), sst.batches(), sst.late_policies(), st.sampled_from(["arrival", "clock"]))
def test_decisions_account_for_every_event_under_any_contract(contract, batches, late, release):
    trace = run_all(node_of(contract, late=late, release=release), batches)
    arrived = sum(len(batch.events) for batch in batches)
    for *_, came, released, late_count in trace.decisions:
        assert arrived >= came >= released + late_count


@settings(max_examples=100, deadline=None)
@given(sst.contracts(), sst.batches())
def test_no_slack_is_above_the_cap(contract, batches):
    slacks = [decision[2] for decision in run_all(node_of(contract), batches).decisions]
    assert all(contract.longest_wait is None or slack <= contract.longest_wait.microseconds for slack in slacks)


def test_a_last_decision_is_made_at_the_end():
    driver = Driver(node_of(FixedSlack("1 second")))
    driver.on_batch(batch_of(5, 3))
    assert [(5 * sst.SECOND, 1, sst.SECOND, 2 * sst.SECOND, 2, 2, 0)] == driver.on_end().decisions


def test_each_controller_is_asked_once_for_each_boundary():
    contract = MaxSlack(controller=Scripted(("1 s", "2 s", "3 s")), adaptation_interval="10 seconds")
    trace = run_all(node_of(contract), [batch_of(1, 11, 12, 21)])
    assert [sst.SECOND, 2 * sst.SECOND, 3 * sst.SECOND] == [decision[2] for decision in trace.decisions]


def test_turned_away_events_count_in_the_decision_after_they_came():
    incoming = Incoming(Events.of([0, 0, 2 * sst.SECOND, 0]), np.array([True, False, True, False]))
    driver = Driver(node_of(NoSlack()))
    (decision,) = driver.on_batch(incoming).decisions
    assert (3, 2, 1) == decision[-3:]


def test_adjusted_events_count_as_released_in_decisions():
    driver = Driver(node_of(NoSlack(), late=LatePolicy.adjust()))
    *_, last = driver.on_batch(batch_of(10, 5, 12)).decisions
    assert (3, 3, 0) == last[-3:]


def test_adjusted_events_of_equal_time_leave_in_the_order_of_their_release():
    trace = run_all(node_of(NoSlack(), late=LatePolicy.adjust()), [batch_of(10, 5, 10)])
    assert [0, 1, 2] == [row for _, row in trace.released]


def test_raising_says_which_stream_and_when():
    driver = Driver(node_of(NoSlack(), late=LatePolicy.fail()))
    with pytest.raises(LateEventError) as raised:
        driver.on_batch(batch_of(10, 5))
    assert ("bus", 5 * sst.SECOND, 5 * sst.SECOND) == (
        raised.value.stream,
        raised.value.event_time,
        raised.value.late_by,
    )


def test_state_of_another_version_is_refused():
    with pytest.raises(StateError, match="state has format version 99, expected 1"):
        check_version(99)


def test_events_that_vanish_from_the_buffer_are_noticed():
    driver = Driver(node_of(FixedSlack("1 hour")))
    driver.on_batch(batch_of(1, 2))
    driver.buffer.take(2**62)
    with pytest.raises(AccountingError, match="arrived 3 != released 0"):
        driver.on_batch(batch_of(3))


def test_a_new_pipeline_has_no_clock():
    assert Driver(node_of(NoSlack())).pipeline.clock is None


def test_an_empty_batch_leads_to_nothing():
    assert Trace() == Driver(node_of(MaxSlack())).on_batch(batch_of())
