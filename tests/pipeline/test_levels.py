"""Plans of two and three aggregates: what a prod sweeps up, who keeps and who hands over."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.local import aggregate as runner
from slackwater.pipeline.aggregate import AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.emitted import Emitted
from slackwater.plan.levels import handing_over
from slackwater.time import Duration
from tests.oracle.aggregate import OracleAggregate
from tests.oracle.levels import TwoLevels


@st.composite
def plans(draw: Any) -> dict[str, Any]:
    slide = draw(st.integers(1, 6))
    above = draw(st.integers(1, 12))
    count, pace = draw(st.integers(1, 40)), draw(st.sampled_from([1, 3, 10]))
    return {
        "below": (slide + draw(st.sampled_from([0, 0, 3, 7])), slide),
        "above": (above + draw(st.integers(0, 15)), above),
        "times": [i * pace // 2 - draw(st.integers(0, 12)) for i in range(count)],
        "groups": [draw(st.integers(0, 3)) for _ in range(count)],
        "slack": draw(st.integers(0, 12)),
        "share": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "counts": draw(st.booleans()),  # a count of results keeps the level below from handing over
        "batch": draw(st.sampled_from([3, 1_000])),
    }


def run(case: dict[str, Any]) -> tuple[Any, list[Any]]:
    groups = np.array(case["groups"])
    rows = pa.table({"ts": case["times"], "key": groups, "half": groups // 2, "x": np.arange(len(groups))})
    sizes = [[Duration(number) for number in case[level]] for level in ("below", "above")]
    below = sw.aggregate(
        sw.stream(rows, event_time="ts", unit="us", max_ahead=None),
        by=["half", "key"],
        size=sizes[0][0],
        slide=sizes[0][1],
        values={"n": sw.count(), "m": sw.max("x")},
        contract=sw.FixedSlack(Duration(case["slack"])),
    )
    values = {"n": sw.sum("n"), "m": sw.max("m")} | ({"k": sw.count()} if case["counts"] else {})
    early = sw.Early(aggressiveness=case["share"])
    out = sw.aggregate(below, by="half", size=sizes[1][0], slide=sizes[1][1], values=values, early=early)
    found, ends = [], pc.struct_field(out.results["window"], "end").cast(pa.int64()).to_pylist()
    for row, end in zip(out.results.to_pylist(), ends, strict=True):
        window = end // case["above"][1] - 1
        found.append((row["kind"], window, row["half"], row["n"], row["m"], row.get("k"), row["revision"]))
    return out, found


@settings(max_examples=150, deadline=None)
@given(plans())
def test_every_answer_of_a_plan_is_what_all_levels_know_by_then(case):
    leads, halves = (round(case["share"] * case["above"][1]),), {0: 0, 1: 0, 2: 1, 3: 1}
    oracle = TwoLevels(OracleAggregate(*case["below"]), *case["above"], leads, halves)
    for row, (time, group) in enumerate(zip(case["times"], case["groups"], strict=True)):
        oracle.on_step([(time, group, row)], case["slack"])
    oracle.on_end()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "BATCH_ROWS", case["batch"])
        _, found = run(case)
    expected = [row if case["counts"] else (*row[:5], None, row[6]) for row in oracle.shown]
    assert expected == found


@settings(max_examples=50, deadline=None)
@given(plans())
def test_a_plan_goes_on_from_its_saved_state(case):
    out, _ = run(case)
    first, *above = out._levels
    batch = read_batch(out.node.stream, out.table, processing_time=0)
    inputs = read_inputs(out.node.levels[0], out.table)
    pipeline = AggregatePipeline(out.node, regroup=[level.code for level in above])
    found = []
    for part in batch.in_batches(4):
        found.append(pipeline.on_batch(part, first.code, inputs).emitted)
        state = json.loads(json.dumps(pipeline.snapshot())), pipeline.panes, pipeline.notes
        pipeline = AggregatePipeline(out.node, *state, regroup=[level.code for level in above], uppers=pipeline.uppers)
    found.append(pipeline.on_end().emitted)
    emitted = Emitted.concat([each for each in found if each is not None])
    assert out.results == results_table(out.node, out.table.schema, above[-1].keys, emitted)


def three_levels(*functions):
    rows = pa.table({"ts": [1, 2, 3, 4, 12, 25], "sensor": [1, 2, 1, 2, 2, 1], "v": [5, 3, 4, 10, 1, 2]})
    asked = {"size": "10 seconds", "early": None}
    bus = sw.stream(rows, event_time="ts", unit="s")
    out = sw.aggregate(
        bus, by="sensor", size="5 seconds", values={"v": functions[0]("v")}, contract=sw.FixedSlack("5 seconds")
    )
    out = sw.aggregate(out, by="sensor", values={"v": functions[1]("v")}, **asked)
    return sw.aggregate(out, values={"v": functions[2]("v")}, **{**asked, "early": sw.Early(at="3 seconds")})


def test_q3_4_panes_hand_over_sums_keep_and_the_maximum_keeps():
    plan = three_levels(sw.sum, sw.sum, sw.max)
    assert 1 == handing_over(plan.node)
    assert "level 1     5 seconds every 5 seconds by sensor; hands over what it shows" in plan.explain()
    assert "level 2     10 seconds every 10 seconds by sensor; keeps what it shows" in plan.explain()
    found = [(row["kind"], row["window"]["end"].second, row["v"]) for row in plan.results.to_pylist()]
    assert [("early", 10, 9), ("final", 10, 13)] == found[:2]


@pytest.mark.parametrize(
    ("functions", "levels"),
    [
        ((sw.sum, sw.sum, sw.sum), 2),
        ((sw.count, sw.sum, sw.sum), 2),
        ((sw.sum, sw.max, sw.max), 0),
        ((sw.mean,) * 3, 0),
    ],
)
def test_who_hands_over_follows_from_the_functions(functions, levels):
    assert levels == handing_over(three_levels(*functions).node)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contract": sw.NoSlack()}, "contract must be left out where the results of an aggregate are aggregated"),
        ({"by": "sensor"}, "by must be one of the groups below"),
        ({"values": {"x": sw.max("v")}}, "values must be one of the values below"),
    ],
)
def test_what_a_plan_cannot_do_is_an_error_that_says_why(options, words):
    rows = pa.table({"ts": [1], "line": [1], "v": [5]})
    stream = sw.stream(rows, event_time="ts", unit="s")
    below = sw.aggregate(stream, by="line", size="5 s", values={"n": sw.count()}, contract=sw.NoSlack())
    with pytest.raises(ParameterError) as error:
        sw.aggregate(below, **{"size": "5 s", "values": {"n": sw.sum("n")}, **options})
    assert words in str(error.value)


def test_only_the_last_aggregate_says_when_windows_are_shown():
    stream = sw.stream(pa.table({"ts": [1], "v": [5]}), event_time="ts", unit="s")
    asked = {"size": "5 s", "values": {"v": sw.sum("v")}}
    below = sw.aggregate(stream, contract=sw.NoSlack(), early=sw.Early(), **asked)
    with pytest.raises(ParameterError, match="early must be said of the last aggregate"):
        sw.aggregate(below, **asked)


def test_an_aggregate_of_an_aggregate_needs_no_groups():
    rows = sw.stream(pa.table({"ts": [1, 2, 12, 25, 33]}), event_time="ts", unit="s")
    below = sw.aggregate(rows, size="10 seconds", values={"n": sw.count()}, contract=sw.FixedSlack("2 seconds"))
    most = sw.aggregate(below, size="20 seconds", values={"most": sw.max("n")})
    assert [2, 1] == most.results["most"].to_pylist()


def test_a_prod_is_about_groups_of_the_last_level():
    kinds = [None, None, None, "prod"]
    rows = pa.table({"ts": [1, 2, 3, 20], "area": ["n", "n", "s", "n"], "line": [1, 2, 3, 7], "what": kinds})
    stream = sw.stream(rows, event_time="ts", unit="s", marker="what")
    contract = sw.FixedSlack("1 hour")
    below = sw.aggregate(stream, by=["area", "line"], size="5 s", values={"n": sw.count()}, contract=contract)
    out = sw.aggregate(below, by="area", size="10 s", values={"n": sw.sum("n")}, early=sw.Early())
    shown = [(row["area"], row["n"]) for row in out.results.to_pylist() if row["kind"] == "early"]
    assert [("n", 2)] == shown
