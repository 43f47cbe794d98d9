"""Calls of a bucket whose keys have clocks of their own, against the in-process run; what they write."""

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
from slackwater.spark import keyed_state
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Saved, identity_of
from slackwater.spark.keyed_call import KeyedSaved, run_keyed_call
from slackwater.spark.packets import from_bytes
from slackwater.time import Duration
from tests.spark.test_call import CONTRACTS, DictChunks, without

SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("line", pa.string())])
STREAM = StreamNode(name="s", event_time="ts", unit="ms", arrival="seq")


def node_of(contract, **options):
    return ReorderNode(**{"stream": STREAM, "contract": contract, "by": ("line",), **options})


def table_of(events, *, first=0):
    """Rows of (time, line), in arrival order."""
    seq = range(first, first + len(events))
    return pa.table({"ts": [e[0] for e in events], "seq": list(seq), "line": [e[1] for e in events]}, SCHEMA)


class Calls:
    """A bucket whose saved state goes through its text form between calls."""

    def __init__(self, node):
        self.node, self.store, self.text = node, DictChunks(), None
        self.kinds = {RESULTS: [], LATE: [], DECISIONS: []}

    def __call__(self, batch, *, drain=False, now=0):
        saved = KeyedSaved.load(None if self.text is None else (self.text,), identity_of(self.node, SCHEMA))
        call = run_keyed_call(self.node, 0, saved, self.store, batch, processing_time=now, drain=drain)
        assert call.counts.balanced
        self.text = call.saved.dump(identity_of(self.node, SCHEMA))
        for packet in call.packets:
            self.kinds[packet["kind"]].append(from_bytes(packet["body"]))
        return call

    def rows(self, kind):
        return [row for table in self.kinds[kind] for row in table.to_pylist()]


LINES = st.sampled_from(["a", "b", "far behind", None])


def as_it_came(time, line):
    return time - (100_000 if line == "far behind" else 0), line


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.builds(as_it_came, st.integers(0, 60), LINES), min_size=1, max_size=60),
    st.lists(st.integers(0, 60), max_size=8),
    st.sampled_from(CONTRACTS),
    st.sampled_from(["side", "adjust", "drop"]),
    st.sampled_from(["arrival", "clock"]),
    st.randoms(use_true_random=False),
)
def test_any_split_and_shuffle_equals_the_local_run(events, cuts, contract, late, release, random):
    table, options = table_of(events), {"release": release}
    stream = sw.stream(table, name="s", event_time="ts", unit="ms", arrival="seq", max_ahead=None)
    local = sw.reorder(stream, contract=contract, by="line", late=late, **options)
    calls = Calls(node_of(contract, late=LatePolicy.of(late), **options))
    for start, stop in itertools.pairwise(sorted({0, len(events), *(cut for cut in cuts if cut < len(events))})):
        order = list(range(start, stop))
        random.shuffle(order)
        calls(table.take(np.array(order, np.int64)), drain=stop == len(events))
    assert local.results.to_pylist() == calls.rows(RESULTS)
    assert local.late.to_pylist() == calls.rows(LATE)
    assert without(local.decisions.to_pylist(), "took_us") == without(calls.rows(DECISIONS), "took_us")


def test_many_chunks_marks_and_pages_lose_no_row(monkeypatch):
    monkeypatch.setattr(keyed_state, "MANY_CHUNKS", 6)
    monkeypatch.setattr(keyed_state, "CHUNK_ROWS", 200)
    random, calls = np.random.default_rng(3), Calls(node_of(sw.FixedSlack("300 ms")))
    events = [
        (int(5 * i - random.exponential(80) - 10_000 * (i % 11)), f"line {i % 11 if i % 50 else i}")
        for i in range(4_000)
    ]
    local = sw.reorder(
        sw.stream(table_of(events), name="s", event_time="ts", unit="ms", arrival="seq"),
        contract=sw.FixedSlack("300 ms"),
        by="line",
    )
    start = 0
    while start < len(events):
        size = int(random.choice([1, 7, 90, 400]))
        calls(table_of(events[start : start + size], first=start))
        assert len(calls.store.bodies) <= 30
        start += size
    calls(SCHEMA.empty_table(), drain=True)
    assert local.results.to_pylist() == calls.rows(RESULTS)
    assert local.late.to_pylist() == calls.rows(LATE)
    assert local.late.num_rows > 10


def test_a_drained_bucket_keeps_what_is_known_of_its_keys_and_nothing_else():
    calls = Calls(node_of(sw.FixedSlack("1 hour")))
    calls(table_of([(5, "a"), (3, "b"), (9, "a")]), drain=True)
    assert 1 == len(calls.store.bodies)


def test_a_key_that_comes_back_is_compared_with_what_it_passed_on():
    calls = Calls(node_of(sw.NoSlack()))
    calls(table_of([(5, "a"), (90, "b")]))
    calls(table_of([(4, "a"), (6, "a")], first=2))
    assert ([5, 90, 6], [4]) == (
        [row["ts"] for row in calls.rows(RESULTS)],
        [row["ts"] for row in calls.rows(LATE)],
    )


def patient(**options):
    stream = replace(STREAM, idle_after=Duration.of("1 second"))
    return Calls(node_of(sw.FixedSlack("1 hour"), stream=stream, **options))


def test_a_quiet_key_does_not_wait_for_the_others_to_fall_silent():
    calls, second = patient(), 1_000_000
    calls(table_of([(1, "a"), (2, "b")]), now=0)
    calls(table_of([(3, "b")], first=2), now=second - 1_000)
    assert [] == calls.rows(RESULTS)
    calls(table_of([(4, "b")], first=3), now=second)
    assert [(1, "a")] == [(row["ts"], row["line"]) for row in calls.rows(RESULTS)]


def test_the_timer_is_set_for_the_key_that_was_silent_longest_and_holds_rows():
    calls, second = patient(), 1_000_000
    assert 1_000 == calls(table_of([(1, "a"), (2, "b")]), now=0).saved.timer
    assert 1_000 == calls(table_of([(3, "b")], first=2), now=second // 2).saved.timer
    assert 1_500 == calls(SCHEMA.empty_table(), now=second).saved.timer
    assert calls(SCHEMA.empty_table(), now=2 * second).saved.timer is None
    assert [1, 2, 3] == [row["ts"] for row in calls.rows(RESULTS)]


def test_without_idle_after_a_silent_key_waits():
    calls = Calls(node_of(sw.FixedSlack("1 hour")))
    assert calls(table_of([(1, "a")]), now=0).saved.timer is None
    calls(table_of([(2, "b")], first=1), now=10**12)
    assert [] == calls.rows(RESULTS)


def test_a_call_writes_the_keys_that_changed_not_all_that_are_known():
    calls = Calls(node_of(sw.NoSlack()))
    calls(table_of([(1, f"line {i}") for i in range(20_000)]))
    all_keys, written = calls.store.written, []
    for number in range(30):
        before = calls.store.written
        calls(table_of([(2 + number, f"line {i}") for i in range(50)], first=20_000 + 50 * number))
        written.append(calls.store.written - before)
    assert max(written) < all_keys / 50
    assert len(calls.store.bodies) < 20


def test_bytes_written_per_call_do_not_grow_with_the_length_of_the_stream():
    calls, random, written = Calls(node_of(sw.FixedSlack("1 second"))), np.random.default_rng(7), []
    for number in range(150):
        sent = np.arange(300) * 10 + number * 3_000
        times = sent - np.where(random.random(300) < 0.8, 0, random.integers(0, 2_000, 300))
        lines = random.integers(0, 40, 300)
        times -= lines * 3_600_000
        before = calls.store.written
        calls(table_of([(int(t), f"line {k}") for t, k in zip(times, lines, strict=True)], first=number * 300))
        written.append(calls.store.written - before + len(calls.text))
    assert np.median(written[20:40]) * 1.2 > np.median(written[-20:])


def test_state_written_before_keys_had_clocks_is_refused_with_both():
    node = node_of(sw.NoSlack(), buckets=4)
    new = identity_of(node, SCHEMA)
    old = new.replace(" with a clock per key", "")
    text = Saved({"clock": 5}, (), 0, 1).dump(old)
    with pytest.raises(
        StateError, match=r"by \(line\) in 4 buckets of .*this query has .*in 4 buckets with a clock per key"
    ):
        KeyedSaved.load((text,), new)


@pytest.mark.parametrize("damage", [b"not arrow", None])
def test_a_damaged_page_of_keys_is_an_error_that_names_it(damage):
    calls = Calls(node_of(sw.NoSlack()))
    page = calls(table_of([(1, "a")])).saved.pages[0]
    calls.store.bodies[page] = damage
    with pytest.raises(StateError, match=f"unreadable chunk {page}"):
        calls(table_of([(2, "a")], first=1))


def test_a_damaged_chunk_is_an_error_that_names_it():
    calls = Calls(node_of(sw.FixedSlack("1 second")))
    number = calls(table_of([(1, "a")])).saved.chunks[0].number
    calls.store.bodies[number] = b"not arrow"
    with pytest.raises(StateError, match=f"unreadable chunk {number}"):
        calls(table_of([(5_000, "a")], first=1))
