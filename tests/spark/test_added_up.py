"""Rows that are added up before their bucket sees them give what rows give; no Spark needed."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.core.algebra import Reducing
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


def plan(**options):
    bus = sw.stream(SCHEMA.empty_table(), name="bus", event_time="ts", unit="ms", max_ahead="1 day")
    asked = {"size": "2 seconds", "slide": "300 ms", "values": VALUES, "contract": sw.FixedSlack("200 ms"), **options}
    return sw.aggregate(bus, **asked).node


def run_calls(node, tables, *, added: bool, partitions: int = 3):
    """Call once for each table, then drain; rows come from several partitions, which may add them up."""
    saved, store, found = AggregateSaved(), MemoryChunks(), {RESULTS: [], LATE: [], DECISIONS: []}
    identity, known, cells_seen = identity_of_aggregate(node, SCHEMA), None, 0
    for table in [*tables, SCHEMA.empty_table()]:
        cuts = np.linspace(0, table.num_rows, partitions + 1).astype(int).tolist()
        parts = [(table.slice(a, b - a), None) for a, b in pairwise(cuts)]
        if added and known is not None:
            parts = [Adding(node.levels[0]).split(rows, known) for rows, _ in parts if rows.num_rows] or parts
        rows = pa.concat_tables([rows for rows, _ in parts])
        cells = [each for _, each in parts if each is not None]
        cells_seen += sum(map(len, cells))
        drain = not table.num_rows
        above = [MemoryChunks() for _ in node.levels[1:]]
        call = run_aggregate_call(
            node,
            0,
            saved,
            store,
            rows,
            processing_time=DAY,
            drain=drain,
            above=above,
            cells=pa.concat_tables(cells) if cells else None,
        )
        for packet in call.packets:
            found[packet["kind"]] += from_bytes(packet["body"]).to_pylist()
        saved = AggregateSaved.load((call.saved.dump(identity),), identity)
        told = json.loads(horizon_of(saved, read=DAY))
        known = None if told is None else Known(*told)
    return found, saved, cells_seen


def comparable(rows):
    """Return rows in one order, without what a replay changes, and floats as the order of additions lets them be."""
    shown = [{name: _near(value) for name, value in row.items() if name != "took_us"} for row in rows]
    return sorted(shown, key=lambda row: (row["window"]["end"], str(row.get("line")))) if "n" in rows[0] else shown


def _near(value):
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


def cut(table, rows):
    return [table.slice(start, rows) for start in range(0, table.num_rows, rows)]


@pytest.mark.parametrize("by", [[], "line"], ids=str)
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_rows_that_are_added_up_give_what_rows_give(contract, by):
    node, tables = plan(contract=contract, by=by), cut(disordered(6_000), 700)
    assert node.can_be_added_up
    (rows, kept, _), (cells, also, seen) = (run_calls(node, tables, added=added) for added in (False, True))
    assert seen > 50
    assert len(rows[LATE]) > 100
    assert rows[LATE] == cells[LATE]
    assert comparable(rows[RESULTS]) == comparable(cells[RESULTS])
    assert comparable(rows[DECISIONS]) == comparable(cells[DECISIONS])
    assert kept.pipeline["counts"] == also.pipeline["counts"]
