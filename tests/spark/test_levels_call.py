"""Plans of several aggregates in calls whose state outlives them; no Spark needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import slackwater as sw
from slackwater.errors import StateError
from slackwater.pipeline.prod import Prod
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.packets import from_bytes
from slackwater.spark.stored_aggregate import AggregateSaved, identity_of_aggregate
from tests.spark.test_call import DictChunks
from tests.spark.test_prods_call import by_window, marked

CUTS = [0, 1, 300, 310, 900, 1_700, 2_000]
FUNCTIONS = {"hands over": {"n": sw.sum("n"), "most": sw.max("most")}, "keeps": {"n": sw.max("n"), "k": sw.count()}}


def rows(count: int) -> pa.Table:
    """Rows of lines and stops, with prods and punctuations among them."""
    table = marked(count)
    stop = pa.array(np.arange(count) % 3, mask=pc.is_null(table["line"]).to_numpy())
    return table.append_column("stop", stop)


SCHEMA = rows(1).schema


def plan(table, *, by=("line",), above=None, size="300 ms", early=None, **options):
    """Rows by line and stop, then by line, or all together."""
    bus = sw.stream(table, event_time="ts", unit="ms", arrival="seq", max_ahead=None, **options)
    values = {"n": sw.count(), "most": sw.max("x")}
    contract = sw.FixedSlack("400 ms")
    out = sw.aggregate(bus, by=["line", "stop"], size=size, slide="300 ms", values=values, contract=contract)
    return sw.aggregate(out, by=by, size="2 seconds", slide="1 second", values=above or FUNCTIONS["keeps"], early=early)


class Calls:
    """A bucket called again and again; everything goes through its saved form."""

    def __init__(self, node, schema=SCHEMA):
        self.node, self.schema, self.saved = node, schema, AggregateSaved()
        self.stores = [DictChunks() for _ in node.levels]
        self.found = {RESULTS: [], LATE: [], DECISIONS: []}

    def call(self, table=None, **now):
        table, identity = table or self.schema.empty_table(), identity_of_aggregate(self.node, self.schema)
        store, *above = self.stores
        now = {"processing_time": 0, "drain": False, "above": above, **now}
        call = run_aggregate_call(self.node, 0, self.saved, store, table, **now)
        for packet in call.packets:
            self.found[packet["kind"]] += from_bytes(packet["body"]).to_pylist()
        self.saved = AggregateSaved.load((call.saved.dump(identity),), identity)
        return call


def counted(decisions):
    """What each decision and each prod says, the ones apart from the others."""
    columns = ("operator", "stream", "at", "slack", "arrived", "released", "late", "results")
    return sorted([tuple(row[name] for name in columns) for row in decisions], key=lambda row: row[0])


def run_calls(node, table, *, cuts=CUTS):
    calls = Calls(node)
    for start, stop in pairwise(cuts):
        calls.call(table.slice(start, stop - start))
    calls.call(drain=True)
    return calls


@pytest.mark.parametrize("early", [None, sw.Early(aggressiveness=0.5), sw.Early(every="700 ms")], ids=repr)
@pytest.mark.parametrize("above", FUNCTIONS)
@pytest.mark.parametrize("by", [["line"], []], ids=str)
def test_calls_give_what_a_run_in_process_gives(by, above, early):
    table = rows(2_000)
    local = plan(table, by=by, above=FUNCTIONS[above], early=early, marker="what")
    calls = run_calls(local.node, table)
    assert by_window(local.results.to_pylist()) == by_window(calls.found[RESULTS])
    assert by_window(local.late.to_pylist()) == by_window(calls.found[LATE])
    assert counted(local.decisions.to_pylist()) == counted(calls.found[DECISIONS])
    assert [[], []] == [list(store.bodies) for store in calls.stores]


def test_three_levels_give_what_a_run_in_process_gives():
    table = rows(2_000)

    def three(early):
        return sw.aggregate(plan(table), size="4 seconds", values={"worst": sw.max("n"), "k": sw.sum("k")}, early=early)

    local = three(sw.Early(aggressiveness=0.25))
    calls = run_calls(local.node, table)
    assert by_window(local.results.to_pylist()) == by_window(calls.found[RESULTS])


def test_only_panes_that_get_something_are_rewritten():
    groups, calls = 3_000, Calls(plan(SCHEMA.empty_table(), by="line", size="600 ms").node)
    lines = [f"line {i}" for i in range(groups)]
    same = [pa.repeat(value, groups) for value in (10, 1, 0)]
    many = pa.table([same[0], range(groups), lines, same[1], pa.nulls(groups, pa.string()), same[2]], schema=SCHEMA)
    calls.call(many)
    calls.call(single(1_650))  # closes the first window: 3,000 results come to the level above
    before = [store.written for store in calls.stores]
    calls.call(single(1_660))
    calls.call(single(1_670))
    assert [True, True] == [before[0] > 100_000, before[1] > 50_000]
    assert [True, 0] == [calls.stores[0].written - before[0] < 10_000, calls.stores[1].written - before[1]]


def single(time, line="a"):
    return pa.table([[time], [time], [line], [1], [None], [0]], schema=SCHEMA)


def test_panes_above_are_read_when_something_comes_to_them():
    class Counting(DictChunks):
        def read(self, number):
            read.append(number)
            return super().read(number)

    read: list[int] = []
    calls = Calls(plan(SCHEMA.empty_table()).node)
    calls.stores[1] = Counting()
    found = []
    for time in (10, 1_000, 1_050, 1_400, 3_500):
        calls.call(single(time))
        found.append(read.copy())
        read.clear()
    assert [[], [], [], [], [0]] == found  # 1,000 fills pane 0 above, and 3,500 closes its windows; pane 1 is new then


def test_a_prod_on_demand_finds_groups_that_only_the_last_level_knows():
    calls = Calls(plan(SCHEMA.empty_table(), early=sw.Early()).node)
    calls.call(single(10, "a"))
    calls.call(single(1_000, "b"))  # the only window of the first level that has "a" is closed
    calls.call(asked=[Prod(where={"line": "a"})])
    assert [("a", 1, "early")] * 2 == [(row["line"], row["n"], row["kind"]) for row in calls.found[RESULTS]]


def test_rows_that_could_only_come_to_closed_windows_of_the_last_level_are_late():
    values = {"n": sw.sum("n")}
    calls = Calls(plan(SCHEMA.empty_table(), above=values).node)
    calls.call(single(100), drain=True)  # [0, 300) closes, and above [-1,000, 1,000) and [0, 2,000)
    call = calls.call(pa.concat_tables([single(500), single(1_100)]))
    calls.call(drain=True)
    assert (3, 2, 1) == (call.counts.arrived, call.counts.released, call.counts.late)
    ends = [(row["window"]["end"].second, row["n"]) for row in calls.found[RESULTS]]
    assert [(1, 1), (2, 1), (3, 1)] == ends


def test_state_of_another_level_is_refused():
    one, other = (plan(SCHEMA.empty_table(), size=size).node for size in ("300 ms", "900 ms"))
    text = AggregateSaved().dump(identity_of_aggregate(one, SCHEMA))
    with pytest.raises(StateError, match=r"windows of 300 ms.*this query has.*windows of 900 ms"):
        AggregateSaved.load((text,), identity_of_aggregate(other, SCHEMA))


def test_all_levels_run_in_the_buckets_of_the_last_one():
    bus = sw.stream(SCHEMA.empty_table(), event_time="ts", unit="ms")
    asked = {"size": "1 second", "values": {"n": sw.count()}}
    below = sw.aggregate(bus, by=["line", "stop"], buckets=4, contract=sw.NoSlack(), **asked)
    assert [4, 1] == [sw.aggregate(below, by=by, **asked).node.buckets for by in ("line", ())]
