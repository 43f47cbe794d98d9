"""Calls of a bucket against the in-process run: any split into batches, any order of rows within one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.core.late import LatePolicy
from slackwater.errors import StateError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Saved, identity_of, run_call
from slackwater.spark.packets import from_bytes

SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("text", pa.string())])
STREAM = StreamNode(name="s", event_time="ts", unit="ms", arrival="seq")


class DictChunks:
    def __init__(self):
        self.bodies: dict[int, bytes] = {}
        self.written = 0

    def read(self, number):
        return self.bodies[number]

    def write(self, number, body):
        self.bodies[number] = body
        self.written += len(body)

    def delete(self, number):
        del self.bodies[number]


def table_of(times):
    count = len(times)
    return pa.table({"ts": times, "seq": list(range(count)), "text": [f"row {i}" for i in range(count)]}, SCHEMA)


def run_calls(node, batches, *, drain=True):
    """Run batches as a bucket would see them, the saved state going through its text form in between."""
    store, text, kinds = DictChunks(), None, {RESULTS: [], LATE: [], DECISIONS: []}
    for number, batch in enumerate(batches):
        last = drain and number == len(batches) - 1
        saved = Saved.load(None if text is None else (text,), identity_of(node, SCHEMA))
        call = run_call(node, 0, saved, store, batch, processing_time=0, drain=last)
        assert call.counts.balanced
        text = call.saved.dump(identity_of(node, SCHEMA))
        for packet in call.packets:
            kinds[packet["kind"]].append(from_bytes(packet["body"]))
    return {kind: pa.concat_tables(tables).to_pylist() if tables else [] for kind, tables in kinds.items()}, store


def without(rows, *columns):
    return [{name: value for name, value in row.items() if name not in columns} for row in rows]


NORMAL = sw.control.NormalDelay(sample_every=1, samples=5, floor=2)
CONTRACTS = [
    sw.FixedSlack("6 ms", adaptation_interval="5 ms"),
    sw.NoSlack(adaptation_interval="5 ms"),
    sw.MaxSlack(cap="9 ms", adaptation_interval="5 ms"),
    sw.DropRatio(0.1, over="20 ms", adaptation_interval="5 ms"),
    sw.DropRatio(0.1, over="20 ms", adaptation_interval="5 ms", controller=NORMAL),
    sw.DropRatio(0.1, over="20 ms", adaptation_interval="5 ms", controller=sw.control.AdaptiveMax(window=4)),
    sw.MaxSlack(controller=sw.control.Speculative(sw.control.MaxDelay(), alpha=0.5), adaptation_interval="5 ms"),
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
    st.sampled_from(CONTRACTS),
    st.sampled_from(["side", "adjust", "drop"]),
    st.sampled_from(["arrival", "clock"]),
    st.randoms(use_true_random=False),
)
def test_any_split_and_shuffle_equals_the_local_run(times, cuts, contract, late, release, random):
    table = table_of(times)
    local = sw.reorder(
        sw.stream(table, name="s", event_time="ts", unit="ms", arrival="seq", max_ahead=None),
        contract=contract,
        late=late,
        release=release,
    )
    node = ReorderNode(stream=STREAM, contract=contract, late=LatePolicy.of(late), release=release)
    edges = sorted({0, len(times), *(cut for cut in cuts if cut < len(times))})
    batches = []
    for start, stop in itertools.pairwise(edges):
        order = list(range(start, stop))
        random.shuffle(order)
        batches.append(table.take(np.array(order, np.int64)))
    found, store = run_calls(node, batches)
    assert local.results.to_pylist() == found[RESULTS]
    assert local.late.to_pylist() == found[LATE]
    assert without(local.decisions.to_pylist(), "took_us") == without(found[DECISIONS], "took_us")
    assert {} == store.bodies


def test_bytes_written_per_call_do_not_grow_with_the_length_of_the_stream():
    node = ReorderNode(stream=STREAM, contract=sw.FixedSlack("1 second"))
    random = np.random.default_rng(7)
    written, saved, store = [], Saved(), DictChunks()
    for number in range(200):
        sent = np.arange(500) * 10 + number * 5_000
        times = sent - np.where(random.random(500) < 0.8, 0, random.integers(0, 2_000, 500))
        batch = pa.table({"ts": times, "seq": number * 500 + np.arange(500), "text": ["x"] * 500}, SCHEMA)
        before = store.written
        saved = run_call(node, 0, saved, store, batch, processing_time=0, drain=False).saved
        written.append(store.written - before + len(saved.dump(identity_of(node, SCHEMA))))
    assert np.median(written[:20]) * 1.1 > np.median(written[-20:])
    assert len(store.bodies) <= 12


def test_a_chunk_that_is_not_touched_is_not_rewritten():
    node = ReorderNode(stream=STREAM, contract=sw.FixedSlack("10 seconds"))
    store, saved = DictChunks(), Saved()
    for number in range(5):
        batch = table_of([number * 100 + i for i in range(50)])
        saved = run_call(node, 0, saved, store, batch, processing_time=0, drain=False).saved
        if number == 0:
            first = dict(store.bodies)
    assert first.items() <= store.bodies.items()
    assert 5 == len(store.bodies)


def test_rows_that_wait_in_many_chunks_are_gathered_into_few():
    node = ReorderNode(stream=STREAM, contract=sw.FixedSlack("100 ms"))
    store, saved = DictChunks(), Saved()
    random = np.random.default_rng(3)
    for number in range(60):  # delays spread evenly over the slack: every chunk covers all of it
        times = number * 3 + 100 - random.integers(0, 100, 40)
        batch = pa.table({"ts": times, "seq": number * 40 + np.arange(40), "text": ["x"] * 40}, SCHEMA)
        call = run_call(node, 0, saved, store, batch, processing_time=0, drain=False)
        saved = call.saved
        assert call.counts.balanced
    assert len(store.bodies) <= 20


def test_many_small_batches_do_not_leave_as_many_chunks_behind():
    node = ReorderNode(stream=STREAM, contract=sw.FixedSlack("1 hour"))
    store, saved = DictChunks(), Saved()
    for number in range(400):
        batch = pa.table({"ts": [number * 10, number * 10 + 5], "seq": [2 * number, 2 * number + 1], "text": ["x"] * 2})
        saved = run_call(node, 0, saved, store, batch.cast(SCHEMA), processing_time=0, drain=False).saved
    assert len(store.bodies) <= 45
    last = run_call(node, 0, saved, store, SCHEMA.empty_table(), processing_time=0, drain=True)
    rows = pa.concat_tables(from_bytes(packet["body"]) for packet in last.packets if packet["kind"] == RESULTS)
    assert list(range(800)) == rows["seq"].to_pylist()


def saved_text(node):
    call = run_call(node, 0, Saved(), DictChunks(), table_of([1, 2]), processing_time=0, drain=False)
    return call.saved.dump(identity_of(node, SCHEMA))


def test_state_of_another_format_version_is_refused_with_its_number_whatever_else_it_holds():
    node = ReorderNode(stream=STREAM, contract=sw.NoSlack())
    text = saved_text(node).replace('"version": 1', '"version": 99, "news": true')
    with pytest.raises(StateError, match="format version 99, expected 1"):
        Saved.load((text,), identity_of(node, SCHEMA))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"by": ("text",), "buckets": 4}, r"by \(text\) in 4 buckets"),
        ({"stream": StreamNode(name="s", event_time="ts", unit="s", arrival="seq")}, "event_time ts in s arrival"),
        ({"stream": StreamNode(name="s", event_time="ts", unit="ms")}, "event_time ts in ms of columns"),
    ],
)
def test_state_of_another_plan_is_refused_with_both(change, message):
    node = ReorderNode(stream=STREAM, contract=sw.NoSlack())
    with pytest.raises(StateError, match=f"event_time ts in ms arrival seq of .*this query has.*{message}"):
        Saved.load((saved_text(node),), identity_of(replace(node, **change), SCHEMA))


def test_state_of_other_columns_is_refused_with_both():
    node = ReorderNode(stream=STREAM, contract=sw.NoSlack())
    other = pa.schema([*list(SCHEMA)[:2], ("text", pa.int64())])
    with pytest.raises(StateError, match=r"text string.*text int64"):
        Saved.load((saved_text(node),), identity_of(node, other))


def test_state_outlives_a_change_of_the_contract():
    node = ReorderNode(stream=STREAM, contract=sw.NoSlack())
    other = replace(node, contract=sw.FixedSlack("1 second"))
    assert 1 == Saved.load((saved_text(node),), identity_of(other, SCHEMA)).calls


@pytest.mark.parametrize("text", ["", "{", "[]", '{"chunks": 3}', "null"])
def test_an_unreadable_entry_is_an_error_that_says_so(text):
    with pytest.raises(StateError, match="unreadable"):
        Saved.load((text,), "")


def test_a_corrupted_chunk_is_an_error_that_names_it():
    node = ReorderNode(stream=STREAM, contract=sw.FixedSlack("1 second"))
    store = DictChunks()
    saved = run_call(node, 0, Saved(), store, table_of([1, 2]), processing_time=0, drain=False).saved
    store.bodies[0] = b"not arrow"
    with pytest.raises(StateError, match="unreadable chunk 0"):
        run_call(node, 0, saved, store, table_of([5_000]), processing_time=0, drain=False)


def test_another_adaptation_interval_on_the_same_state_goes_on_deciding():
    store, saved, decided = DictChunks(), Saved(), []
    for number, interval in enumerate(["1 ms", "1 second", "5 ms"]):
        node = ReorderNode(stream=STREAM, contract=sw.FixedSlack("1 ms", adaptation_interval=interval))
        batch = table_of([1_000_000 + number * 100 + i for i in range(20)])
        call = run_call(node, 0, saved, store, batch, processing_time=0, drain=False)
        saved = call.saved
        decided.append(sum(from_bytes(p["body"]).num_rows for p in call.packets if p["kind"] == DECISIONS))
    assert [19, 0, 4] == decided
