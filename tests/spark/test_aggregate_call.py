"""Calls of an aggregate with state that outlives them, through its text and bytes; no Spark needed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import StateError
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.packets import from_bytes
from slackwater.spark.stored_aggregate import AggregateSaved, identity_of_aggregate
from slackwater.time import Duration
from tests.spark.test_call import DictChunks

SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("line", pa.string()), ("x", pa.int64())])
VALUES = {
    "n": sw.count(),
    "total": sw.sum("x"),
    "average": sw.mean("x"),
    "least": sw.min("x"),
    "most": sw.max("x"),
    "spread": sw.variance("x"),
    "tail": sw.quantile("x", 0.9),
    "kinds": sw.distinct("line"),
}

CONTRACTS = [sw.NoSlack(), sw.MaxSlack(), sw.DropRatio(0.02), sw.RelativeError(0.2)]


def disordered(rows: int, *, seed: int = 1) -> pa.Table:
    random = np.random.default_rng(seed)
    delays = np.where(random.random(rows) < 0.7, 0, random.exponential(900, rows)).astype(np.int64)
    lines = pa.array(random.choice(np.array(["a", "b", "c", "d"], object), rows), mask=random.random(rows) < 0.1)
    x = pa.array(random.integers(0, 100, rows), mask=random.random(rows) < 0.1)
    return pa.table([np.arange(rows) * 5 - delays, np.arange(rows), lines, x], schema=SCHEMA)


def plan(table, *, contract=None, by="line", **options):
    bus = sw.stream(table, name="bus", event_time="ts", unit="ms", arrival="seq", max_ahead=None)
    asked = {"size": "2 seconds", "slide": "300 ms", "values": VALUES, **options}
    contract = sw.FixedSlack("200 ms") if contract is None else contract
    return sw.aggregate(bus, by=by, contract=contract, **asked)


def run_calls(node, tables, *, store=None):
    """Call once for each table, then drain; everything goes through its saved form."""
    saved, store, found = AggregateSaved(), store or DictChunks(), {RESULTS: [], LATE: [], DECISIONS: []}
    identity = identity_of_aggregate(node, SCHEMA)
    for table in [*tables, None]:
        rows = SCHEMA.empty_table() if table is None else table
        call = run_aggregate_call(node, 0, saved, store, rows, processing_time=0, drain=table is None)
        for packet in call.packets:
            found[packet["kind"]] += from_bytes(packet["body"]).to_pylist()
        saved = AggregateSaved.load((call.saved.dump(identity),), identity)
    return found, store, saved


def comparable(rows: list[dict]) -> list[dict]:
    """Return rows by window and group, without what a replay may change and what the order of additions may."""
    shown = [{name: _rounded(value) for name, value in row.items() if name != "took_us"} for row in rows]
    return sorted(shown, key=lambda row: (row["window"]["end"], str(row.get("line")))) if "window" in rows[0] else shown


def _rounded(value):
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.parametrize("by", ["line", ["line", "x"], []], ids=str)
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: type(c).__name__)
def test_calls_give_what_a_run_in_process_gives(contract, by):
    table = disordered(2_000)
    local = plan(table, contract=contract, by=by)
    cuts = [0, 1, 300, 310, 900, 1_700, 2_000]
    found, store, _ = run_calls(local.node, [table.slice(a, b - a) for a, b in pairwise(cuts)])
    assert sorted(map(str, comparable(local.results.to_pylist()))) == sorted(map(str, comparable(found[RESULTS])))
    assert local.late.to_pylist() == found[LATE]
    assert comparable(local.decisions.to_pylist()) == comparable(found[DECISIONS])
    assert {} == store.bodies


@pytest.mark.parametrize("by", ["line", []], ids=str)
def test_calls_report_the_same_windows_without_rows_as_a_run_in_process(by):
    table = disordered(2_000)
    sparse = table.filter(pc.equal(pc.bit_wise_and(pc.shift_right(table["seq"], 8), 1), 0))
    local = plan(sparse, by=by, empty=True, size="300 ms", slide="100 ms")
    cuts = [0, 1, 130, 310, 700, sparse.num_rows]
    found, *_ = run_calls(local.node, [sparse.slice(a, b - a) for a, b in pairwise(cuts)])
    assert 0 in local.results["n"].to_pylist()
    assert sorted(map(str, comparable(local.results.to_pylist()))) == sorted(map(str, comparable(found[RESULTS])))


def test_a_pane_that_gets_no_rows_is_not_rewritten():
    store = DictChunks()
    node = plan(SCHEMA.empty_table(), contract=sw.FixedSlack("1 hour")).node
    saved = AggregateSaved()
    for start in (0, 300, 900):
        batch = pa.table([[start, start + 10], [start, start + 1], ["a", "b"], [1, 2]], schema=SCHEMA)
        written = store.written
        saved = run_aggregate_call(node, 0, saved, store, batch, processing_time=0, drain=False).saved
    assert {0, 2, 6} == set(store.bodies)
    assert store.written - written == len(store.bodies[6])


def test_a_call_reads_the_panes_that_it_adds_to_and_those_of_windows_that_it_closes():
    class Counting(DictChunks):
        def read(self, number):
            read.append(number)
            return super().read(number)

    read: list[int] = []
    node = plan(SCHEMA.empty_table(), size="600 ms", contract=sw.FixedSlack("1 second")).node
    store, saved, found = Counting(), AggregateSaved(), []
    for times in ([0, 300, 600, 900], [910, 1_100], [1_650]):
        batch = pa.table([times, times, ["a"] * len(times), times], schema=SCHEMA)
        saved = run_aggregate_call(node, 0, saved, store, batch, processing_time=0, drain=False).saved
        found.append(read.copy())
        read.clear()
    assert [[], [3], [0, 1]] == found  # 1,650 ms closes what ends up to 650: the windows [-300, 300) and [0, 600)


def test_state_does_not_grow_with_the_length_of_the_stream():
    store, saved = DictChunks(), AggregateSaved()
    table = disordered(10_000)
    node = plan(table, contract=sw.FixedSlack("200 ms")).node
    for start in range(0, 10_000, 500):
        batch = table.slice(start, 500)
        saved = run_aggregate_call(node, 0, saved, store, batch, processing_time=0, drain=False).saved
        assert len(store.bodies) <= 2 * (2_000 + 200) / 300 + 3


def test_state_of_a_bound_on_errors_does_not_grow_with_the_length_of_the_stream():
    store, saved = DictChunks(), AggregateSaved()
    table = disordered(20_000)
    node = plan(table, contract=sw.RelativeError(0.2)).node
    sizes = []
    for start in range(0, 20_000, 1_000):
        batch = table.slice(start, 1_000)
        saved = run_aggregate_call(node, 0, saved, store, batch, processing_time=0, drain=False).saved
        sizes.append(len(store.bodies))
    longest = 10_000  # ms, about: windows are kept for four times as long, and one begins every 300 ms
    assert max(sizes) <= 4 * longest / 300 + 30


def test_what_was_kept_of_another_bound_is_forgotten():
    table = disordered(4_000)
    node = plan(table, contract=sw.RelativeError(0.5)).node
    stricter = replace(node, contract=sw.RelativeError(0.01))
    store = DictChunks()
    first = run_aggregate_call(node, 0, AggregateSaved(), store, table[:3_000], processing_time=0, drain=False)
    second = run_aggregate_call(stricter, 0, first.saved, store, table[3_000:3_001], processing_time=0, drain=False)
    ends = [len(call.saved.pipeline["within"]["recent"]["end"]) for call in (first, second)]
    assert [True, False] == [count > 0 for count in ends]


def test_rows_of_a_batch_without_an_arrival_column_come_together():
    table = pa.table([[500, 100], [0, 1], ["a", "a"], [1, 2]], schema=SCHEMA)
    node = plan(table, size="300 ms", contract=sw.NoSlack()).node
    node = replace(node, stream=replace(node.stream, arrival=None))
    found, *_ = run_calls(node, [table])
    assert [] == found[LATE]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": Duration.of("3 seconds")}, "windows of 3 seconds every 300 ms"),
        ({"by": ()}, "arrival seq of columns"),
        ({"values": (("n", sw.count()),)}, "aggregate n = count\\(\\)"),
    ],
)
def test_state_of_another_plan_is_refused_with_both(change, words):
    table = disordered(100)
    node = plan(table).node
    saved = run_aggregate_call(node, 0, AggregateSaved(), DictChunks(), table, processing_time=0, drain=False).saved
    text = saved.dump(identity_of_aggregate(node, SCHEMA))
    with pytest.raises(StateError, match=f"windows of 2 seconds every 300 ms .*this query has.*{words}"):
        AggregateSaved.load((text,), identity_of_aggregate(replace(node, **change), SCHEMA))


def test_a_corrupted_pane_is_an_error_that_names_it():
    store, table = DictChunks(), disordered(100)
    node = plan(table).node
    saved = run_aggregate_call(node, 0, AggregateSaved(), store, table, processing_time=0, drain=False).saved
    number = min(store.bodies)
    store.bodies[number] = b"not arrow"
    with pytest.raises(StateError, match=f"unreadable chunk {number}"):
        run_aggregate_call(node, 0, saved, store, table, processing_time=0, drain=False)


def test_rows_that_come_after_a_drain_are_late_for_what_it_closed():
    node = plan(SCHEMA.empty_table(), size="300 ms", contract=sw.FixedSlack("1 hour")).node
    store, first = DictChunks(), pa.table([[100], [0], ["a"], [1]], schema=SCHEMA)
    saved = run_aggregate_call(node, 0, AggregateSaved(), store, first, processing_time=0, drain=True).saved
    more = pa.table([[200, 400], [1, 2], ["a", "a"], [1, 1]], schema=SCHEMA)
    call = run_aggregate_call(node, 0, saved, store, more, processing_time=0, drain=False)
    assert (3, 2, 1) == (call.counts.arrived, call.counts.released, call.counts.late)
