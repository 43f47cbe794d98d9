"""How long what leaves an operator took: what calls know under TwsTester, and what the driver makes of it."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.core.late import LatePolicy
from slackwater.errors import ParameterError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.quality.latency_log import read_log
from slackwater.spark.call import LATENCY, SUMMARY
from slackwater.spark.latency import BatchLatency, Waits, figures_of
from slackwater.spark.packets import ROWS, to_bytes
from slackwater.spark.processor import AggregateProcessor
from tests.spark.test_join_processor import Joining
from tests.spark.test_merge_processor import Merging
from tests.transcripts.runners import BUCKET, DRAIN, Bucket

SECOND = 1_000_000
SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("came", pa.timestamp("us", tz="UTC"))])


def waits(packets: pd.DataFrame) -> Waits:
    (body,) = packets.loc[packets["kind"] == LATENCY, "body"]
    return Waits.read_from(body)


def seconds(counted) -> list[tuple[float, int]]:
    """Return (duration in seconds, rows)."""
    return [(value / SECOND, count) for value, count in zip(*counted.as_lists(), strict=True)]


def reordering(slack: str = "5 seconds", *, by=(), **columns) -> Bucket:
    stream = StreamNode(name="bus", event_time="ts", unit="s", **columns)
    node = ReorderNode(stream=stream, contract=sw.FixedSlack(slack), late=LatePolicy.of("side"), by=by)
    return Bucket(node, SCHEMA)


def rows(*times: int, seq=None, came=None) -> pa.Table:
    return pa.table([times, seq or times, came or [None] * len(times)], schema=SCHEMA)


def test_a_row_waits_since_the_batch_that_read_it():
    bucket = reordering()
    bucket.on_tables(rows(1, 2), now=100 * SECOND)
    bucket.on_tables(rows(3), now=103 * SECOND)
    assert [(4.0, 1), (7.0, 2)] == seconds(waits(bucket.on_tables(rows(8), now=107 * SECOND)).held)


def test_what_leaves_in_the_batch_that_read_it_has_not_waited():
    assert [(0.0, 2)] == seconds(waits(reordering("0 seconds").on_tables(rows(1, 2), now=SECOND)).held)


def test_the_stall_is_how_far_the_clock_moved_on_meanwhile():
    bucket = reordering()
    bucket.on_tables(rows(1, 2), now=0)
    bucket.on_tables(rows(3), now=1)
    assert [(5.0, 1), (6.0, 2)] == seconds(waits(bucket.on_tables(rows(8), now=2)).stall)


def test_rows_that_are_late_or_still_wait_do_not_count():
    bucket = reordering("1 second")
    bucket.on_tables(rows(1, 9), now=0)
    assert 0 == waits(bucket.on_tables(rows(0, 9), now=SECOND)).held.rows


def test_by_arrival_a_row_is_found_in_the_batch_that_brought_it():
    bucket = reordering(arrival="seq")
    bucket.on_tables(rows(1, 2, seq=[10, 20]), now=0)
    bucket.on_tables(rows(2, seq=[21]), now=SECOND)
    assert [(2.0, 1), (3.0, 2)] == seconds(waits(bucket.on_tables(rows(8, seq=[30]), now=3 * SECOND)).held)


def test_where_a_column_says_when_rows_arrived_latency_begins_there():
    bucket = reordering(arrival_time="came")
    bucket.on_tables(rows(1, 2, came=[40 * SECOND, None]), now=100 * SECOND)
    found = waits(bucket.on_tables(rows(8), now=110 * SECOND))
    assert "arrival_time" == found.since
    assert [70.0, 10.0] == [each.quantiles()["max"] / SECOND for each in (found.latency, found.held)]
    assert 2 == found.latency.rows


def test_a_restart_knows_since_when_rows_have_waited():
    bucket = reordering()
    bucket.on_tables(rows(1, 2), now=100 * SECOND)
    other = bucket.restarted(reordering_node())
    assert [(60.0, 2)] == seconds(waits(other.on_tables(rows(8), now=160 * SECOND)).held)


def reordering_node() -> ReorderNode:
    stream = StreamNode(name="bus", event_time="ts", unit="s")
    return ReorderNode(stream=stream, contract=sw.FixedSlack("5 seconds"), late=LatePolicy.of("side"))


def test_state_from_before_there_was_such_a_list_counts_from_now():
    bucket = reordering()
    bucket.on_tables(rows(1, 2), now=100 * SECOND)
    saved = json.loads(bucket.tester.peekValueState("meta", BUCKET)[0])
    del saved["recent"], saved["checksum"]
    bucket.tester.updateValueState("meta", BUCKET, (json.dumps(saved),))
    assert [(0.0, 2)] == seconds(waits(bucket.on_tables(rows(8), now=160 * SECOND)).held)


def test_what_nobody_can_ask_for_is_not_kept():
    bucket = reordering()
    for second in range(10):
        bucket.on_tables(rows(second), now=second * SECOND)
    bucket.on_tables(control=(DRAIN,))
    bucket.on_tables(rows(50), now=20 * SECOND)
    held = len(bucket.saved().recent)
    bucket.on_tables(rows(60), now=21 * SECOND)
    assert (11, 12) == (held, len(bucket.saved().recent))
    empty = reordering("0 seconds")
    for second in range(10):
        empty.on_tables(rows(second), now=second * SECOND)
    assert 1 == len(empty.saved().recent)


def test_keys_with_clocks_of_their_own_are_measured_too():
    bucket = reordering(by=("seq",))
    bucket.on_tables(rows(1, 2, seq=[7, 8]), now=0)
    assert [(3.0, 1)] == seconds(waits(bucket.on_tables(rows(8, seq=[7]), now=3 * SECOND)).held)


@pytest.mark.parametrize("operator", [Joining, Merging])
def test_rows_of_several_streams_wait_until_they_are_passed_on(operator):
    bucket = operator("0 seconds")
    bucket.on_rows([4, 8], [], now=0)
    bucket.on_rows([], [2], now=SECOND)
    found = waits(bucket.on_rows([], [9], now=5 * SECOND))
    assert ([(5.0, 2)], [(1.0, 2)]) == (seconds(found.held), seconds(found.stall))


def aggregating(early=None, by=()) -> TwsTester:
    stream = sw.stream(SCHEMA.empty_table(), event_time="ts", unit="s", max_ahead=None)
    contract, values = sw.FixedSlack("5 seconds"), {"n": sw.count()}
    plan = sw.aggregate(stream, by=by, size="10 seconds", values=values, contract=contract, early=early)
    return TwsTester(AggregateProcessor(plan.node, SCHEMA))


def on_rows(tester: TwsTester, *times: int, now: int) -> Waits:
    packet = {"kind": ROWS, "stream": 0, "source": 0, "position": 0, "body": to_bytes(rows(*times))}
    frame = pd.DataFrame([{**packet, "bucket": BUCKET, "processing_time": now * SECOND}])
    return waits(tester.testInPandas(BUCKET, frame))


def test_a_window_waits_since_the_clock_came_to_its_end():
    tester = aggregating(by="seq")
    on_rows(tester, 3, 4, now=0)
    on_rows(tester, 10, now=20)
    on_rows(tester, 12, now=22)
    found = on_rows(tester, 17, now=29)
    assert "end" == found.since
    assert ([(9.0, 2)], [(7.0, 2)]) == (seconds(found.held), seconds(found.stall))


def test_early_results_are_not_measured():
    tester = aggregating(early=sw.Early(aggressiveness=0.5, estimate="raw"))
    on_rows(tester, 3, now=0)
    assert 0 == on_rows(tester, 9, now=1).held.rows


def test_the_summary_has_the_longest_wait():
    bucket = reordering()
    bucket.on_tables(rows(1, 2), now=0)
    packets = bucket.on_tables(rows(8), now=3 * SECOND)
    summary = packets[packets["kind"] == SUMMARY].iloc[0]
    assert (3 * SECOND, 6 * SECOND) == (summary["held"], summary["stall"])


def two_calls() -> list[bytes]:
    """What two buckets said of a batch that began after 107 seconds."""
    bodies = []
    for waited in (4, 7):
        bucket = reordering()
        bucket.on_tables(rows(1, 2), now=(107 - waited) * SECOND)
        bodies.append(waits(bucket.on_tables(rows(8), now=107 * SECOND)).body())
    return bodies


def test_latency_runs_until_the_batch_is_written():
    found = figures_of("reorder", 3, [Waits.read_from(body) for body in two_calls()], written=109 * SECOND)
    assert (4, [6 * SECOND, 9 * SECOND]) == (found["rows"], [found[f"latency_{name}"] for name in ("p50", "p95")])
    assert (9 * SECOND, 107 * SECOND, 109 * SECOND) == (found["held_max"], found["read"], found["written"])


def test_rows_that_took_longer_than_the_deadline_are_counted():
    calls = [Waits.read_from(body) for body in two_calls()]
    missed = [figures_of("merge", 0, calls, 109 * SECOND, limit=limit * SECOND)["missed"] for limit in (5, 6, 9)]
    assert ([4, 2, 0], None) == (missed, figures_of("merge", 0, calls, 109 * SECOND)["missed"])


def test_a_batch_leaves_a_line_in_the_checkpoint_and_tells_whoever_asks(tmp_path):
    told: list[dict] = []
    BatchLatency.of("reorder", tmp_path, told.append).on_batch(two_calls(), 3, written=109 * SECOND)
    assert [(3, 9 * SECOND)] == [(each["batch"], each["latency_max"]) for each in told]
    assert [9 * SECOND] == read_log(tmp_path)["latency_max"].to_pylist()


def test_a_folder_that_is_given_takes_the_place_of_the_checkpoint(tmp_path):
    BatchLatency.of("reorder", "s3a://far/away", tmp_path / "figures").on_batch(two_calls(), 0, written=109 * SECOND)
    assert 1 == read_log(tmp_path / "figures").num_rows


def test_a_checkpoint_that_is_elsewhere_gets_no_figures(tmp_path):
    BatchLatency.of("reorder", tmp_path / "elsewhere", None).on_batch(two_calls(), 0, written=109 * SECOND)
    assert [] == list(tmp_path.iterdir())


def test_a_batch_without_calls_says_nothing(tmp_path):
    BatchLatency.of("reorder", tmp_path, None).on_batch([], 0)
    assert [] == list(tmp_path.iterdir())


def test_results_do_not_stop_for_figures_that_cannot_be_written(tmp_path):
    (tmp_path / "slackwater").touch()
    with pytest.warns(UserWarning, match=r"latency of batch 0 is not in .*slackwater/latency"):
        BatchLatency.of("reorder", tmp_path, None).on_batch(two_calls(), 0, written=109 * SECOND)


@pytest.mark.parametrize("latency", [7, "s3a://far/away"])
def test_what_is_neither_a_folder_nor_a_function_is_refused(latency, tmp_path):
    with pytest.raises(ParameterError, match="latency must be a folder of a mounted file system, or a function"):
        BatchLatency.of("reorder", tmp_path, latency)
