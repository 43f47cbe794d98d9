"""The merge's processor under TwsTester: what it keeps, and streams that fall silent."""

from __future__ import annotations

import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.pipeline.merged_rows import late_merge_schema, merged_schema
from slackwater.spark.buckets import Spread
from slackwater.spark.call import LATE, RESULTS
from slackwater.spark.packets import from_bytes
from slackwater.spark.processor import MergeProcessor
from tests.spark.test_join_processor import SCHEMAS, Joining
from tests.transcripts.runners import BUCKET, DRAIN


class Merging(Joining):
    """The bucket of a merge of two streams, called as Spark would call it, with its state in memory."""

    def __init__(self, slack: str = "2 seconds", *, idle_after: str | None = None) -> None:
        streams = [
            sw.stream(schema.empty_table(), name=name, event_time="ts", unit="s", max_ahead=None, idle_after=after)
            for name, schema, after in zip(("a", "b"), SCHEMAS, (None, idle_after), strict=True)
        ]
        self.node = sw.merge(*streams, contract=sw.FixedSlack(slack)).node
        processor = MergeProcessor(self.node, SCHEMAS, Spread(1, ((), ())))
        self.tester = TwsTester(processor, timeMode="ProcessingTime" if idle_after else "None")

    def restarted(self, **options) -> Merging:
        """Return a bucket that has nothing but the state of this one."""
        other = Merging(**options)
        other.tester.updateValueState("meta", BUCKET, self.tester.peekValueState("meta", BUCKET))
        for name in ("chunks", "marks"):
            other.tester.updateMapState(name, BUCKET, self.tester.peekMapState(name, BUCKET))
        return other

    def rows(self, packets, kind=RESULTS) -> list[tuple[str, int]]:
        """Return (stream, time) of what left, or was late; every packet has the columns of its output."""
        schema = {RESULTS: merged_schema, LATE: late_merge_schema}[kind](self.node, SCHEMAS)
        bodies = [] if packets.empty else packets.loc[packets["kind"] == kind, "body"]
        tables = [from_bytes(body).cast(schema) for body in bodies]
        return [(row["stream"], row[row["stream"]]["ts"]) for table in tables for row in table.to_pylist()]


def test_rows_leave_once_every_stream_is_past_them():
    merging = Merging("0 seconds")
    packets = [merging.on_rows([4, 9], []), merging.on_rows([], [5]), merging.on_rows([9], [9, 12])]
    assert [[], [("a", 4), ("b", 5)], [("a", 9), ("a", 9)]] == [merging.rows(each) for each in packets]


@pytest.mark.parametrize("batches", [1, 2])
def test_state_is_all_that_a_new_processor_needs(batches):
    merging = Merging()
    for batch in [([4, 9], [5]), ([12, 7], [9])][:batches]:
        merging.on_rows(*batch)
    other = merging.restarted()
    packets = [each.on_rows([14, 3], [5, 13], control=(DRAIN,)) for each in (merging, other)]
    assert merging.rows(packets[0])
    for kind in (RESULTS, LATE):
        assert merging.rows(packets[0], kind) == other.rows(packets[1], kind)


def test_the_stream_that_left_last_is_remembered_for_rows_of_the_same_time():
    merging = Merging("0 seconds")
    merging.on_rows([5], [4])
    packets = merging.restarted(slack="0 seconds").on_rows([4], [])
    assert [("a", 4)] == merging.rows(packets, LATE)


def test_a_timer_lets_a_silent_stream_step_aside():
    merging = Merging(idle_after="1 second")
    merging.on_rows([4, 9, 11], [5], now=0)
    packets = [merging.tester.setProcessingTime(ms) for ms in (999, 1_000, 9_000)]
    assert [[], [("a", 4), ("b", 5), ("a", 9)], []] == [merging.rows(each) for each in packets]
