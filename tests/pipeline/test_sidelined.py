"""Bursts that are set aside: finals, late rows and decisions are those of a plan that sets nothing aside."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.pipeline.aggregate import AggregatePipeline
from tests.pipeline.test_prods import batch_of, one_at_a_time, pipeline_of, prodded, rows_of


@st.composite
def bursts(draw: Any) -> dict[str, Any]:
    """A stream with marks in it, and what is set aside of it; times are so near that most slides are bursts."""
    over, pace = draw(st.sampled_from([1, 10**5, 10**6])), draw(st.sampled_from([1, 10**5, 10**6]))
    most = draw(st.sampled_from([1, 3, 100]))
    sideline = sw.Sideline(over=over, pace=pace, one_in=draw(st.integers(1, 4)), at_most=most)
    return {**draw(prodded()), "sideline": sideline, "restarts": draw(st.booleans())}


def in_batches(case: dict[str, Any]) -> dict[str, Any]:
    """Run in batches; if it restarts, a new pipeline goes on from the saved state after each."""
    rows, found = case["rows"], {"shown": [], "late": [], "ranges": [], "waited": 0}
    cuts = [cut for cut in case["cuts"] if 0 < cut < len(rows) and rows[cut][1] != rows[cut - 1][1]]
    pipeline = built(case)
    for start, stop in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        take(found, pipeline.on_batch(*batch_of(rows, start, stop)))
        waiting = len(pipeline.sidelined.waiting)
        assert waiting == pipeline.counts.buffered <= case["sideline"].at_most
        found["waited"] += waiting
        if case["restarts"]:
            state = json.loads(json.dumps(pipeline.snapshot()))
            pipeline = built(case, state, pipeline.panes, pipeline.notes, sidelined=pipeline.sidelined)
    take(found, pipeline.on_end())
    assert {} == pipeline.panes
    assert (0, None) == (len(pipeline.sidelined.waiting), pipeline.sidelined.held)
    return found


def built(case: dict[str, Any], *saved: Any, **others: Any) -> AggregatePipeline:
    node = replace(pipeline_of(case)._node, sideline=case["sideline"])
    return AggregatePipeline(node, *saved, **others)


def take(found: dict[str, Any], outcome: Any) -> None:
    found["shown"] += rows_of(outcome)
    found["late"] += list(zip(outcome.late.events.row.tolist(), outcome.late.reason, strict=True))
    found["ranges"] += [(a.mark.since, a.mark.until) for a in outcome.answers if a.mark.kind == "punctuation"]


@settings(max_examples=400, deadline=None)
@given(bursts())
def test_finals_and_late_rows_are_those_without_setting_anything_aside(case):
    oracle, found = one_at_a_time(case), in_batches(case)
    finals = [row[1:4] for row in found["shown"] if row[0] == "final"]
    assert sorted(row[1:4] for row in oracle.shown if row[0] == "final") == sorted(finals)
    assert sorted(oracle.liars) == sorted(row for row, reason in found["late"] if reason == "punctuation")
    assert sorted(oracle.late) == sorted(row for row, reason in found["late"] if reason == "late")


@settings(max_examples=200, deadline=None)
@given(bursts())
def test_results_of_a_window_and_group_are_numbered_and_the_last_is_final(case):
    results: dict[Any, list[Any]] = {}
    for kind, window, group, _, number in in_batches(case)["shown"]:
        results.setdefault((window, group), []).append((kind, number))
    for each in results.values():
        assert list(range(len(each))) == [number for _, number in each]
        assert [len(each) - 1] == [number for kind, number in each if kind == "final"]


@settings(max_examples=100, deadline=None)
@given(bursts())
def test_a_restart_after_any_batch_changes_nothing(case):
    assert in_batches({**case, "restarts": False}) == in_batches({**case, "restarts": True})
