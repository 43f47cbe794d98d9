from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

import slackwater as sw
from slackwater.contracts import Goal
from slackwater.control.waiting import waited_in
from slackwater.measurement import Waited
from tests.control.measurements import MS, SECOND, measured

GOAL = Goal(deadline=6 * SECOND, latency=SECOND)


def test_what_was_measured_in_processing_time_counts():
    waited = Waited(5, 4, 3, 2, 1)
    assert waited == waited_in(replace(measured([0]), waited=waited), GOAL)


def test_without_a_deadline_nothing_is_known():
    assert waited_in(measured([0]), Goal()) is None


def test_behind_a_gate_a_wait_is_the_stall_but_not_longer_than_the_slack():
    gated = replace(measured([0], [0, 0], ahead=[0, 70], slack=200), stall=900 * MS, slack_ready=2)
    assert Waited(1_200 * MS, SECOND, 2, 70 * MS, 3) == waited_in(gated, GOAL)


def test_a_merge_under_a_deadline_can_be_tuned():
    rows = [(second * 1_000, second * 1_000) for second in range(30)]
    behind = [(time, arrival + 20_000) for time, arrival in rows]
    streams = [
        sw.stream(
            pa.table({"ts": [t for t, _ in each], "seq": [a for _, a in each]}),
            name=name,
            event_time="ts",
            unit="ms",
            arrival="seq",
        )
        for name, each in (("scats", rows), ("bus", behind))
    ]
    tuned = sw.Deadline("6 seconds", latency="1 second", controller=sw.control.SLTuner())
    decisions = sw.merge(*streams, contract=tuned).decisions
    assert max(decisions["slack"].to_pylist()) < 5 * SECOND
    assert sum(filter(None, decisions["slack_ready"].to_pylist())) > 0


def test_streams_that_are_not_ahead_of_each_other_have_no_spread():
    assert 0 == waited_in(replace(measured([0], [0], slack=200), stall=0), GOAL).spread
