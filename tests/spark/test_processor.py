"""The processor under TwsTester: packets, state, control records and timers. No session is started."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.core.late import LatePolicy
from slackwater.errors import ColumnError, LateEventError, StateError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.spark import state
from slackwater.spark.call import DECISIONS, LATE, RESULTS, SUMMARY
from slackwater.time import Duration
from tests.transcripts.runners import BUCKET, DRAIN, Bucket

SCHEMA = pa.schema([("ts", pa.int64()), ("text", pa.string())])
SECOND = 1_000_000


def node_of(slack: str, *, arrival=None, idle_after=None, max_ahead=None, late="side") -> ReorderNode:
    stream = StreamNode(
        name="bus",
        event_time="ts",
        unit="s",
        arrival=arrival,
        idle_after=None if idle_after is None else Duration.of(idle_after),
        max_ahead=None if max_ahead is None else Duration.of(max_ahead),
    )
    return ReorderNode(stream=stream, contract=sw.FixedSlack(slack), late=LatePolicy.of(late))


def bucket_of(slack: str, **options) -> Bucket:
    mode = "ProcessingTime" if options.get("idle_after") else "None"
    return Bucket(node_of(slack, **options), SCHEMA, time_mode=mode)


def rows(*times: int | None) -> pa.Table:
    return pa.table({"ts": pa.array(times, pa.int64()), "text": [f"at {time}" for time in times]}, schema=SCHEMA)


def released(bucket: Bucket, packets) -> list[int]:
    return [] if packets.empty else bucket.output(packets, RESULTS)["ts"].to_pylist()


def test_rows_of_a_micro_batch_arrive_together():
    bucket = bucket_of("0 seconds")
    assert [1, 3, 4] == released(bucket, bucket.on_tables(rows(4, 3, 1)))


def test_packets_are_read_in_the_order_of_source_and_position():
    bucket = bucket_of("0 seconds")
    packets = bucket.on_tables(rows(5), rows(5))
    assert ["at 5", "at 5"] == bucket.output(packets, RESULTS)["text"].to_pylist()


def test_rows_wait_in_the_state_with_their_payload():
    bucket = bucket_of("2 seconds")
    bucket.on_tables(rows(5, 4))
    packets = bucket.on_tables(rows(9))
    assert ["at 4", "at 5"] == bucket.output(packets, RESULTS)["text"].to_pylist()


def test_rows_of_equal_time_leave_in_the_order_in_which_they_came_from_many_chunks(monkeypatch):
    monkeypatch.setattr(state, "CHUNK_ROWS", 2)
    bucket = bucket_of("1 hour")
    ties = pa.table({"ts": [5] * 6, "text": list("abcdef")}, schema=SCHEMA)
    bucket.on_tables(ties)
    packets = bucket.on_tables(control=(DRAIN,))
    assert list("abcdef") == bucket.output(packets, RESULTS)["text"].to_pylist()


def test_the_delay_is_measured_against_the_clock_before_the_batch():
    bucket = bucket_of("0 seconds")
    bucket.on_tables(rows(10))
    late = bucket.output(bucket.on_tables(rows(12, 7)), LATE)
    assert [{"ts": 7, "text": "at 7", "late_by": 3 * SECOND, "reason": "late", "stream": "bus"}] == late.to_pylist()


def test_state_is_all_that_a_new_processor_needs():
    bucket = bucket_of("2 seconds")
    bucket.on_tables(rows(5, 4))
    other = bucket.restarted(node_of("2 seconds"))
    assert released(bucket, bucket.on_tables(rows(9, 3))) == released(other, other.on_tables(rows(9, 3)))


def test_replaying_a_batch_gives_the_same_bytes():
    first = bucket_of("2 seconds")
    first.on_tables(rows(5, 4))
    again = first.restarted(node_of("2 seconds"))
    states = []
    for bucket in (first, again):
        bucket.on_tables(rows(9, 8, 3))
        tester = bucket.tester
        states.append((tester.peekValueState("meta", BUCKET), tester.peekMapState("chunks", BUCKET)))
    assert states[0] == states[1]


def test_state_is_empty_once_all_rows_have_left():
    bucket = bucket_of("2 seconds")
    bucket.on_tables(rows(5, 4))
    bucket.on_tables(control=(DRAIN,))
    assert ({}, ()) == (bucket.tester.peekMapState("chunks", BUCKET), bucket.saved().chunks)


def test_the_summary_counts_this_call_alone():
    bucket = bucket_of("2 seconds")
    bucket.on_tables(rows(5, 4))
    packets = bucket.on_tables(rows(9, 1))
    summary = packets[packets["kind"] == SUMMARY].iloc[0]
    assert (2, 3, 0, 1) == tuple(int(summary[name]) for name in ("arrived", "released", "late", "buffered"))


def test_the_summary_tells_how_much_state_was_written():
    packets = bucket_of("2 seconds").on_tables(rows(5, 4))
    assert packets[packets["kind"] == SUMMARY].iloc[0]["state_bytes"] > 0


def test_a_drain_releases_all_and_decides():
    bucket = bucket_of("1 hour")
    bucket.on_tables(rows(5, 4))
    packets = bucket.on_tables(control=(DRAIN,))
    assert ([4, 5], 1) == (released(bucket, packets), bucket.output(packets, DECISIONS).num_rows)


def test_rows_of_the_batch_that_brings_a_drain_are_drained_too():
    bucket = bucket_of("1 hour")
    assert [4, 5] == released(bucket, bucket.on_tables(rows(5, 4), control=(DRAIN,)))


@pytest.mark.parametrize(("record", "kind"), [(b'{"kind": "dance"}', "dance"), (b"nonsense", "unreadable")])
def test_an_unknown_control_record_is_reported_and_ignored(record, kind):
    bucket = bucket_of("1 hour")
    decisions = bucket.output(bucket.on_tables(rows(5), control=(record,)), DECISIONS)
    assert [("control", f"ignored: {kind}")] == [(row["operator"], row["stream"]) for row in decisions.to_pylist()]


def test_the_processing_time_of_the_batch_guards_against_the_future():
    bucket = bucket_of("0 seconds", max_ahead="10 seconds")
    packets = bucket.on_tables(rows(110, 111), now=100 * SECOND)
    assert ([110], [111]) == (released(bucket, packets), bucket.output(packets, LATE)["ts"].to_pylist())


def test_state_of_other_columns_is_refused():
    bucket = bucket_of("2 seconds")
    bucket.on_tables(rows(5))
    other = Bucket(node_of("2 seconds"), pa.schema([("ts", pa.int64())]))
    other.tester.updateValueState("meta", BUCKET, bucket.tester.peekValueState("meta", BUCKET))
    with pytest.raises(StateError, match="columns"):
        other.on_tables(pa.table({"ts": [6]}))


def test_an_unreadable_state_is_refused():
    bucket = bucket_of("2 seconds")
    bucket.tester.updateValueState("meta", BUCKET, ("nonsense",))
    with pytest.raises(StateError, match="unreadable"):
        bucket.on_tables(rows(6))


def test_a_lost_chunk_is_an_error_not_a_loss():
    bucket = bucket_of("2 seconds")
    bucket.on_tables(rows(5))
    bucket.tester.deleteState("chunks", BUCKET)
    with pytest.raises(StateError, match="unreadable chunk"):
        bucket.on_tables(rows(9))


def test_raising_leaves_the_state_as_it_was():
    bucket = bucket_of("1 second", late="raise")
    bucket.on_tables(rows(10, 20))
    before = bucket.tester.peekValueState("meta", BUCKET)
    with pytest.raises(LateEventError):
        bucket.on_tables(rows(5))
    assert before == bucket.tester.peekValueState("meta", BUCKET)


def test_nulls_in_the_arrival_column_are_an_error():
    schema = pa.schema([("ts", pa.int64()), ("seq", pa.int64())])
    bucket = Bucket(node_of("1 second", arrival="seq"), schema)
    with pytest.raises(ColumnError, match="column 'seq' has nulls"):
        bucket.on_tables(pa.table({"ts": [1], "seq": pa.array([None], pa.int64())}, schema=schema))


def test_an_idle_bucket_releases_what_it_holds():
    bucket = bucket_of("1 hour", idle_after="1 second")
    bucket.on_tables(rows(5, 4), now=0)
    assert [4, 5] == released(bucket, bucket.tester.setProcessingTime(1_000))


def test_a_bucket_is_not_idle_before_its_time():
    bucket = bucket_of("1 hour", idle_after="1 second")
    bucket.on_tables(rows(5, 4), now=0)
    assert bucket.tester.setProcessingTime(999).empty


def test_rows_renew_the_patience_with_a_bucket():
    bucket = bucket_of("1 hour", idle_after="1 second")
    bucket.on_tables(rows(5), now=0)
    bucket.on_tables(rows(6), now=SECOND // 2)
    assert [[], [5, 6]] == [released(bucket, bucket.tester.setProcessingTime(ms)) for ms in (1_499, 1_500)]


def test_an_idle_bucket_is_drained_once():
    bucket = bucket_of("1 hour", idle_after="1 second")
    bucket.on_tables(rows(5), now=0)
    bucket.tester.setProcessingTime(1_000)
    assert bucket.tester.setProcessingTime(9_000).empty


def test_a_bucket_that_holds_nothing_sets_no_timer():
    bucket = bucket_of("0 seconds", idle_after="1 second")
    bucket.on_tables(rows(5), now=0)
    assert bucket.tester.setProcessingTime(9_000).empty


def test_a_control_record_does_not_end_the_patience_with_an_idle_bucket():
    bucket = bucket_of("1 hour", idle_after="1 second")
    bucket.on_tables(rows(5, 4), now=0)
    bucket.on_tables(now=SECOND // 2, control=(b'{"kind": "dance"}',))
    assert [4, 5] == released(bucket, bucket.tester.setProcessingTime(2_000))


def test_buckets_know_nothing_of_each_other():
    bucket = bucket_of("1 second")
    bucket.on_tables(rows(5))
    packets = bucket.on_tables(rows(1), bucket=7)
    assert (0, 1) == (bucket.output(packets, LATE).num_rows, len(bucket.tester.handle.value_states["meta"].state) - 1)


def keyed_bucket(slack: str, **options) -> Bucket:
    mode = "ProcessingTime" if options.get("idle_after") else "None"
    return Bucket(replace(node_of(slack, **options), by=("text",)), SCHEMA, time_mode=mode)


def of_key(key: str, *times: int) -> pa.Table:
    return pa.table({"ts": pa.array(times, pa.int64()), "text": [key] * len(times)}, schema=SCHEMA)


def test_a_key_that_is_behind_loses_nothing_to_the_others():
    bucket = keyed_bucket("1 second")
    bucket.on_tables(of_key("ahead", 5_000, 5_001))
    packets = bucket.on_tables(of_key("behind", 7, 8, 6))
    assert ([6, 7], 0) == (released(bucket, packets), bucket.output(packets, LATE).num_rows)


def test_a_restarted_bucket_knows_the_clock_of_each_key_and_what_it_passed_on():
    node = replace(node_of("1 second"), by=("text",))
    bucket = Bucket(node, SCHEMA)
    bucket.on_tables(of_key("ahead", 5_000), of_key("behind", 7, 8, 9))
    packets = bucket.restarted(node).on_tables(of_key("behind", 6, 10))
    assert ([9], [6]) == (released(bucket, packets), bucket.output(packets, LATE)["ts"].to_pylist())


def test_a_timer_drains_the_keys_that_are_silent_and_no_others():
    bucket = keyed_bucket("1 hour", idle_after="1 second")
    bucket.on_tables(of_key("a", 5), of_key("b", 6), now=0)
    bucket.on_tables(of_key("b", 7), now=SECOND // 2)
    assert [[5], [6, 7]] == [released(bucket, bucket.tester.setProcessingTime(ms)) for ms in (1_000, 1_500)]


def test_a_drain_releases_what_all_keys_hold():
    bucket = keyed_bucket("1 hour")
    bucket.on_tables(of_key("a", 5), of_key("b", 3, 7))
    assert [3, 5, 7] == released(bucket, bucket.on_tables(control=(DRAIN,)))
