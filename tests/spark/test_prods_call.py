"""Early results, prods and punctuations in calls whose state outlives them; no Spark needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.pipeline.prod import Prod
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.packets import from_bytes
from slackwater.spark.stored_aggregate import AggregateSaved, identity_of_aggregate
from tests.spark.test_aggregate_call import disordered
from tests.spark.test_call import DictChunks

SCHEMA = disordered(1).schema.append(pa.field("what", pa.string()))


def marked(rows: int) -> pa.Table:
    """Rows of which one in fifty is a prod or a punctuation, for all lines or for one."""
    table = disordered(rows)
    random = np.random.default_rng(4)
    what = random.choice(np.array(["prod", "punctuation"], object), rows)
    marks = random.random(rows) < 0.02
    late = np.where(marks & (what == "punctuation"), 1_500, 0)
    table = table.set_column(0, "ts", pa.array(table["ts"].to_numpy() - late))
    return table.append_column("what", pa.array(what, pa.string(), mask=~marks))


def plan(table, **options):
    bus = sw.stream(table, event_time="ts", unit="ms", arrival="seq", max_ahead=None, marker="what")
    asked = {"size": "2 seconds", "slide": "300 ms", "values": {"n": sw.count(), "most": sw.max("x")}, "by": "line"}
    return sw.aggregate(bus, contract=sw.FixedSlack("400 ms"), **{**asked, **options})


def run_calls(node, tables, *, asked=()):
    """Call once for each table, then drain; everything goes through its saved form. `asked` comes with the last."""
    saved, store, found = AggregateSaved(), DictChunks(), {RESULTS: [], LATE: [], DECISIONS: []}
    identity = identity_of_aggregate(node, SCHEMA)
    for number, table in enumerate([*tables, SCHEMA.empty_table()]):
        now = {
            "processing_time": 0,
            "drain": number == len(tables),
            "asked": asked if number == len(tables) - 1 else (),
        }
        call = run_aggregate_call(node, 0, saved, store, table, **now)
        for packet in call.packets:
            found[packet["kind"]] += from_bytes(packet["body"]).to_pylist()
        saved = AggregateSaved.load((call.saved.dump(identity),), identity)
    return found, store


def by_window(rows):
    """Rows in an order; bounds are rounded, since sums over groups are those of groups in another order."""
    return sorted(str({name: round(x, 9) if isinstance(x, float) else x for name, x in row.items()}) for row in rows)


def compared(decisions):
    return [row for row in decisions if row["operator"] == "early"]


EARLY = [
    sw.Early(aggressiveness=0.25),
    sw.Early(every="1 second"),
    sw.Early(),
    sw.Early(aggressiveness=0.25, estimate="raw"),
    sw.Early(accuracy=0.9),
]


@pytest.mark.parametrize("early", EARLY, ids=repr)
def test_calls_show_what_a_run_in_process_shows(early):
    table = marked(2_000)
    local = plan(table, early=early)
    cuts = [0, 1, 300, 310, 900, 1_700, 2_000]
    found, store = run_calls(local.node, [table.slice(a, b - a) for a, b in pairwise(cuts)])
    assert by_window(local.results.to_pylist()) == by_window(found[RESULTS])
    assert by_window(local.late.to_pylist()) == by_window(found[LATE])
    assert "punctuation" in local.late["reason"].to_pylist()
    assert by_window(compared(local.decisions.to_pylist())) == by_window(compared(found[DECISIONS]))
    assert [number for number in store.bodies if number > -(2**61)] == []


def test_a_prod_on_demand_shows_what_is_open_after_its_batch():
    table = pa.table([[10, 20], [0, 1], ["a", "b"], [1, 2], [None, None]], schema=SCHEMA)
    node = plan(table, size="300 ms", early=sw.Early()).node
    found, _ = run_calls(node, [table], asked=[Prod(where={"line": "b"})])
    shown = [(row["kind"], row["line"], row["revision"]) for row in found[RESULTS]]
    assert [("early", "b", 0), ("final", "a", 0), ("final", "b", 1)] == sorted(shown)


@pytest.mark.parametrize("where", [{"color": "red"}, {"line": "z"}])
def test_a_prod_for_nobody_ends_no_query(where):
    table = pa.table([[10], [0], ["a"], [1], [None]], schema=SCHEMA)
    found, _ = run_calls(plan(table, early=sw.Early()).node, [table], asked=[Prod(where=where)])
    assert [("prod", 0)] == [(row["operator"], row["results"]) for row in found[DECISIONS] if row["operator"] == "prod"]
