"""What is learned from early results does not depend on batches, on being saved, or on the codes of groups."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.core.cells import Input
from slackwater.early import Early
from slackwater.pipeline.aggregate import AggregatePipeline
from slackwater.pipeline.early_chosen import ChosenProds
from slackwater.pipeline.early_estimates import EarlyEstimates
from slackwater.time import Duration
from tests.pipeline.test_early_estimates import KINDS, PANES, Stream
from tests.pipeline.test_prods import batch_of, early_of, prodded

EMPTY = pa.table({name: pa.array([], pa.int64()) for name in ("ts", "key", "x")})


def pipeline_of(case: dict[str, Any], early: Early, saved: tuple[Any, ...] = ()) -> AggregatePipeline:
    node = sw.aggregate(
        sw.stream(EMPTY, event_time="ts", unit="us", max_ahead=None),
        by="key",
        size=Duration(case["size"]),
        slide=Duration(case["slide"]),
        values={"total": sw.sum("x"), "most": sw.max("x")},
        contract=sw.FixedSlack(Duration(case["slack"])),
        early=early,
    ).node
    return AggregatePipeline(node, *saved)


def run(case: dict[str, Any], early: Early, cuts: list[int]) -> list[Any]:
    """Run in batches; every batch is taken by a new pipeline that goes on from the saved state of the one before."""
    rows, pipeline, found = case["rows"], pipeline_of(case, early), []
    cuts = [cut for cut in cuts if 0 < cut < len(rows) and rows[cut][1] != rows[cut - 1][1]]
    for start, stop in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        incoming, group, _, marks = batch_of(rows, start, stop)
        values = Input(np.arange(len(rows)) % 7)
        outcome = pipeline.on_batch(incoming, group, [values, values, Input(np.zeros(len(rows), np.int8))], marks)
        found += shown(outcome)
        saved = json.loads(json.dumps(pipeline.snapshot())), pipeline.panes, pipeline.notes
        pipeline = pipeline_of(case, early, saved)
    return found + shown(pipeline.on_end())


def shown(outcome: Any) -> list[Any]:
    told = [(each.clock, each.past, *np.nan_to_num(each.accuracy, nan=-1)) for each in outcome.compared]
    emitted = outcome.emitted
    if emitted is None:
        return told
    tables = (np.nan_to_num(getattr(emitted.estimates, name), nan=-1) for name in ("value", "low", "high"))
    columns = emitted.cells.place, emitted.cells.group, emitted.final, emitted.estimates.coverage, *np.vstack([*tables])
    return [*map(tuple, told), *zip(*(column.tolist() for column in columns), strict=True)]


def drifting(seed: int) -> dict[str, Any]:
    """A stream that is long enough to be learned from: (what, arrival, time, group, since), with prods between."""
    random = np.random.default_rng(seed)
    count, slide = 400, int(random.integers(16, 60))
    times = np.cumsum(random.integers(0, 6, count)) - random.choice([0, 0, 5, 30], count)
    what = random.choice(["event"] * 14 + ["prod"], count)
    group = random.integers(0, 3, count)
    rows = [
        (str(kind), number, int(time), int(code) if kind == "event" or code else None, None)
        for number, (kind, time, code) in enumerate(zip(what, times, group, strict=True))
    ]
    cuts = np.unique(random.integers(1, count, int(random.integers(1, 30))))
    prods = np.flatnonzero(what == "prod")
    cuts = np.union1d(cuts, prods[prods > 0][::3])  # a prod that comes before the first event of its batch
    size = slide * int(random.integers(1, 4)) + int(random.choice([0, 5]))
    return {"size": size, "slide": slide, "rows": rows, "slack": int(random.integers(0, 40)), "cuts": cuts.tolist()}


@pytest.mark.parametrize("options", [{"aggressiveness": 0.5}, {"every": Duration(37)}, {"accuracy": 0.9}], ids=str)
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10_000))
def test_batches_and_restarts_change_nothing_that_was_learned(options, seed):
    case = drifting(seed)
    assert sorted(run(case, Early(**options), [])) == sorted(run(case, Early(**options), case["cuts"]))


@settings(deadline=None, max_examples=40)
@given(prodded(), st.booleans())
def test_batches_and_restarts_change_nothing(case, chosen):
    early = Early(accuracy=0.7) if chosen else Early(at=early_of(case).at, every=early_of(case).every)
    whole, parts = run(case, early, []), run(case, early, case["cuts"])
    assert sorted(whole) == sorted(parts)


def test_the_codes_of_groups_may_change_when_they_are_restored():
    stream, other = (Stream(EarlyEstimates(PANES, KINDS), groups=3) for _ in range(2))
    for _ in range(40):
        stream.next()
        other.next()
    saved, known = json.loads(json.dumps(other.estimates.snapshot())), other.estimates.known
    other.estimates = EarlyEstimates(PANES, KINDS, state=saved, known=known[::-1])
    rows, values = np.array([40.0, 50.0, 60.0]), np.arange(12.0).reshape(4, 3)
    at = {"clock": 40 * PANES.slide + PANES.slide // 2, "slack": 0}
    expected = stream.estimates.early(40, np.arange(3), rows, values, **at)
    found = other.estimates.early(40, np.arange(3), rows[::-1], values[:, ::-1], **at)
    np.testing.assert_allclose(expected.value, found.value[:, ::-1])


def test_a_window_is_shown_once_however_the_aggressiveness_moves():
    chosen = ChosenProds(Early(accuracy=0.9, aggressiveness=0.5), slide=100, functions=1)
    clock, step, asked = np.arange(0, 5_000, 7), 0, []
    random = np.random.default_rng(1)
    while (due := chosen.due(clock, step)) is not None:
        ask = chosen.ask(int(clock[due]))
        asked += range(max(ask.first, -1), ask.last + 1)
        chosen.observe(random.uniform(0, 0.3, 1))
        chosen.choose()
        step = due + 1
    assert asked == list(range(asked[0], asked[-1] + 1))
