"""Buckets that are split between two calls: their children together go on as the one would have. No Spark needed."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from slackwater.errors import StateError
from slackwater.spark.split import BucketState, children_of, counted
from slackwater.spark.split_held import split_held
from slackwater.spark.split_keys import split_keys
from slackwater.spark.split_panes import split_panes
from slackwater.spark.state import MemoryChunks
from tests.simulation.calls import Bucket, Outputs, collect
from tests.simulation.case import SCHEMA, Case, Row

CHILDREN, CALLS = 3, 3
ENOUGH = {"contract": 'sw.FixedSlack("100 ms")'}  # no row is late
LEARNS = {"contract": 'sw.DropRatio(0.05, over="200 ms", adaptation_interval="50 ms")'}
JOIN = {"on": "'key'", "within": '"30 ms"'}
WINDOWS = {"size": '"60 ms"', "slide": '"20 ms"', "by": "'key'", "values": "{'n': sw.count(), 'x': sw.sum('x')}"}
ABOVE = '{"size": "120 ms", "by": "key", "values": {"least": sw.min("n"), "n": sw.sum("n")}}'
CASES = {
    "keyed reorder": ("reorder", 1, {**ENOUGH, "by": "'key'"}),
    "keyed reorder that learns": ("reorder", 1, {**LEARNS, "by": "'key'"}),
    "merge": ("merge", 2, {**ENOUGH, "by": "'key'"}),
    "join of 2": ("join", 2, {**ENOUGH, **JOIN}),
    "join of 3": ("join", 3, {**ENOUGH, **JOIN}),
    "join that learns": ("join", 2, {"contract": 'sw.Recall(0.9, over="200 ms", adaptation_interval="50 ms")', **JOIN}),
    "join without a key": ("join", 2, {**ENOUGH, "where": "'s0.x % 7 = s1.x % 7'", "within": '"30 ms"'}),
    "join by a deadline": ("join", 2, {"contract": 'sw.Deadline("100 ms")', **JOIN}),
    "aggregate": ("aggregate", 1, {**ENOUGH, **WINDOWS}),
    "aggregate that learns": ("aggregate", 1, {**LEARNS, **WINDOWS}),
    "early aggregate": ("aggregate", 1, {**ENOUGH, **WINDOWS, "early": "sw.Early(aggressiveness=0.5)"}),
    "aggregate with a bound": ("aggregate", 1, {"contract": "sw.RelativeError(0.1)", **WINDOWS}),
    "aggregate of empty windows": ("aggregate", 1, {**ENOUGH, **WINDOWS, "empty": "True"}),
    "aggregate that sets rows aside": (
        "aggregate",
        1,
        {**ENOUGH, **WINDOWS, "sideline": "sw.Sideline(over=100, pace=1, one_in=10)"},
    ),
    "aggregate of aggregates": ("aggregate", 1, {**ENOUGH, **WINDOWS, "then": ABOVE}),
}
LOSSLESS = [name for name, (_, _, options) in CASES.items() if options["contract"] == ENOUGH["contract"]]


def case_of(name):
    """Rows of 600 ms in six batches, of eight keys and some without one, up to 60 ms late."""
    operator, streams, options = CASES[name]
    random = np.random.default_rng(3)
    delay = np.where(random.random(300) < 0.6, 0, random.integers(0, 60, 300))
    keys = [None if random.random() < 0.05 else "abcdefgh"[random.integers(8)] for _ in range(300)]
    rows = [Row(int(random.integers(streams)), i, 1_000 + 2 * i - int(delay[i]), keys[i], i) for i in range(300)]
    return Case(operator, dict(options), tuple(rows), streams, cuts=(50, 100, 150, 200, 250))


def child_of(key):
    return 0 if key is None else zlib.crc32(str(key).encode()) % CHILDREN


def where_of(case):
    """Say where rows go: by their key, or by their number, where the streams behind the first go everywhere."""

    def where(tables, stream):
        if "where" not in case.options:
            return [np.array([child_of(key) for key in table["key"].to_pylist()], np.int64) for table in tables]
        return None if stream else [table["id"].to_numpy() % CHILDREN for table in tables]

    return where


def split(case, bucket, identity):
    """Return the states of the children of a bucket."""
    text, chunks, marks, *above = bucket.state
    maps = {"chunks": chunks, "marks": marks} if case.operator in ("join", "merge") else {"chunks": chunks}
    maps |= {f"level{number}": each for number, each in enumerate(above, start=1)}
    state = BucketState(text, {name: MemoryChunks(bodies) for name, bodies in maps.items()})
    rest = state, (bucket._identity, identity), where_of(case), range(CHILDREN)
    if case.operator == "reorder":
        return list(split_keys(*rest, ["key"]))
    return list((split_panes if case.operator == "aggregate" else split_held)(*rest))


def children(case, bucket):
    """Return buckets that go on from the parts of one."""
    node = replace(case.plan(case.tables()).node, buckets=CHILDREN)
    fresh = [Bucket(case, node) for _ in range(CHILDREN)]
    states = split(case, bucket, fresh[0]._identity)
    for child, state in zip(fresh, states, strict=True):
        maps = {"chunks": {}, "marks": {}, **{name: store.bodies for name, store in state.maps.items()}}
        child.restore((state.entry, *maps.values()))
    return fresh


def rows_for(case, child, tables):
    found = []
    for stream, table in enumerate(tables):
        buckets = where_of(case)([table], stream)
        found.append(table if buckets is None else table.filter(buckets[0] == child))
    return found


def begun(name):
    """Return a case, a bucket after some calls, and what has left it by then."""
    case, outputs = case_of(name), Outputs()
    bucket = Bucket(case, case.plan(case.tables()).node)
    for tables in list(case.batches())[:CALLS]:
        collect(outputs, bucket(tables))
    return case, bucket, outputs


def rest_of(case):
    return [*list(case.batches())[CALLS:], None]  # none: a drain


def run(case, buckets, outputs):
    """Make the other calls; every one checks that all its rows are accounted for."""
    for tables in rest_of(case):
        for child, bucket in enumerate(buckets):
            given = [SCHEMA.empty_table()] * case.streams if tables is None else tables
            own = given if len(buckets) == 1 else rows_for(case, child, given)
            call = bucket(own, drain=tables is None)
            assert call.counts.balanced
            collect(outputs, call)
    return outputs


def finals(rows):
    """Count results, of windows the final ones with rows; how often they were shown before depends on clocks."""
    kept = [row for row in rows if row.get("kind", "final") == "final" and row.get("n") != 0]
    shown = ("kind", "revision", "clock")
    return Counter(json.dumps({k: v for k, v in row.items() if k not in shown}, default=str) for row in kept)


@pytest.mark.parametrize("name", LOSSLESS)
def test_children_give_together_what_their_parent_would_have(name):
    case, bucket, outputs = begun(name)
    split_at = children(case, bucket)
    alone = run(*begun(name)[:1], [begun(name)[1]], begun(name)[2])
    together = run(case, split_at, outputs)
    assert finals(alone.results) == finals(together.results)
    assert [] == alone.late == together.late
    assert sum(finals(alone.results).values()) > 50


@pytest.mark.parametrize("name", ["keyed reorder that learns", "aggregate that learns"])
def test_every_row_is_used_or_late_once_whatever_the_slack(name):
    case, bucket, outputs = begun(name)
    run(case, children(case, bucket), outputs)
    late = Counter(row["id"] for row in outputs.late)
    if case.operator == "reorder":
        assert Counter(range(300)) == late + Counter(row["id"] for row in outputs.results)
    assert {1} == set(late.values())


@pytest.mark.parametrize("name", ["join that learns", "join by a deadline", "aggregate with a bound"])
def test_buckets_that_learn_go_on_without_a_row_unaccounted_for(name):
    case, bucket, outputs = begun(name)
    before = len(outputs.results)
    assert len(run(case, children(case, bucket), outputs).results) > before


@pytest.mark.parametrize("name", [name for name in CASES if name != "join without a key"])
def test_counts_of_children_add_up_to_those_of_their_parent(name):
    case, bucket, _ = begun(name)
    before = json.loads(bucket.state[0])["pipeline"]
    after = [json.loads(child.state[0])["pipeline"] for child in children(case, bucket)]
    for count in ("arrived", "released", "late"):
        assert before["counts"][count] == sum(each["counts"][count] for each in after)
    assert before.get("results", 0) == sum(each.get("results", 0) for each in after)


@pytest.mark.parametrize("name", CASES)
def test_children_inherit_clocks_and_slack(name):
    case, bucket, _ = begun(name)
    before = json.loads(bucket.state[0])["pipeline"]
    names = ("clock", "streams", "passed_on", "passed", "time", "reached", "controller", "kept")
    inherited = {name: before[name] for name in names if name in before}
    assert len(inherited) > 1
    for child in children(case, bucket):
        after = json.loads(child.state[0])["pipeline"]
        assert inherited == {name: after.get(name) for name in inherited}


def held_by(bucket):
    return sum(chunk["rows"] for chunk in json.loads(bucket.state[0])["chunks"])


@pytest.mark.parametrize("name", ["keyed reorder", "keyed reorder that learns", "aggregate", "aggregate that learns"])
def test_what_is_held_is_dealt_out(name):
    case, bucket, _ = begun(name)
    rows = list(map(held_by, children(case, bucket)))
    assert held_by(bucket) == sum(rows)
    assert min(rows) > 0


@pytest.mark.parametrize("name", ["merge", "join of 2", "join of 3"])
def test_what_nothing_waits_for_any_more_is_not_dealt_out(name):
    case, bucket, _ = begun(name)
    rows = list(map(held_by, children(case, bucket)))
    assert held_by(bucket) > sum(rows)
    assert min(rows) > 0


@pytest.mark.parametrize("name", ["keyed reorder", "join of 2", "aggregate"])
def test_state_of_another_plan_is_refused(name):
    case, bucket, _ = begun(name)
    bucket._identity = "another plan"
    with pytest.raises(StateError, match="been written for"):
        children(case, bucket)


@pytest.mark.parametrize("name", ["keyed reorder", "join of 2", "aggregate"])
def test_a_damaged_chunk_is_refused(name):
    case, bucket, _ = begun(name)
    for number, body in bucket._chunks.bodies.items():
        bucket._chunks.bodies[number] = body[:40] + bytes([body[40] ^ 1]) + body[41:]
    with pytest.raises(StateError, match="unreadable chunk"):
        children(case, bucket)


@pytest.mark.parametrize("name", ["keyed reorder", "join of 2", "aggregate", "aggregate of aggregates"])
def test_a_lost_chunk_is_refused(name):
    case, bucket, _ = begun(name)
    del bucket._chunks.bodies[min(bucket._chunks.bodies)]
    with pytest.raises(StateError, match="unreadable chunk"):
        children(case, bucket)


def test_a_bucket_that_has_heard_control_records_alone_has_nothing_to_count():
    assert counted(None, [0, 0], 1) is None


def test_children_of_all_buckets_are_all_buckets():
    assert list(range(12)) == sorted(child for bucket in range(4) for child in children_of(bucket, 4, 12))
