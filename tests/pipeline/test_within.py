"""A bound on the error of an aggregate, end to end in process: kept, measured, and the same after a restart."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.pipeline.aggregate import AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs
from slackwater.pipeline.columns import read_batch

VALUES = {"n": sw.count(), "most": sw.max("x")}


def disordered(rows: int, seed: int = 1) -> pa.Table:
    """Make a stream in ms, a third of it out of order."""
    random = np.random.default_rng(seed)
    delays = np.where(random.random(rows) < 0.7, 0, random.exponential(1_500, rows)).astype(np.int64)
    columns = {"ts": np.arange(rows) * 20 - delays, "seq": np.arange(rows), "x": random.integers(1, 99, rows)}
    return pa.table(columns)


def plan(table: pa.Table, contract, **options):
    bus = sw.stream(table, name="bus", event_time="ts", unit="ms", arrival="seq", max_ahead=None)
    asked = {"size": "10 seconds", "slide": "5 seconds", "values": VALUES, **options}
    return sw.aggregate(bus, contract=contract, **asked)


def share_within(table: pa.Table, contract, bound: float, value: str = "n") -> float:
    found, true = (plan(table, each).results for each in (contract, sw.FixedSlack("1 hour")))
    ends = {row["window"]["end"]: row[value] for row in found.to_pylist()}
    errors = [abs(ends.get(row["window"]["end"], 0) - row[value]) / row[value] for row in true.to_pylist()]
    return float(np.mean(np.array(errors) <= bound))


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return disordered(100_000)


@pytest.mark.parametrize("bound", [0.01, 0.05])
def test_the_bound_is_kept_for_the_share_that_was_asked_for(table, bound):
    assert 0.95 <= share_within(table, sw.RelativeError(bound, confidence=0.95), bound)


def test_a_stricter_bound_waits_longer(table):
    slacks = [plan(table, sw.RelativeError(bound)).decisions["slack"].to_numpy().mean() for bound in (0.01, 0.05)]
    assert slacks[0] > 1.5 * slacks[1]


def test_only_the_values_that_count_are_waited_for(table):
    largest, rows = (
        plan(table, sw.RelativeError(0.01, of=name)).decisions["slack"].to_numpy()[500:].mean()
        for name in ("most", "n")
    )
    assert 0 == largest < rows


def test_decisions_have_the_share_that_was_measured(table):
    contract = sw.RelativeError(0.03, confidence=0.9)
    last = plan(table, contract).decisions.to_pylist()[-2]
    assert 0.9 == last["target"]
    assert pytest.approx(last["measured"], abs=0.04) == share_within(table, contract, 0.03)
    assert pytest.approx(last["estimated"], abs=0.05) == last["measured"]


def test_never_longer_than_the_cap(table):
    assert 300_000 == plan(table, sw.RelativeError(0.001, cap="300 ms")).decisions["slack"].to_numpy().max()


def test_going_on_from_a_snapshot_gives_the_same_decisions(table):
    out = plan(table[:30_000], sw.RelativeError(0.03))
    code, inputs = out.groups, read_inputs(out.node, out.table)
    pipeline, slacks = AggregatePipeline(out.node), []
    for batch in read_batch(out.node.stream, out.table, processing_time=0).in_batches(1_777):
        slacks += pipeline.on_batch(batch, code, inputs).decisions.slack.tolist()
        saved = json.loads(json.dumps(pipeline.snapshot()))
        pipeline = AggregatePipeline(out.node, saved, pipeline.panes, watched=pipeline.watched)
    assert out.decisions["slack"].to_pylist()[:-1] == slacks


@pytest.mark.parametrize("controller", [sw.control.PD(), sw.control.AlphaPD(), sw.control.MaxDelay()], ids=repr)
def test_other_controllers_are_measured_as_well(table, controller):
    decisions = plan(table[:20_000], sw.RelativeError(0.03, controller=controller)).decisions
    assert decisions["measured"].to_pylist()[-2] > 0.5


def test_a_bound_needs_a_value_that_is_a_number():
    times = pa.table({"ts": [1], "seq": [0], "x": pa.array([1], pa.timestamp("us"))})
    with pytest.raises(ParameterError, match="have a number for RelativeError"):
        plan(times, sw.RelativeError(0.03), values={"last": sw.max("x")})


def test_a_value_that_the_aggregate_does_not_have_is_refused(table):
    with pytest.raises(ParameterError, match=r"of must be a value of the aggregate that is a number.*n, most"):
        plan(table, sw.RelativeError(0.03, of="m"))


def test_a_reorder_has_no_values_to_be_wrong(table):
    bus = sw.stream(table, name="bus", event_time="ts", unit="ms")
    with pytest.raises(ParameterError, match="be one that a reorder can keep"):
        sw.reorder(bus, contract=sw.RelativeError(0.03))


def punctuated(rows: int) -> pa.Table:
    """Make a stream with true punctuations: after every 200 rows, the smallest time that is still to come."""
    random = np.random.default_rng(1)
    times = np.arange(rows) * 100 - random.exponential(3_000, rows).astype(np.int64)
    table = pa.table({"ts": times, "seq": np.arange(rows), "x": random.normal(10, 5, rows)})
    still = np.minimum.accumulate(times[::-1])[::-1]
    after = np.arange(199, rows - 1, 200)
    told = pa.table({"ts": still[after + 1], "seq": after, "x": np.zeros(len(after))})
    both = pa.concat_tables([table, told])
    marks = pa.array([None] * rows + ["punctuation"] * len(after), pa.string())
    return both.append_column("what", marks).take(np.argsort(both["seq"].to_numpy(), kind="stable"))


@pytest.mark.parametrize("rows", [50, 1_777])
def test_decisions_do_not_depend_on_the_batches_where_punctuations_come(monkeypatch, rows):
    from slackwater.local import aggregate as runner

    def decided() -> list:
        table = punctuated(6_000)
        bus = sw.stream(table, event_time="ts", unit="ms", arrival="seq", marker="what", max_ahead=None)
        asked = {"size": "10 seconds", "slide": "5 seconds", "values": {"s": sw.sum("x")}}
        out = sw.aggregate(bus, contract=sw.RelativeError(0.02, confidence=0.9), **asked)
        return out.decisions.drop_columns(["took_us"]).to_pylist()

    whole = decided()
    monkeypatch.setattr(runner, "BATCH_ROWS", rows)
    assert whole == decided()
