"""The join's processor under TwsTester: packets of several streams, state, control records and timers."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.decisions import DECISIONS as DECISIONS_SCHEMA
from slackwater.errors import StateError
from slackwater.pipeline.rows import late_rows_schema, result_schema
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS, STATISTICS, SUMMARY
from slackwater.spark.packets import CONTROL, ROWS, from_bytes, to_bytes
from slackwater.spark.processor import JoinProcessor
from slackwater.spark.statistics import read_reports
from tests.transcripts.runners import BUCKET, DRAIN

SCHEMAS = [pa.schema([("ts", pa.int64()), ("text", pa.string())]), pa.schema([("ts", pa.int64())])]
SECOND = 1_000_000


class Joining:
    """One bucket of a join of two streams, called as Spark would call it, with its state in memory."""

    def __init__(self, slack: str = "2 seconds", *, within: str = "3 seconds", idle_after: str | None = None) -> None:
        streams = [
            sw.stream(schema.empty_table(), name=name, event_time="ts", unit="s", max_ahead=None, idle_after=after)
            for name, schema, after in zip(("a", "b"), SCHEMAS, (None, idle_after), strict=True)
        ]
        self.node = sw.join(*streams, within=within, contract=sw.FixedSlack(slack)).node
        processor = JoinProcessor(self.node, SCHEMAS, Spread.of(self.node, SCHEMAS))
        self.tester = TwsTester(processor, timeMode="ProcessingTime" if idle_after else "None")

    def on_rows(self, a=(), b=(), *, now: int = 0, control: tuple[bytes, ...] = ()) -> pd.DataFrame:
        """Send the packets of one micro-batch."""
        tables = [pa.table({"ts": a, "text": [f"at {at}" for at in a]}, SCHEMAS[0]), pa.table({"ts": b}, SCHEMAS[1])]
        packets = [(ROWS, stream, stream, 0, to_bytes(table)) for stream, table in enumerate(tables) if len(table)]
        packets += [(CONTROL, -1, -1, 0, body) for body in control]
        frame = pd.DataFrame(packets, columns=["kind", "stream", "source", "position", "body"])
        return self.tester.testInPandas(BUCKET, frame.assign(bucket=BUCKET, processing_time=now))

    def output(self, packets: pd.DataFrame, kind: int) -> list[dict]:
        schemas = {
            RESULTS: result_schema(self.node, SCHEMAS),
            LATE: late_rows_schema(self.node, SCHEMAS),
            DECISIONS: DECISIONS_SCHEMA,
        }
        bodies = [] if packets.empty else packets.loc[packets["kind"] == kind, "body"]
        return pa.concat_tables([schemas[kind].empty_table(), *map(from_bytes, bodies)]).to_pylist()

    def pairs(self, packets: pd.DataFrame) -> list[tuple[int, int]]:
        return [(row["a"]["ts"], row["b"]["ts"]) for row in self.output(packets, RESULTS)]

    def restarted(self, **options) -> Joining:
        """Return a bucket that has nothing but the state of this one."""
        other = Joining(**options)
        other.tester.updateValueState("meta", BUCKET, self.tester.peekValueState("meta", BUCKET))
        for name in ("chunks", "marks"):
            other.tester.updateMapState(name, BUCKET, self.tester.peekMapState(name, BUCKET))
        return other


def test_packets_of_both_streams_meet_with_their_payload():
    joining = Joining("0 seconds")
    packets = joining.on_rows([4, 5], [5])
    assert [{"ts": 4, "text": "at 4"}, {"ts": 5, "text": "at 5"}] == [
        row["a"] for row in joining.output(packets, RESULTS)
    ]


def test_state_is_all_that_a_new_processor_needs():
    joining = Joining()
    joining.on_rows([4, 9], [5])
    other = joining.restarted()
    again = [each.pairs(each.on_rows([12], [9, 6, 13])) for each in (joining, other)]
    assert [[(4, 5), (4, 6), (9, 6), (9, 9)]] * 2 == again


def test_a_drain_joins_all_that_is_held_and_decides():
    joining = Joining("1 hour")
    joining.on_rows([4], [5])
    packets = joining.on_rows(control=(DRAIN,))
    assert ([(4, 5)], 1) == (joining.pairs(packets), len(joining.output(packets, DECISIONS)))


def test_an_unknown_control_record_is_reported_and_ignored():
    joining = Joining()
    decisions = joining.output(joining.on_rows([5], control=(b'{"kind": "dance"}',)), DECISIONS)
    assert ["ignored: dance"] == [row["stream"] for row in decisions]


def test_the_summary_counts_the_rows_of_all_streams_and_what_was_written():
    packets = Joining().on_rows([4, 9], [5])
    summary = packets[packets["kind"] == SUMMARY].iloc[0]
    assert (3, 0, 0, 3) == tuple(int(summary[name]) for name in ("arrived", "released", "late", "buffered"))
    assert summary["state_bytes"] > 500


def test_a_timer_lets_a_silent_stream_step_aside():
    joining = Joining(idle_after="1 second")
    joining.on_rows([4, 9, 11], [5], now=0)
    packets = [joining.tester.setProcessingTime(ms) for ms in (999, 1_000, 9_000)]
    assert [[], [(4, 5)], []] == [joining.pairs(each) for each in packets]


def test_rows_of_another_stream_do_not_renew_the_patience_with_a_silent_one():
    joining = Joining(idle_after="1 second")
    joining.on_rows([4, 9, 11], [5], now=0)
    joining.on_rows([10], now=SECOND // 2)
    assert [(4, 5)] == joining.pairs(joining.tester.setProcessingTime(1_000))


def test_rows_renew_the_patience_with_a_stream():
    joining = Joining(idle_after="1 second")
    joining.on_rows([4, 9, 11], [5], now=0)
    joining.on_rows([], [5], now=SECOND // 2)
    packets = [joining.tester.setProcessingTime(ms) for ms in (1_499, 1_500)]
    assert [[], [(4, 5), (4, 5)]] == [joining.pairs(each) for each in packets]


def test_state_of_another_plan_is_refused():
    joining = Joining()
    joining.on_rows([5])
    with pytest.raises(StateError, match=r"a within 3 seconds.*this query has.*a within 4 seconds"):
        joining.restarted(within="4 seconds").on_rows([6])


@pytest.mark.parametrize("lost", ["chunks", "marks"])
def test_lost_rows_are_an_error_not_a_loss(lost):
    joining = Joining()
    joining.on_rows([5])
    joining.tester.deleteState(lost, BUCKET)
    with pytest.raises(StateError, match="unreadable chunk 0"):
        joining.on_rows([9])


class Led(Joining):
    """The first of two buckets of a join that the driver decides for."""

    def __init__(self, scope: str = "global") -> None:
        streams = [
            sw.stream(schema.empty_table(), name=name, event_time="ts", unit="s", max_ahead=None)
            for name, schema in zip(("a", "b"), SCHEMAS, strict=True)
        ]
        contract = sw.Recall(0.9, over="1 minute")
        self.node = sw.join(*streams, within="3 seconds", contract=contract, buckets=2, scope=scope).node
        self.tester = TwsTester(JoinProcessor(self.node, SCHEMAS, Spread.of(self.node, SCHEMAS)))

    def slack_after(self, packets: pd.DataFrame) -> int:
        return int(packets.loc[packets["kind"] == SUMMARY, "slack"].iloc[0]) // SECOND


def told(slack: int, at: int) -> bytes:
    return json.dumps({"kind": "slack", "slack": slack * SECOND, "at": at * SECOND}).encode()


def test_a_bucket_follows_what_the_driver_decided_from_the_next_boundary_on():
    led = Led()
    led.on_rows([10], [10])
    assert [0, 7] == [led.slack_after(led.on_rows([at], [at], control=(told(7, 10),))) for at in (10, 11)]


def test_a_record_alone_is_remembered_without_a_run():
    led = Led()
    led.on_rows([10], [10])
    assert led.on_rows(control=(told(7, 10),)).empty
    assert 7 == led.slack_after(led.on_rows([12], [12]))


def test_of_several_records_the_one_that_was_decided_last_counts():
    led = Led()
    led.on_rows([10], [10], control=(told(7, 10), told(3, 8)))
    assert 7 == led.slack_after(led.on_rows([12], [12], control=(told(5, 9),)))


def test_a_bucket_reports_what_it_saw_to_the_driver():
    led = Led()
    packets = led.on_rows([10, 14], [10, 14])
    ((statistics, clock),) = read_reports(packets.loc[packets["kind"] == STATISTICS, "body"])
    assert (14 * SECOND, {14}) == (clock, set(statistics.interval.tolist()))


def test_a_bucket_that_decides_by_itself_reports_nothing():
    packets = Led("bucket").on_rows([10, 14], [10, 14])
    assert 0 == (packets["kind"] == STATISTICS).sum()


def test_a_slack_that_nobody_follows_is_reported_as_ignored():
    bucket = Led("bucket")
    decisions = bucket.output(bucket.on_rows([5], control=(told(7, 10),)), DECISIONS)
    assert ["ignored: slack"] == [row["stream"] for row in decisions]


@pytest.mark.parametrize("body", [b'{"kind": "slack"}', b'{"kind": "slack", "slack": -1, "at": 0}'])
def test_a_slack_that_makes_no_sense_is_reported_as_ignored(body):
    led = Led()
    decisions = led.output(led.on_rows([5], control=(body,)), DECISIONS)
    assert ["ignored: unreadable"] == [row["stream"] for row in decisions]
