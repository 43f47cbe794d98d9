"""Calls that set rows of bursts aside, with state that outlives them; no Spark needed."""

from __future__ import annotations

from itertools import pairwise

import pytest

import slackwater as sw
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.stored_aggregate import AggregateSaved
from tests.spark.test_aggregate_call import SCHEMA, comparable, disordered, plan, run_calls
from tests.spark.test_call import DictChunks

CUTS = [0, 40, 900, 940, 1_000, 1_010, 1_500, 1_540, 2_000]


def finals(rows: list[dict]) -> list[dict]:
    return [{n: v for n, v in row.items() if n not in ("kind", "revision")} for row in rows if row["kind"] == "final"]


@pytest.mark.parametrize("by", ["line", ["line", "x"], []], ids=str)
def test_calls_that_set_rows_aside_give_the_finals_of_a_run_in_process(by):
    table = disordered(2_000)
    local = plan(table, by=by)
    node = plan(table, by=by, sideline=sw.Sideline(over=100, pace=1, one_in=10)).node
    found, store, _ = run_calls(node, [table.slice(a, b - a) for a, b in pairwise(CUTS)])
    assert len(finals(found[RESULTS])) < len(found[RESULTS])
    mine = sorted(map(str, comparable(finals(found[RESULTS]))))
    assert sorted(map(str, comparable(local.results.to_pylist()))) == mine
    assert local.late.to_pylist() == found[LATE]
    assert {} == store.bodies


def test_decisions_count_rows_that_wait_as_buffered():
    table = disordered(2_000)
    node = plan(table, sideline=sw.Sideline(over=100, pace=1, one_in=10)).node
    found, *_ = run_calls(node, [table.slice(a, b - a) for a, b in pairwise(CUTS)])
    decided = [row for row in found[DECISIONS] if row["operator"] == "aggregate"]
    assert max(row["buffered"] for row in decided) > 100
    assert all(row["arrived"] == row["released"] + row["late"] + row["buffered"] for row in decided)


def test_calls_without_rows_work_off_what_waits_and_forget_it():
    table, store = disordered(300), DictChunks()
    node = plan(table, contract=sw.FixedSlack("1 hour"), sideline=sw.Sideline(over=50, pace=20)).node
    call = run_aggregate_call(node, 0, AggregateSaved(), store, table, processing_time=0, drain=False)
    waiting, calls = call.counts.buffered, 0
    assert (("waiting",), True) == (call.saved.sidelined, waiting > 20)
    while call.counts.buffered:
        call = run_aggregate_call(node, 0, call.saved, store, SCHEMA.empty_table(), processing_time=0, drain=False)
        calls += 1
    assert (-(-waiting // 20), ()) == (calls, call.saved.sidelined)
