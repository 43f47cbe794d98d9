"""Calls of a join's bucket against the in-process run: any split into batches, any order of rows within one."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.errors import StateError
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS
from slackwater.spark.held import HeldStore
from slackwater.spark.join_call import JoinBucket, JoinSaved, identity_of_join
from slackwater.spark.packets import from_bytes
from tests.spark.test_call import DictChunks, without

SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("key", pa.int64()), ("x", pa.float64())])
MODEL = sw.control.ModelSearch(granularity="1 ms", basic_window="1 ms")


def near(*tables):
    """Say whether the first two rows are near each other."""
    return pc.less(pc.abs(pc.subtract(tables[0]["x"], tables[1]["x"])), 4.0)


NORMAL = sw.control.NormalDelay(sample_every=1, samples=5, floor=2)
CONTRACTS = [
    sw.FixedSlack("6 ms", adaptation_interval="5 ms"),
    sw.NoSlack(adaptation_interval="5 ms"),
    sw.MaxSlack(cap="9 ms", adaptation_interval="5 ms"),
    sw.Recall(0.9, controller=MODEL, adaptation_interval="5 ms"),
    sw.Recall(0.9, over="20 ms", adaptation_interval="5 ms"),
    sw.DropRatio(0.1, over="20 ms", adaptation_interval="5 ms"),
    sw.DropRatio(0.1, over="20 ms", adaptation_interval="5 ms", controller=NORMAL),
]
CONDITIONS = {
    "2 by key": (2, {"on": "key"}),
    "3 by key": (3, {"on": "key"}),
    "3 by two keys": (3, {"on": "s0.key = s1.key and s1.x = s2.x"}),
    "arithmetic": (2, {"where": "abs(s0.x - s1.x) < 4 and s0.key + s1.key > 2"}),
    "function": (2, {"on": "key", "where": near}),
}


def tables_of(times, streams):
    """Deal events out to streams, in the order in which they arrive."""
    random = np.random.default_rng(len(times))
    keys, x = random.integers(0, 3, len(times)), random.integers(0, 10, len(times)).astype(float)
    whole = pa.table({"ts": times, "seq": np.arange(len(times)), "key": keys, "x": x}, SCHEMA)
    dealt = random.integers(0, streams, len(times))
    return [whole.filter(pa.array(dealt == stream)) for stream in range(streams)]


def join_of(tables, contract, **options):
    streams = [
        sw.stream(table, name=f"s{number}", event_time="ts", unit="ms", arrival="seq", max_ahead=None)
        for number, table in enumerate(tables)
    ]
    return sw.join(*streams, within="8 ms", contract=contract, **options)


class Calls:
    """A bucket of a join that is called as Spark would call it, the small state going through its text form."""

    def __init__(self, node, number=0):
        self.schemas = [SCHEMA] * len(node.streams)
        self.bucket = JoinBucket(node, Spread.of(node, self.schemas), number)
        self.store = HeldStore(DictChunks(), DictChunks())
        self.identity = identity_of_join(node, self.schemas)
        self.text, self.kinds = None, {RESULTS: [], LATE: [], DECISIONS: []}

    def on_batch(self, tables, *, drain=False, now=0):
        saved = JoinSaved.load(None if self.text is None else (self.text,), self.identity)
        call = self.bucket.on_batch(saved, self.store, tables, processing_time=now, drain=drain)
        assert call.counts.balanced
        self.text = call.saved.dump(self.identity)
        for packet in call.packets:
            self.kinds[packet["kind"]].append(from_bytes(packet["body"]))
        return call

    def rows(self, kind):
        return pa.concat_tables(self.kinds[kind]).to_pylist() if self.kinds[kind] else []


def in_batches(tables, edges, random):
    """Cut all streams at the same arrivals; shuffle the rows of each batch."""
    for start, stop in itertools.pairwise(edges):
        parts = []
        for table in tables:
            seq = table["seq"].to_numpy()
            rows = np.flatnonzero((seq >= start) & (seq < stop)).tolist()
            random.shuffle(rows)
            parts.append(table.take(np.array(rows, np.int64)))
        yield parts


def by_stream(rows):
    return sorted(rows, key=lambda row: row["stream"])


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=60),
    st.lists(st.integers(1, 60), max_size=6),
    st.sampled_from(CONTRACTS),
    st.sampled_from(sorted(CONDITIONS)),
    st.sampled_from(["arrival", "clock"]),
    st.randoms(use_true_random=False),
)
@example(
    [0, 0, 0, 0, 0, 0, 9, 9, 0, 0, 10], [1, 8], CONTRACTS[4], "2 by key", "arrival", Random(0)
)  # a late event whose partners may be forgotten
def test_any_split_and_shuffle_equals_the_local_run(times, cuts, contract, condition, release, random):
    assert_like_the_local_run(times, cuts, contract, condition, random, release=release)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=60),
    st.lists(st.integers(1, 60), max_size=6),
    st.randoms(use_true_random=False),
)
def test_what_is_measured_behind_a_gate_does_not_depend_on_the_batches(times, cuts, random):
    contract = sw.Recall(0.9, over="20 ms", adaptation_interval="5 ms") & sw.Deadline("10 ms")
    assert_like_the_local_run(times, cuts, contract, "2 by key", random)


def assert_like_the_local_run(times, cuts, contract, condition, random, **how):
    streams, options = CONDITIONS[condition]
    tables = tables_of(times, streams)
    local = join_of(tables, contract, **how, **options)
    calls = Calls(local.node)
    edges = sorted({0, len(times), *(cut for cut in cuts if cut < len(times))})
    for batch in in_batches(tables, edges, random):
        calls.on_batch(batch)
    calls.on_batch([SCHEMA.empty_table()] * streams, drain=True)
    assert local.results.to_pylist() == calls.rows(RESULTS)
    assert by_stream(local.late.to_pylist()) == by_stream(calls.rows(LATE))
    assert without(local.decisions.to_pylist(), "took_us") == without(calls.rows(DECISIONS), "took_us")


def test_without_arrival_the_rows_of_a_batch_arrive_together():
    streams = [sw.stream(table, name=f"s{n}", event_time="ts", unit="ms") for n, table in enumerate(tables_of([1], 2))]
    calls = Calls(sw.join(*streams, on="key", within="8 ms", contract=sw.NoSlack()).node)
    calls.on_batch([rows_at(5, 3, 4), rows_at(4)])
    calls.on_batch([rows_at(9), rows_at(2, 9)])
    pairs = [(row["s0"]["ts"], row["s1"]["ts"]) for row in calls.rows(RESULTS)]
    of_5, of_9 = [(5, 2), (5, 4)], [(9, 2), (9, 4), (3, 9), (4, 9), (5, 9), (9, 9)]
    assert [(3, 4), (4, 4), *of_5, *of_9] == pairs
    assert [("s1", 2_000)] == [(row["stream"], row["late_by"]) for row in calls.rows(LATE)]


def rows_at(*times, seq=0):
    """Rows with equal keys, at these times."""
    count = len(times)
    return pa.table({"ts": times, "seq": range(seq, seq + count), "key": [1] * count, "x": [0.0] * count}, SCHEMA)


def calls_of(contract, *, streams=2, **options):
    return Calls(join_of([SCHEMA.empty_table()] * streams, contract, on="key", **options).node)


def test_payload_is_written_once_and_only_the_marks_of_rows_that_move_again():
    calls = calls_of(sw.FixedSlack("2 ms"))
    calls.on_batch([rows_at(10, 11, 12), rows_at(10, seq=10)])
    written, marks = calls.store.chunks.written, calls.store.marks.written
    calls.on_batch([SCHEMA.empty_table(), rows_at(14, seq=20)])
    assert 0 < calls.store.chunks.written - written < written
    assert 3 + 1 + 1 == calls.store.marks.written - marks  # one row of each old chunk moved on
    marks = calls.store.marks.written
    calls.on_batch([rows_at(12, seq=30), SCHEMA.empty_table()])
    assert 1 == calls.store.marks.written - marks
    assert [3, 1, 1, 1] == rows_in_chunks(calls)


def rows_in_chunks(calls):
    return [chunk.rows for chunk in JoinSaved.load((calls.text,), calls.identity).chunks]


def test_what_no_window_covers_any_more_leaves_the_state():
    calls = calls_of(sw.FixedSlack("2 ms"))
    for number in range(50):
        calls.on_batch([rows_at(100 * number), rows_at(100 * number)])
        assert len(calls.store.chunks.bodies) == len(calls.store.marks.bodies) <= 4


def test_many_small_batches_do_not_leave_as_many_chunks_behind():
    calls = calls_of(sw.FixedSlack("1 hour"))
    for number in range(300):
        calls.on_batch([rows_at(number, seq=2 * number), rows_at(number, seq=2 * number + 1)])
    assert len(calls.store.chunks.bodies) <= 60
    calls.on_batch([SCHEMA.empty_table()] * 2, drain=True)
    assert 300 + 2 * sum(300 - apart for apart in range(1, 9)) == len(calls.rows(RESULTS))


def test_a_few_rows_that_stay_do_not_keep_all_that_came_with_them():
    calls = calls_of(sw.FixedSlack("20 ms"))
    calls.on_batch([rows_at(*range(100), 90_000), rows_at(100)])
    calls.on_batch([rows_at(85_000, seq=200), rows_at(85_000, seq=300)])
    assert [9, 1, 1, 1] == rows_in_chunks(calls)


def test_bytes_written_per_call_do_not_grow_with_the_length_of_the_stream():
    calls, written = calls_of(sw.FixedSlack("20 ms")), []
    random = np.random.default_rng(7)
    for number in range(120):
        before = calls.store.chunks.written + calls.store.marks.written
        times = number * 50 + np.arange(50) - random.integers(0, 20, (2, 50))
        calls.on_batch([rows_at(*own.tolist(), seq=number * 100 + 50 * n) for n, own in enumerate(times)])
        written.append(calls.store.chunks.written + calls.store.marks.written - before + len(calls.text))
    assert np.median(written[10:30]) * 1.1 > np.median(written[-20:])


def test_replaying_a_batch_gives_the_same_bytes():
    states = []
    for _ in range(2):
        calls = calls_of(sw.Recall(0.9))
        calls.on_batch([rows_at(10, 11, 12), rows_at(10, seq=10)])
        calls.on_batch([rows_at(15, 9, seq=20), rows_at(14, seq=30)])
        states.append((calls.text, calls.store.chunks.bodies, calls.store.marks.bodies))
    assert states[0] == states[1]


@pytest.mark.parametrize("damage", [b"not arrow", b""])
def test_a_corrupted_chunk_is_an_error_that_names_it(damage):
    calls = calls_of(sw.FixedSlack("1 second"))
    calls.on_batch([rows_at(1, 2), rows_at(3)])
    calls.store.chunks.bodies[1] = damage
    with pytest.raises(StateError, match="unreadable chunk 1"):
        calls.on_batch([rows_at(5), rows_at(5)])


@pytest.mark.parametrize("damage", [{}, {0: b"", 1: b"\1"}])
def test_lost_marks_are_an_error_that_names_the_chunk(damage):
    calls = calls_of(sw.FixedSlack("1 second"))
    calls.on_batch([rows_at(1, 2), rows_at(3)])
    calls.store.marks.bodies = damage
    with pytest.raises(StateError, match="unreadable chunk 0"):
        calls.on_batch([rows_at(5), rows_at(5)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on": "x"}, r"where s0\.key = s1\.key in 1 buckets.*this query has.*where s0\.x = s1\.x in 1"),
        ({"on": "key", "where": "s0.x > 1"}, r"this query has.*s0\.key = s1\.key and s0\.x > 1 in"),
        ({"on": "key", "where": near}, r"this query has.*s0\.key = s1\.key and near\(\) in"),
        ({"on": "key", "buckets": 4}, "this query has.*in 4 buckets"),
    ],
)
def test_state_of_another_plan_is_refused_with_both(options, message):
    calls = calls_of(sw.NoSlack())
    calls.on_batch([rows_at(1), rows_at(1)])
    other = join_of([SCHEMA.empty_table()] * 2, sw.NoSlack(), **options)
    with pytest.raises(StateError, match=message):
        JoinSaved.load((calls.text,), identity_of_join(other.node, calls.schemas))


def test_state_outlives_a_change_of_the_contract():
    calls = calls_of(sw.NoSlack())
    calls.on_batch([rows_at(1), rows_at(1)])
    other = calls_of(sw.MaxSlack())
    assert 1 == JoinSaved.load((calls.text,), other.identity).calls


def test_only_the_first_bucket_reports_late_rows_that_every_bucket_has():
    late = []
    for number in range(2):
        node = join_of([SCHEMA.empty_table()] * 2, sw.NoSlack(), where="s0.x < s1.key", buckets=2).node
        calls = Calls(node, number)
        calls.on_batch([rows_at(9), rows_at(9)])
        calls.on_batch([rows_at(5, seq=1), rows_at(5, seq=1)])
        late.append([row["stream"] for row in calls.rows(LATE)])
    assert [["s0", "s1"], ["s0"]] == late


def with_patience(**patience):
    streams = [
        sw.stream(SCHEMA.empty_table(), name=name, event_time="ts", unit="ms", arrival="seq", idle_after=after)
        for name, after in patience.items()
    ]
    return Calls(sw.join(*streams, on="key", within="8 ms", contract=sw.FixedSlack("5 ms")).node)


NOTHING = SCHEMA.empty_table()
SECOND = 1_000_000


def test_a_stream_that_is_silent_for_too_long_steps_aside():
    calls = with_patience(s0=None, s1="1 second")
    calls.on_batch([rows_at(10), rows_at(10)], now=0)
    calls.on_batch([rows_at(30), NOTHING], now=SECOND - 1)
    assert [] == calls.rows(RESULTS)
    call = calls.on_batch([rows_at(31), NOTHING], now=SECOND)
    assert [(10, 10)] == [(row["s0"]["ts"], row["s1"]["ts"]) for row in calls.rows(RESULTS)]
    assert (SECOND, None) == tuple(call.saved.spoke)


def test_a_stream_that_never_spoke_steps_aside_too():
    calls = with_patience(s0=None, s1="1 second")
    first = calls.on_batch([rows_at(10, 20), NOTHING], now=0)
    assert (2, 0) == (first.counts.buffered, first.counts.released)
    assert 1 == calls.on_batch([NOTHING, NOTHING], now=SECOND).counts.released


def test_a_stream_steps_aside_once_until_it_speaks_again():
    calls = with_patience(s0=None, s1="1 second")
    timers = [
        calls.on_batch([NOTHING, rows], now=now).saved.timer
        for now, rows in [(0, rows_at(1)), (SECOND, NOTHING), (9 * SECOND, NOTHING), (10 * SECOND, rows_at(9))]
    ]
    assert [1_000, None, None, 11_000] == timers


def test_the_timer_is_that_of_the_stream_with_the_least_patience():
    calls = with_patience(s0="1 second", s1="500 ms")
    timers = [calls.on_batch([rows_at(1), NOTHING], now=now).saved.timer for now in (1, 400_000, 600_000)]
    assert [501, 501, 1_600] == timers


def test_the_run_over_all_rows_equals_the_local_run():
    tables = tables_of(np.random.default_rng(1).integers(0, 500, 400).tolist(), 3)
    local = join_of(tables, sw.MaxSlack(cap="9 ms"), on="key")
    bucket = Calls(local.node).bucket
    packets = [packet for packet in bucket.on_all(tables, processing_time=0) if packet["kind"] == RESULTS]
    assert local.results.to_pylist() == pa.concat_tables(from_bytes(packet["body"]) for packet in packets).to_pylist()


def test_the_run_over_all_rows_does_not_depend_on_how_it_is_cut(monkeypatch):
    tables = tables_of(np.random.default_rng(1).integers(0, 500, 400).tolist(), 2)
    bucket = Calls(join_of(tables, sw.MaxSlack(cap="9 ms"), on="key").node).bucket
    found = []
    for rows in (1_000, 7):
        monkeypatch.setattr("slackwater.spark.join_call._PART_ROWS", rows)
        packets = [packet for packet in bucket.on_all(tables, processing_time=0) if packet["kind"] == RESULTS]
        found.append(pa.concat_tables(from_bytes(packet["body"]) for packet in packets).to_pylist())
    assert found[0] == found[1]
