"""A merge under a deadline, its processor under TwsTester: what it keeps, silent streams, a slack from outside."""

from __future__ import annotations

import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.plan.nodes import patient
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE
from slackwater.spark.control_stream import read_record, send
from slackwater.spark.packets import from_bytes
from slackwater.spark.processor import MergeProcessor
from tests.spark.test_join_processor import SCHEMAS
from tests.spark.test_merge_processor import Merging
from tests.transcripts.runners import BUCKET

TOLD = b'{"kind": "slack", "slack": 1000000, "at": 9000000}'


class Gated(Merging):
    """The bucket of a merge of two streams under a deadline."""

    def __init__(self, limit: str = "3 seconds") -> None:
        streams = [
            sw.stream(schema.empty_table(), name=name, event_time="ts", unit="s", max_ahead=None)
            for name, schema in zip(("a", "b"), SCHEMAS, strict=True)
        ]
        self.node = patient(sw.merge(*streams, contract=sw.Deadline(limit)).node)
        processor = MergeProcessor(self.node, SCHEMAS, Spread(1, ((), ())))
        self.tester = TwsTester(processor, timeMode="ProcessingTime")

    def restarted(self, **options) -> Gated:
        other = Gated(**options)
        other.tester.updateValueState("meta", BUCKET, self.tester.peekValueState("meta", BUCKET))
        for name in ("chunks", "marks"):
            other.tester.updateMapState(name, BUCKET, self.tester.peekMapState(name, BUCKET))
        return other

    def slacks(self, packets) -> list[int]:
        bodies = packets.loc[packets["kind"] == DECISIONS, "body"]
        return [slack for body in bodies for slack in from_bytes(body)["slack"].to_pylist()]


def test_a_row_leaves_once_the_fastest_stream_is_more_than_the_deadline_ahead():
    gated = Gated()
    packets = [gated.on_rows([4, 5], [4]), gated.on_rows([8]), gated.on_rows([9]), gated.on_rows([], [4])]
    assert [[("a", 4), ("b", 4)], [], [("a", 5)], []] == [gated.rows(each) for each in packets]
    assert [("b", 4)] == gated.rows(packets[-1], LATE)


def test_state_is_all_that_a_new_processor_needs():
    gated = Gated()
    gated.on_rows([4, 9, 7], [5])
    other = gated.restarted()
    again = [each.rows(each.on_rows([12], [6, 9])) for each in (gated, other)]
    assert again[0]
    assert again[0] == again[1]


def test_without_new_rows_nothing_is_held_for_longer_than_the_deadline_leaves():
    gated = Gated()
    gated.on_rows([4, 5, 6], [5], now=0)
    packets = [gated.tester.setProcessingTime(ms) for ms in (2_999, 3_000)]
    assert [[], [("a", 6)]] == [gated.rows(each) for each in packets]


def test_a_slack_from_outside_is_followed_from_the_next_decision_on():
    gated = Gated()
    gated.on_rows([4, 8], [4])
    packets = [gated.on_rows([9], control=(TOLD,)), gated.on_rows([10]), gated.on_rows([11])]
    assert [[3_000_000], [1_000_000], [1_000_000]] == [gated.slacks(each) for each in packets]
    assert [[], [("a", 8)], [("a", 9)]] == [gated.rows(each) for each in packets]


def test_a_slack_from_outside_holds_for_a_minute_of_event_time():
    gated = Gated()
    gated.on_rows([4, 8], [4], control=(TOLD,))
    slacks = [gated.slacks(gated.on_rows([time])) for time in (9, 68, 69, 70)]
    assert [[3_000_000], [1_000_000], [1_000_000], [3_000_000]] == slacks


def test_a_slack_is_sent_as_it_is_read(tmp_path):
    send(tmp_path, "slack", slack="1 second", at=9_000_000)
    (found,) = tmp_path.glob("*.json")
    assert read_record(TOLD) == read_record(found.read_bytes())


def test_a_slack_without_its_time_is_refused(tmp_path):
    with pytest.raises(ParameterError, match='kind must have slack= and at= if it is "slack"'):
        send(tmp_path, "slack", slack="1 second")
