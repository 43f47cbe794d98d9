"""The drop-ratio contract end to end, in process: what is measured, what controllers are told, what is kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.contracts import DropRatio
from slackwater.sources import load
from slackwater.time import Duration
from tests.builders import small_joins

SECOND = 1_000_000


def reordered(times, contract, **options):
    frame = pa.table({"ts": pa.array(times, pa.int64()), "row": np.arange(len(times))})
    return sw.reorder(sw.stream(frame, event_time="ts", unit="s"), contract=contract, **options)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=60), st.integers(0, 4))
def test_measured_is_the_share_late_of_what_arrived_in_the_last_period(back, slack):
    times = [max(0, number - each) for number, each in enumerate(back)]
    fixed = sw.control.Fixed(Duration(slack * SECOND))
    contract = DropRatio(0.1, over="5 seconds", controller=fixed)
    out = reordered(times, contract)
    late = set(out.late["row"].to_pylist())
    decisions = out.decisions.to_pylist()[:-1]
    at = [int(row["at"].timestamp()) for row in decisions]
    # What arrives at the step that crosses a boundary still belongs to the interval before it.
    clocks = np.maximum.accumulate(times)
    first = [int(np.argmax(clocks >= each)) for each in at]
    for number, row in enumerate(decisions):
        begun = [step for step, when in zip(first, at, strict=True) if when <= at[number] - 5]
        rows = range(begun[-1] + 1 if begun else 0, first[number] + 1)
        share = sum(each in late for each in rows) / len(rows)
        assert share == pytest.approx(row["measured"])


def test_decisions_have_target_and_estimate_as_shares_that_are_late():
    stream = load("poisson", duration="20 seconds").streams["s"]
    source = sw.stream(stream, event_time="event_time")
    last = sw.reorder(source, contract=DropRatio(0.01, over="2 seconds")).decisions.to_pylist()[-2]
    assert 0.01 == last["target"]
    assert 0 < last["estimated"] <= 0.01
    assert 0 < last["measured"] <= 0.01


def test_a_steady_stream_is_kept_within_the_target_in_every_period_after_the_first():
    stream = load("poisson", duration="30 seconds").streams["s"]
    contract = DropRatio(0.01, over="2 seconds")
    decisions = sw.reorder(sw.stream(stream, event_time="event_time"), contract=contract).decisions.to_pylist()
    assert 0.01 >= max(row["measured"] for row in decisions[4:-1])


def test_a_policy_without_a_target_measures_nothing():
    assert [None] * 3 == reordered([1, 3, 2, 5], sw.NoSlack()).decisions["measured"].to_pylist()


def test_rows_without_a_time_do_not_count():
    out = reordered([10, None, 9, 12], DropRatio(0.5, over="5 seconds"))
    assert pytest.approx(1 / 3) == out.decisions.to_pylist()[0]["measured"]


def test_late_rows_whose_times_are_adjusted_count_as_late_all_the_same():
    out = reordered([10, 9, 12], DropRatio(0.5, over="5 seconds"), late="adjust")
    assert pytest.approx(1 / 3) == out.decisions.to_pylist()[0]["measured"]


@settings(max_examples=60, deadline=None)
@given(small_joins(), st.integers(0, 6))
def test_the_share_measured_of_a_join_counts_the_rows_of_all_streams(join, slack):
    fixed = sw.control.Fixed(Duration(slack))
    contract = DropRatio(0.5, over=Duration(10**6), adaptation_interval=Duration(2), controller=fixed)
    decisions = join.run_under(contract).decisions
    for number in range(len(decisions) - 1):
        share = 1 - decisions.late[number] / decisions.arrived[number]
        assert share == pytest.approx(decisions.measured[number])


@settings(max_examples=60, deadline=None)
@given(small_joins(), st.lists(st.integers(0, 24), max_size=3))
def test_a_join_decides_the_same_however_it_is_cut_into_batches(join, cuts):
    contract = DropRatio(0.2, over=Duration(6), adaptation_interval=Duration(2))
    whole, parts = join.run_under(contract).decisions, join.run_under(contract, cuts).decisions
    assert whole.slack.tolist() == parts.slack.tolist()
    assert whole.measured.tolist() == pytest.approx(parts.measured.tolist(), nan_ok=True)


@settings(max_examples=80, deadline=None)
@given(small_joins(), st.integers(0, 12))
def test_an_event_whose_lag_the_slack_covers_is_never_late_to_a_join(join, slack):
    """The lag is an upper bound of what an event needs."""
    arrived, behind, step = {}, 0, None
    slowest = None
    for (stream, time, _), number in zip(join.arrivals, join.numbers, strict=True):
        if number != step:
            step, slowest = number, min(arrived.values(), default=None)
        behind += slowest is not None and slowest - time > slack
        arrived[stream] = max(time, arrived.get(stream, time))
    assert sum(len(late) for late in join.run(slack).late) <= behind
