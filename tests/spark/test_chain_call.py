"""Joins and merges whose results are aggregated, in calls whose state outlives them; no Spark needed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import ParameterError, StateError
from slackwater.pipeline.prod import Prod
from slackwater.plan.validate_chain import check_spread
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS, STATISTICS
from slackwater.spark.chain_call import ChainBucket, ChainSaved, identity_of_fed
from slackwater.spark.held import HeldStore
from slackwater.spark.join_call import JoinBucket
from slackwater.spark.merge_call import MergeBucket
from slackwater.spark.packets import from_bytes
from tests.spark.rounds import SCHEMA, batches, join_of, thin_streams
from tests.spark.test_call import DictChunks
from tests.spark.test_prods_call import by_window

WINDOWS = {"size": "2 seconds", "slide": "1 second"}
CONTRACTS = [sw.FixedSlack("500 ms"), sw.Recall(0.9, over="10 seconds"), sw.Deadline("2 seconds")]


def streams(*, seconds=30):
    return thin_streams(seconds=seconds, per_second=40, keys=8)


def joined(tables, contract=None, **options):
    first = join_of(tables, CONTRACTS[0] if contract is None else contract)
    asked = {"by": "s0.key", "values": {"n": sw.count(), "last": sw.max("s1.ts")}, **WINDOWS}
    return sw.aggregate(first, **{**asked, **options})


def merged(tables, contract=None, idle_after=None, **options):
    meaning = {"event_time": "ts", "unit": "ms", "arrival": "seq", "max_ahead": None, "idle_after": idle_after}
    named = [sw.stream(table, name=f"s{number}", **meaning) for number, table in enumerate(tables)]
    first = sw.merge(*named, contract=CONTRACTS[0] if contract is None else contract)
    asked = {"by": ["stream", "key"], "values": {"n": sw.count(), "last": sw.max("ts")}, **WINDOWS}
    return sw.aggregate(first, **{**asked, **options})


class Calls:
    """One bucket, called again and again; everything goes through its saved form."""

    def __init__(self, chain):
        node, then = chain.first.node, chain.then
        kind, spread = JoinBucket, Spread(1, ())
        if node.operator == "merge":
            kind, spread = MergeBucket, Spread(1, (node.by,) * 2)
        identity = identity_of_fed(then, chain.feed, chain.schema)
        idle = all(stream.idle_after for stream in node.streams)
        self.bucket = ChainBucket.of(partial(kind, node, spread), then, chain.feed, identity, idle, 0)
        self.text, self.store = None, HeldStore(DictChunks(), DictChunks())
        self.panes = [DictChunks() for _ in then.levels]
        self.found = {RESULTS: [], LATE: [], DECISIONS: []}

    def call(self, tables=None, *, prods=(), now=0, drain=False):
        saved = ChainSaved.load(None if self.text is None else (self.text,), "chain")
        bucket = replace(self.bucket, prods=prods)
        tables = tables or [SCHEMA.empty_table()] * 2
        call = bucket.on_batch(saved, self.store, self.panes, tables, processing_time=now, drain=drain)
        self.text = call.saved.dump("chain")
        for packet in call.packets:
            if packet["kind"] not in self.found:
                continue
            self.found[packet["kind"]] += from_bytes(packet["body"]).to_pylist()
        return call


def run_calls(chain, tables, *, count=7):
    calls = Calls(chain)
    for batch in batches(tables, count):
        calls.call(batch)
    calls.call(drain=True)
    return calls


def without_cost(decisions):
    """What decisions say, operator by operator."""
    rows = [{name: value for name, value in row.items() if name != "took_us"} for row in decisions]
    return sorted(rows, key=lambda row: row["operator"])


@pytest.mark.parametrize("plan", [joined, merged])
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: type(c).__name__)
def test_calls_give_what_a_run_in_process_gives(plan, contract):
    if plan is merged and isinstance(contract, sw.Recall):
        contract = sw.DropRatio(0.05)
    tables = streams()
    local = plan(tables, contract)
    calls = run_calls(local, tables)
    assert by_window(local.results.to_pylist()) == by_window(calls.found[RESULTS])
    assert by_window(local.late.to_pylist()) == by_window(calls.found[LATE])
    assert without_cost(local.decisions.to_pylist()) == without_cost(calls.found[DECISIONS])
    assert [{}] == [store.bodies for store in calls.panes]


@pytest.mark.parametrize("early", [sw.Early(aggressiveness=0.5), sw.Early(every="700 ms")], ids=repr)
@pytest.mark.parametrize("count", [3, 50])
def test_early_results_do_not_depend_on_batches(early, count):
    tables = streams()
    local = joined(tables, early=early)
    calls = run_calls(local, tables, count=count)
    assert "early" in local.results["kind"].to_pylist()
    assert by_window(local.results.to_pylist()) == by_window(calls.found[RESULTS])


@pytest.mark.parametrize("empty", [False, True])
def test_results_are_those_of_an_aggregate_over_the_results(empty):
    tables = streams(seconds=10)
    first = join_of(tables, CONTRACTS[0]).results
    flat = pa.table({"event_time": first["event_time"], "key": pc.struct_field(first["s0"], "key")})
    stream = sw.stream(flat, event_time="event_time", max_ahead=None)
    asked = {"by": "key", "values": {"n": sw.count()}, "empty": empty, **WINDOWS}
    alone = sw.aggregate(stream, contract=sw.NoSlack(), **asked)
    found = joined(tables, values={"n": sw.count()}, empty=empty)
    assert by_window(alone.results.to_pylist()) == by_window(found.results.to_pylist())


def test_every_operator_accounts_for_what_came_to_it():
    tables = streams()
    calls = run_calls(joined(tables), tables)
    last = {row["operator"]: row for row in calls.found[DECISIONS]}
    assert ["aggregate", "join"] == sorted(last)
    assert sum(map(len, tables)) == last["join"]["arrived"]
    assert (last["join"]["results"], 0, 0) == tuple(last["aggregate"][name] for name in ("arrived", "late", "buffered"))
    for row in last.values():
        assert row["arrived"] == row["released"] + row["late"] + row["buffered"]


def test_windows_close_when_the_join_is_past_them_even_without_results():
    rows = [pa.table([[100, 9_000], [stream, 2 + stream], [1, 5 + stream]], SCHEMA) for stream in range(2)]
    calls = Calls(joined(rows, sw.NoSlack()))
    calls.call(rows)
    assert [(1, 1), (2, 1)] == [(row["window"]["end"].second, row["n"]) for row in calls.found[RESULTS]]


def test_a_level_above_runs_in_the_same_call():
    tables = streams()
    local = sw.aggregate(joined(tables), size="5 seconds", values={"most": sw.max("n")}, early=sw.Early(every="2 s"))
    calls = run_calls(local, tables)
    assert by_window(local.results.to_pylist()) == by_window(calls.found[RESULTS])


def test_a_prod_on_demand_is_answered_after_its_batch():
    rows = [pa.table([[100], [stream], [1]], SCHEMA) for stream in range(2)]
    calls = Calls(joined(rows, sw.NoSlack(), slide="2 seconds", early=sw.Early()))
    calls.call(rows)
    calls.call(prods=(Prod(where={"key": 1}),))
    assert [("early", 1)] == [(row["kind"], row["n"]) for row in calls.found[RESULTS]]


def test_rows_that_come_after_a_drain_are_late_for_the_first_operator():
    rows = [pa.table([[100], [stream], [1]], SCHEMA) for stream in range(2)]
    calls = Calls(merged(rows, sw.NoSlack(), slide="2 seconds"))
    calls.call(rows, drain=True)
    call = calls.call([pa.table([[500, 2_500], [2, 3], [1, 1]], SCHEMA), SCHEMA.empty_table()], drain=True)
    assert (4, 3, 1) == (call.counts.arrived, call.counts.released, call.counts.late)
    assert [500] == [row["ts"] for row in calls.found[LATE]]
    assert [1, 1, 1] == [row["n"] for row in calls.found[RESULTS]]


def test_windows_close_when_every_stream_has_been_silent_for_too_long():
    rows = [pa.table([[100], [stream], [1]], SCHEMA) for stream in range(2)]
    calls = Calls(merged(rows, sw.FixedSlack("1 second"), "1 minute", slide="2 seconds"))
    calls.call(rows)
    assert [] == calls.found[RESULTS]
    calls.call(now=60_000_000)
    assert [("s0", 1), ("s1", 1)] == sorted((row["stream"], row["n"]) for row in calls.found[RESULTS])
    call = calls.call([pa.table([[500, 2_500], [2, 3], [1, 1]], SCHEMA), SCHEMA.empty_table()], now=61_000_000)
    assert 1 == call.counts.late


def test_buckets_of_a_chain_report_to_the_driver_as_those_of_the_join_do():
    tables = streams()
    first = join_of(tables, sw.Recall(0.9, over="10 seconds"), buckets=4, scope="global")
    call = Calls(sw.aggregate(first, by="s0.key", values={"n": sw.count()}, **WINDOWS)).call(tables)
    assert STATISTICS in [packet["kind"] for packet in call.packets]


def test_state_of_another_aggregate_is_refused():
    tables = streams(seconds=1)
    calls, other = Calls(joined(tables)), Calls(joined(tables, size="3 seconds"))
    calls.call(tables)
    other.text = calls.text
    with pytest.raises(StateError, match=r"windows of 2 seconds.*this query has.*windows of 3 seconds"):
        other.call(tables)


def test_groups_of_another_stream_are_another_aggregate():
    first = join_of(streams(seconds=1), CONTRACTS[0])
    one, other = (sw.aggregate(first, by=by, values={"n": sw.count()}, **WINDOWS) for by in ("s0.seq", "s1.seq"))
    assert one.schema == other.schema
    assert identity_of_fed(one.then, one.feed, one.schema) != identity_of_fed(other.then, other.feed, other.schema)


@pytest.mark.parametrize(
    ("by", "words"),
    [("s0.seq", r"keep groups \(seq\) together, got 4; group by what they are made of \(by='s0.key'\)"), ((), "none")],
)
def test_buckets_that_would_split_groups_are_refused(by, words):
    tables = streams(seconds=1)
    first = join_of(tables, CONTRACTS[0], buckets=4)
    chain = sw.aggregate(first, by=by, values={"n": sw.count()}, **WINDOWS)
    with pytest.raises(ParameterError, match=words):
        check_spread(first.node, chain.then, chain.feed)


def test_groups_of_either_side_of_the_key_agree_with_the_buckets():
    first = join_of(streams(seconds=1), CONTRACTS[0], buckets=4)
    for by in ("s0.key", "s1.key", ["s1.key", "s0.seq"]):
        chain = sw.aggregate(first, by=by, values={"n": sw.count()}, **WINDOWS)
        assert check_spread(first.node, chain.then, chain.feed) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contract": sw.NoSlack()}, "contract must be left out where the results of a join are aggregated"),
        ({"buckets": 3}, "say buckets= in sw.join"),
        ({"by": "key"}, "column 'key' does not exist; the results have: event_time, s0.ts"),
        ({"by": ["s0.key", "s1.key"]}, "by must not be called as s0.key is, key"),
        ({"early": sw.Early(accuracy=0.9)}, "accuracy must be left out"),
        ({"values": {"x": sw.sum("s0.nothing")}}, "column 's0.nothing' does not exist"),
    ],
)
def test_what_a_chain_cannot_do_is_an_error_that_says_why(options, words):
    with pytest.raises((ParameterError, sw.errors.ColumnError), match=words):
        sw.aggregate(join_of(streams(seconds=1), CONTRACTS[0]), **{"values": {"n": sw.count()}, **WINDOWS, **options})


def test_a_reordered_stream_need_not_be_reordered_to_be_aggregated():
    bus = sw.stream(streams(seconds=1)[0], event_time="ts", unit="ms")
    with pytest.raises(ParameterError, match="give the stream itself: this operator needs no order"):
        sw.aggregate(sw.reorder(bus, contract=sw.NoSlack()), values={"n": sw.count()}, **WINDOWS)
