"""Rows that are added up before their bucket sees them give what rows give; no Spark needed."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.core.algebra import Reducing
from slackwater.errors import InvariantError
from slackwater.spark.added_up import Adding
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.horizons import Known, horizon_of
from slackwater.spark.packets import from_bytes
from slackwater.spark.state import MemoryChunks
from slackwater.spark.stored_aggregate import AggregateSaved, identity_of_aggregate

SCHEMA = pa.schema([("ts", pa.int64()), ("line", pa.string()), ("x", pa.int64()), ("y", pa.float64())])
DAY = 86_400_000  # ms


class Product(Reducing):
    """A function of a user's, which has no columns that are reduced each by itself."""

    reductions = None

    def lift(self, values, valid):
        """Return factors near one."""
        return (np.where(True if valid is None else valid, 1 + values / 1_000, 1.0),)

    def combine(self, left, right):
        """Multiply."""
        return (left[0] * right[0],)

    def lower(self, state):
        """Return the product."""
        return state[0], None


VALUES = {
    "n": sw.count(),
    "known": sw.count("x"),
    "total": sw.sum("x"),
    "float": sw.sum("y"),
    "average": sw.mean("x"),
    "least": sw.min("y"),
    "most": sw.max("x"),
    "spread": sw.variance("y"),
    "tail": sw.quantile("x", 0.9),
    "kinds": sw.distinct("line"),
    "grown": sw.Value(Product(), "x", name="product"),
}
CONTRACTS = {
    "none": sw.NoSlack(),
    "fixed": sw.FixedSlack("200 ms"),
    "most": sw.MaxSlack(cap="2 seconds"),
    "drops": sw.DropRatio(0.02, over="5 seconds"),
    "error": sw.RelativeError(0.2, of=("n", "total")),
}


def disordered(rows: int, *, seed: int = 1) -> pa.Table:
    """Rows of which a third is out of order and some have no time, no usable time, or no value."""
    random = np.random.default_rng(seed)
    delays = np.where(random.random(rows) < 0.7, 0, random.exponential(600, rows)).astype(np.int64)
    ts = np.arange(rows) * 5 - delays
    ts = np.where(random.random(rows) < 0.01, ts + 3 * DAY, ts)
    lines = pa.array(random.choice(np.array(["a", "b", "c", "d"], object), rows), mask=random.random(rows) < 0.1)
    x = pa.array(random.integers(0, 100, rows), mask=random.random(rows) < 0.1)
    y = pa.array(random.normal(1e3, 1, rows), mask=random.random(rows) < 0.1)
    return pa.table([pa.array(ts, mask=random.random(rows) < 0.02), lines, x, y], schema=SCHEMA)


@pytest.fixture(autouse=True)
def add_up_all(monkeypatch):
    """Let even a few rows be added up."""
    monkeypatch.setattr("slackwater.spark.added_up._FEWEST", 1)


def plan(**options):
    bus = sw.stream(SCHEMA.empty_table(), name="bus", event_time="ts", unit="ms", max_ahead="1 day")
    asked = {"size": "2 seconds", "slide": "300 ms", "values": VALUES, "contract": sw.FixedSlack("200 ms"), **options}
    return sw.aggregate(bus, **asked).node


def run_calls(node, tables, *, added: bool, partitions: int = 3):
    """Call once for each table, then drain; rows come from several partitions, which may add them up."""
    saved, stores = AggregateSaved(), [MemoryChunks() for _ in node.levels]
    found, known, cells_seen = {RESULTS: [], LATE: [], DECISIONS: []}, None, 0
    identity = identity_of_aggregate(node, SCHEMA)
    for table in [*tables, SCHEMA.empty_table()]:
        rows, cells = packed(node, table, known if added else None, partitions)
        cells_seen += 0 if cells is None else len(cells)
        run = partial(run_aggregate_call, node, 0, saved, stores[0], rows, above=stores[1:], cells=cells)
        call = run(processing_time=DAY * 1_000, drain=not table.num_rows)
        for packet in call.packets:
            found[packet["kind"]] += from_bytes(packet["body"]).to_pylist()
        saved = AggregateSaved.load((call.saved.dump(identity),), identity)
        told = json.loads(horizon_of(node, saved, read=DAY * 1_000))
        known = None if told is None else Known(*told)
    return found, saved, cells_seen


def packed(node, table, known, partitions):
    """Return the rows and the cells that some partitions send."""
    cuts = np.linspace(0, table.num_rows, partitions + 1).astype(int).tolist()
    parts = [table.slice(a, b - a) for a, b in pairwise(cuts)]
    if known is None:
        return table, None
    split = [Adding(node.levels[0]).split(part, known) for part in parts if part.num_rows]
    cells = [each for _, each in split if each is not None]
    rows = pa.concat_tables([SCHEMA.empty_table(), *(rest for rest, _ in split)])
    return rows, pa.concat_tables(cells) if cells else None


def comparable(rows):
    """Return rows in one order, without what a replay changes, and floats as the order of additions lets them be."""
    shown = [{name: _near(value) for name, value in row.items() if name != "took_us"} for row in rows]
    if not rows or "window" not in rows[0]:
        return shown
    return sorted(shown, key=lambda row: (row["window"]["end"], row.get("kind", ""), str(row.get("line"))))


def _near(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value


def cut(table, rows):
    return [table.slice(start, rows) for start in range(0, table.num_rows, rows)]


def assert_the_same(node, tables):
    """Expect the same of rows and of cells; return what rows give, and how many cells there were."""
    (rows, kept, _), (cells, also, seen) = (run_calls(node, tables, added=added) for added in (False, True))
    assert rows[LATE] == cells[LATE]
    assert comparable(rows[RESULTS]) == comparable(cells[RESULTS])
    assert comparable(rows[DECISIONS]) == comparable(cells[DECISIONS])
    assert kept.pipeline["counts"] == also.pipeline["counts"]
    return rows, seen


@pytest.mark.parametrize("by", [[], "line"], ids=str)
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_rows_that_are_added_up_give_what_rows_give(contract, by):
    rows, seen = assert_the_same(plan(contract=contract, by=by), cut(disordered(6_000), 700))
    assert seen > 50
    assert len(rows[LATE]) > 100


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    times=st.lists(st.one_of(st.none(), st.integers(0, 300)), min_size=1, max_size=80),
    batch=st.integers(3, 30),
    windows=st.sampled_from([(30, 10), (25, 10), (10, 10), (40, 1)]),
    contract=st.sampled_from(["none", "fixed", "most", "drops", "error"]),
    by=st.sampled_from([[], ["line"]]),
    more=st.sampled_from([{}, {"empty": True}, {"early": sw.Early(aggressiveness=0.5, estimate="raw")}]),
)
def test_random_rows_give_the_same_added_up(times, batch, windows, contract, by, more):
    values = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}
    contracts = {**CONTRACTS, "fixed": sw.FixedSlack("20 ms"), "error": sw.RelativeError(0.2, of="n")}
    size, slide = (f"{each} ms" for each in windows)
    node = plan(size=size, slide=slide, values=values, contract=contracts[contract], by=by, **more)
    x = np.arange(len(times))
    table = pa.table([times, [str(each % 3) for each in x], x, x * 0.5], schema=SCHEMA)
    assert_the_same(node, cut(table, batch))


def test_an_aggregate_of_an_aggregate_gives_the_same():
    bus = sw.stream(SCHEMA.empty_table(), name="bus", event_time="ts", unit="ms", max_ahead="1 day")
    first = sw.aggregate(bus, by="line", size="300 ms", values={"n": sw.count()}, contract=sw.FixedSlack("200 ms"))
    node = sw.aggregate(first, size="3 seconds", slide="1 second", values={"most": sw.max("n")}).node
    rows, seen = assert_the_same(node, cut(disordered(6_000), 700))
    assert seen > 50
    assert rows[RESULTS]


def test_early_results_every_so_often_are_the_same():
    node = plan(early=sw.Early(every="100 ms", estimate="raw"), values={"n": sw.count(), "total": sw.sum("x")})
    rows, _ = assert_the_same(node, cut(disordered(3_000), 100))
    assert {"early", "final"} == {row["kind"] for row in rows[RESULTS]}


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_rows_that_are_added_up_give_what_a_run_in_process_gives(contract):
    table, values = disordered(4_000), {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}
    table = table.set_column(0, "ts", pc.if_else(pc.greater(table["ts"], DAY), None, table["ts"]))
    numbered = table.append_column("call", pa.array(np.arange(4_000) // 500))
    bus = sw.stream(numbered, name="bus", event_time="ts", unit="ms", arrival="call")
    local = sw.aggregate(bus, size="2 seconds", slide="300 ms", values=values, contract=contract)
    found, _, seen = run_calls(plan(values=values, contract=contract), cut(table, 500), added=True)
    assert seen > 50
    assert comparable(local.results.to_pylist()) == comparable(found[RESULTS])
    assert sorted(map(str, local.late.drop_columns(["call"]).to_pylist())) == sorted(map(str, found[LATE]))
    assert comparable(local.decisions.to_pylist()) == comparable(found[DECISIONS])


def test_rows_go_as_they_are_only_if_they_may_be_late_or_have_no_usable_time():
    table = pa.table([[100, 700, None, 9 * DAY, 710], ["a"] * 5, range(5), [0.0] * 5], schema=SCHEMA)
    rows, cells = Adding(plan(size="300 ms")).split(table, Known(closed=300_000, read=DAY * 1_000))
    assert [0, 2, 3] == rows["x"].to_pylist()
    assert 2 == cells["__slackwater_state_0_0"].to_pylist()[0]


def test_a_row_that_does_not_say_when_it_arrived_goes_as_it_is():
    schema = SCHEMA.append(pa.field("came", pa.timestamp("us")))
    table = pa.table([[700, 710], ["a"] * 2, [0, 1], [0.0] * 2, [None, 800_000]], schema=schema)
    node = plan(size="300 ms")
    node = replace(node, stream=replace(node.stream, arrival_time="came"))
    rows, _ = Adding(node).split(table, Known(closed=0, read=DAY * 1_000))
    assert [0] == rows["x"].to_pylist()


def test_rows_of_many_groups_are_not_added_up(monkeypatch):
    monkeypatch.setattr("slackwater.spark.added_up._FEWEST", 10)
    known, table = Known(closed=0, read=DAY * 1_000), disordered(2_000)
    plans = [plan(by=by, size="2 seconds", slide="1 second") for by in ([], "line", "x")]
    taken = [Adding(node).split(table, known)[1] is not None for node in plans]
    assert [True, True, False] == taken


@pytest.mark.parametrize(
    "wrong", [Known(closed=-(2**60), read=DAY * 1_000), Known(closed=0, read=99 * DAY * 1_000)], ids=["late", "future"]
)
def test_cells_of_rows_that_must_be_seen_alone_stop_the_batch(wrong):
    node, store = plan(size="300 ms"), MemoryChunks()
    run = partial(run_aggregate_call, node, processing_time=DAY * 1_000, drain=False)
    first = pa.table([[100_000], ["a"], [0], [0.0]], schema=SCHEMA)
    saved = run(0, AggregateSaved(), store, first).saved
    table = pa.table([[100, 3 * DAY], ["a"] * 2, [0, 1], [0.0] * 2], schema=SCHEMA)
    rows, cells = Adding(node).split(table, wrong)
    with pytest.raises(InvariantError, match="started again, the query sends all rows"):
        run(0, saved, store, rows, cells=cells)


@pytest.mark.parametrize(
    "options",
    [
        {"contract": sw.DropRatio(0.01, controller=sw.control.NormalDelay())},
        {"early": sw.Early(aggressiveness=0.5)},
        {"sideline": sw.Sideline(over=1_000), "early": sw.Early(estimate="raw")},
    ],
    ids=["controller", "estimates", "sideline"],
)
def test_plans_that_look_at_single_rows_are_sent_rows(options):
    values = {"n": sw.count(), "total": sw.sum("x")}
    assert not plan(values=values, **options).can_be_added_up


def test_an_exact_order_of_arrival_is_sent_as_rows():
    node = plan()
    assert node.can_be_added_up
    assert not replace(node, stream=replace(node.stream, arrival="x")).can_be_added_up


def test_a_bucket_says_nothing_before_its_first_event_and_behind_a_punctuation():
    open_, promised = ({"clock": 5, "reached": 3, "promised": {"until": until}} for until in (-(2**62), 7))
    said = [horizon_of(plan(), AggregateSaved(state), read=9) for state in (None, promised, open_)]
    assert [None, None, [3, 9]] == [json.loads(each) for each in said]
