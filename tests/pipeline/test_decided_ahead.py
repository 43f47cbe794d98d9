"""A batch whose slacks are decided ahead against the same batch, run from decision to decision."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.contracts import DropRatio
from slackwater.core.late import LatePolicy
from slackwater.events import Events
from slackwater.pipeline import reorder
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.reorder import Outcome, ReorderPipeline
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.testing import strategies as sst
from slackwater.testing.trace import Driver, Trace

SECOND = 1_000_000
CONTRACT = DropRatio(0.1, over="6 seconds", adaptation_interval="2 seconds")


def node_of(**options: Any) -> ReorderNode:
    return ReorderNode(stream=StreamNode(name="bus", event_time="ts"), contract=CONTRACT, **options)


def batches_of(times: list[int], count: int) -> list[Incoming]:
    """Cut a stream into so many batches."""
    events = Events.of(times)
    edges = np.linspace(0, len(times), count + 1).astype(int)
    return [Incoming(events[start:stop]) for start, stop in pairwise(edges)]


def disordered(count: int = 400) -> list[int]:
    """Ten events a second, each of them up to three seconds behind."""
    rng = np.random.default_rng(7)
    return (np.arange(count) * SECOND // 10 - rng.integers(0, 3 * SECOND, count)).tolist()


def facts_of(outcome: Outcome) -> tuple[Trace, list[list[Any]]]:
    """Return all that left, and all columns of the decisions; as text, so that nan equals nan."""
    return Trace.of(outcome), [list(map(str, column.tolist())) for column in outcome.decisions.columns()]


def facts(node: ReorderNode, batches: list[Incoming]) -> tuple[list[Any], list[str]]:
    """Return what a pipeline did and had to save after every batch, and by which way it went through each."""
    driver, found, ways = Driver(node), [], []

    def noted(way: str) -> Any:
        run = getattr(ReorderPipeline, f"_{way}")
        return lambda self, *given: (ways.append(way), run(self, *given))[1]

    with pytest.MonkeyPatch.context() as patched:
        for way in ("run", "run_ahead"):
            patched.setattr(ReorderPipeline, f"_{way}", noted(way))
        for batch in batches:
            outcome = driver.pipeline.on_batch(batch)
            found.append((*facts_of(outcome), driver.pipeline.snapshot(), driver.pipeline.counts))
        found.append((*facts_of(driver.pipeline.on_end()), driver.pipeline.snapshot(), driver.pipeline.counts))
    return found, ways


def part_by_part(node: ReorderNode, batches: list[Incoming]) -> tuple[list[Any], list[str]]:
    """Do the same from decision to decision."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reorder, "ROWS_OF_A_PART", 0)
        return facts(node, batches)


@pytest.mark.parametrize("release", ["arrival", "clock"])
def test_what_is_decided_ahead_is_what_is_decided_part_by_part(release):
    batches = batches_of(disordered(), 3)
    ahead, ways = facts(node_of(release=release), batches)
    parts, other_ways = part_by_part(node_of(release=release), batches)
    assert ["run_ahead"] * 3 == ways
    assert {"run"} == set(other_ways)
    assert parts == ahead


def test_what_is_compared_has_late_events_estimates_and_slacks_that_differ():
    found, _ = facts(node_of(), batches_of(disordered(), 3))
    decisions = [dict(zip(("slack", "estimated", "measured"), (c[2], c[8], c[9]), strict=True)) for _, c, *_ in found]
    assert any(trace.late for trace, *_ in found)
    assert len({slack for each in decisions for slack in each["slack"]}) > 2
    assert {"nan"} < {share for each in decisions for share in each["estimated"]}
    assert {"nan"} < {share for each in decisions for share in each["measured"]}


@settings(max_examples=60, deadline=None)
@given(
    sst.batches(bad_times=False, max_size=60), st.sampled_from(["arrival", "clock"]), st.sampled_from(["side", "drop"])
)
def test_any_batches_are_decided_alike_by_both_ways(batches, release, late):
    node = node_of(release=release, late=getattr(LatePolicy, late)())
    ahead, parts = facts(node, batches), part_by_part(node, batches)
    assert "run_ahead" not in parts[1]
    assert parts[0] == ahead[0]


@pytest.mark.parametrize("times", [[], [5 * SECOND]])
def test_a_batch_without_a_decision_is_not_decided_ahead(times):
    _, ways = facts(node_of(), batches_of(times, 1))
    assert "run_ahead" not in ways
