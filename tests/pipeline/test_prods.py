"""Early results, prods and punctuations in batches against one event at a time; each batch has a new pipeline."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.core.cells import Input
from slackwater.events import Events
from slackwater.pipeline.aggregate import AggregatePipeline
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.marks import Mark
from slackwater.plan.nodes import AggregateNode
from slackwater.time import Duration
from tests.core.test_aggregate import Bits
from tests.oracle.aggregate import ProddedAggregate

GROUPS = 3


@st.composite
def prodded(draw: Any) -> dict[str, Any]:
    """A disordered stream with marks between its events: (time, group) or a mark, one step each or several together."""
    slide = draw(st.integers(1, 7))
    size = slide + draw(st.integers(0, 15))
    count, pace = draw(st.integers(1, 30)), draw(st.sampled_from([1, 3, 10]))
    together, rows = draw(st.booleans()), []
    origin = draw(st.sampled_from([0, 1_700_000_000_000_000]))  # the second is a time of our days, in us
    for i in range(count):
        arrival = i // 3 if together else i
        what = draw(st.sampled_from(["event"] * 8 + ["prod", "punctuation"]))
        time = origin + i * pace // 2 - draw(st.integers(0, 12))
        group = draw(st.integers(0, GROUPS - 1))
        if what == "event":
            rows.append((what, arrival, time, group, None))
            continue
        group = draw(st.sampled_from([None, group]))
        since = (
            time - draw(st.integers(1, 20)) if what == "punctuation" and group is None and draw(st.booleans()) else None
        )
        until = draw(st.sampled_from([None, time + 3])) if what == "prod" else time - 8
        rows.append((what, arrival, until, group, since if since is None else since - 8))
    early = draw(
        st.sampled_from(
            [{}, {"leads": (slide // 2,)}, {"every": 5}, {"leads": (0, size - 2, -3)}, {"leads": (slide,), "every": 9}]
        )
    )
    leads = tuple(lead for lead in early.get("leads", ()) if lead < size)
    return {
        "size": size,
        "slide": slide,
        "rows": rows,
        "early": {**early, "leads": leads},
        "slack": draw(st.integers(0, 12)),
        "cuts": sorted({draw(st.integers(0, count)) for _ in range(draw(st.integers(0, 3)))}),
    }


def one_at_a_time(case: dict[str, Any]) -> ProddedAggregate:
    oracle = ProddedAggregate(case["size"], case["slide"], **case["early"])
    for arrival in sorted({row[1] for row in case["rows"]}):
        step = [(i, row) for i, row in enumerate(case["rows"]) if row[1] == arrival]
        oracle.on_step([(row[2], row[3], i) for i, row in step if row[0] == "event"], case["slack"])
        for _, (what, _, until, group, since) in step:
            if what == "punctuation":
                oracle.on_punctuation(until, group, since)
        asked = [row for _, row in step if row[0] == "prod"]
        oracle.on_prods([(until, group) for _, _, until, group, _ in asked])
    oracle.on_end()
    return oracle


def pipeline_of(case: dict[str, Any], saved: Any = None) -> AggregatePipeline:
    table = pa.table({"ts": pa.array([], pa.int64()), "key": pa.array([], pa.int64()), "x": pa.array([], pa.int64())})
    node: AggregateNode = sw.aggregate(
        sw.stream(table, event_time="ts", unit="us", max_ahead=None),
        by="key",
        size=Duration(case["size"]),
        slide=Duration(case["slide"]),
        values={"bits": sw.Value(Bits(), "x")},
        contract=sw.FixedSlack(Duration(case["slack"])),
        early=early_of(case),
    ).node
    return AggregatePipeline(node, *(saved or ()))


def early_of(case: dict[str, Any]) -> sw.Early:
    """Say the same by `at`: how long after the start."""
    every = case["early"].get("every")
    at = [Duration(case["size"] - lead) for lead in case["early"]["leads"]]
    return sw.Early(at=at, every=None if every is None else Duration(every), estimate="raw")


def in_batches(case: dict[str, Any]) -> tuple[Any, ...]:
    """Run in batches; every batch is taken by a new pipeline that goes on from the saved state of the one before."""
    rows, shown, late, answers = case["rows"], [], [], []
    cuts = [cut for cut in case["cuts"] if 0 < cut < len(rows) and rows[cut][1] != rows[cut - 1][1]]
    pipeline = pipeline_of(case)
    for start, stop in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        outcome = pipeline.on_batch(*batch_of(rows, start, stop))
        shown += rows_of(outcome)
        late += list(zip(outcome.late.events.row.tolist(), outcome.late.reason, strict=True))
        answers += [answer.results for answer in outcome.answers]
        state = json.loads(json.dumps(pipeline.snapshot()))
        pipeline = pipeline_of(case, (state, pipeline.panes, pipeline.notes))
    last = pipeline.on_end()
    assert {} == pipeline.panes
    assert "shown" not in pipeline.notes
    return shown + rows_of(last), late, answers


def batch_of(rows: list[Any], start: int, stop: int) -> tuple[Any, ...]:
    """Return rows as columns; events keep the number of their row, and it is their bit."""
    numbers = [i for i in range(start, stop) if rows[i][0] == "event"]
    time, arrival, row = (
        np.array(column, np.int64) for column in ([rows[i][2] for i in numbers], [rows[i][1] for i in numbers], numbers)
    )
    group = np.array([row[3] or 0 for row in rows], np.int64)
    marks = [
        Mark(what, at, until, since, None if group is None else np.array([group]))
        for what, at, until, group, since in rows[start:stop]
        if what != "event"
    ]
    return Incoming(Events(time, arrival, row)), group, [Input(1 << np.arange(len(rows)))], marks


def rows_of(outcome: Any) -> list[Any]:
    if outcome.emitted is None:
        return []
    cells, kinds = outcome.emitted.cells, np.where(outcome.emitted.final, "final", "early").tolist()
    bits = [tuple(i for i in range(60) if bits >> i & 1) for bits in cells.states[0][0].tolist()]
    columns = kinds, cells.place.tolist(), cells.group.tolist(), bits, outcome.emitted.number.tolist()
    return list(zip(*columns, strict=True))


@settings(max_examples=300, deadline=None)
@given(prodded())
def test_early_and_final_results_equal_one_event_at_a_time_whatever_the_batches(case):
    oracle = one_at_a_time(case)
    shown, late, answers = in_batches(case)
    assert oracle.shown == shown
    assert sorted(oracle.liars) == sorted(row for row, reason in late if reason == "punctuation")
    assert sorted(oracle.late) == sorted(row for row, reason in late if reason == "late")
    assert oracle.answers == answers
