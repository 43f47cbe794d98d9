"""A contract that changes while a query runs, through a control record. No session is started."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.streaming.tws_tester import TwsTester

import slackwater as sw
from slackwater.contracts import Contract
from slackwater.plan.contract_text import parse_contract
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, REPORT, RESULTS, SUMMARY
from slackwater.spark.control_stream import read_record
from slackwater.spark.pace import Pace
from slackwater.spark.packets import CONTROL, ROWS, from_bytes, to_bytes
from slackwater.spark.processor import AggregateProcessor, JoinProcessor, MergeProcessor
from slackwater.spark.ruling import Ruling
from slackwater.time import Duration
from tests.transcripts.runners import BUCKET, Bucket

SCHEMA = pa.schema([("ts", pa.int64())])
STREAM = StreamNode(name="bus", event_time="ts", unit="s")
SECOND = 1_000_000


def asks(text: object, sent: int = 0) -> bytes:
    return json.dumps({"kind": "contract", "contract": text, "sent": sent}).encode()


def bucket_of(contract: Contract) -> Bucket:
    return Bucket(ReorderNode(stream=STREAM, contract=contract), SCHEMA)


def rows(*times: int) -> pa.Table:
    return pa.table({"ts": pa.array(times, pa.int64())})


def slack_after(packets: pd.DataFrame) -> int:
    return int(packets.loc[packets["kind"] == SUMMARY, "slack"].iloc[0])


def said(bucket: Bucket, packets: pd.DataFrame) -> list[str]:
    decisions = bucket.output(packets, DECISIONS).to_pylist()
    return [row["stream"] for row in decisions if row["operator"] == "control"]


def test_a_contract_rules_from_the_batch_on_that_brings_it():
    bucket = bucket_of(sw.FixedSlack("5 seconds"))
    bucket.on_tables(rows(10))
    packets = bucket.on_tables(rows(11), control=(asks("fixed 1 second"),))
    assert ([10], SECOND) == (bucket.output(packets, RESULTS)["ts"].to_pylist(), slack_after(packets))


def test_a_contract_that_comes_without_rows_rules_when_some_come():
    bucket = bucket_of(sw.FixedSlack("5 seconds"))
    bucket.on_tables(rows(10))
    bucket.on_tables(control=(asks("fixed 1 second"),))
    assert SECOND == slack_after(bucket.on_tables(rows(11)))


def test_a_change_outlives_a_restart():
    bucket = bucket_of(sw.FixedSlack("5 seconds"))
    bucket.on_tables(rows(10), control=(asks("fixed 1 second"),))
    again = bucket.restarted(ReorderNode(stream=STREAM, contract=sw.FixedSlack("5 seconds")))
    assert [SECOND, SECOND] == [slack_after(again.on_tables(rows(at))) for at in (11, 12)]


def test_a_plan_that_is_given_another_contract_overrules_a_change():
    bucket = bucket_of(sw.FixedSlack("5 seconds"))
    bucket.on_tables(rows(10), control=(asks("fixed 1 second"),))
    again = bucket.restarted(ReorderNode(stream=STREAM, contract=sw.FixedSlack("7 seconds")))
    assert 7 * SECOND == slack_after(again.on_tables(rows(11)))


def test_decisions_show_the_contract_before_and_after():
    bucket = bucket_of(sw.DropRatio(0.01, over="2 minutes"))
    packets = bucket.on_tables(rows(10), control=(asks("drop 5%"),))
    assert ["contract: drop 0.01 over 2 minutes -> drop 0.05 over 2 minutes"] == said(bucket, packets)


def test_decisions_after_a_change_have_its_target():
    bucket = bucket_of(sw.DropRatio(0.01))
    bucket.on_tables(rows(10), control=(asks("drop 5%"),))
    decisions = bucket.output(bucket.on_tables(rows(13)), DECISIONS).to_pylist()
    assert [0.05] == [row["target"] for row in decisions]


@pytest.mark.parametrize(("text", "measure"), [("drop 5%", "drop_ratio"), ("fixed 1 second", "none")])
def test_progress_reports_after_a_change_say_what_its_target_is_about(text, measure):
    bucket = bucket_of(sw.FixedSlack("5 seconds"))
    packets = bucket.on_tables(rows(10), control=(asks(text),))
    assert [measure] == packets.loc[packets["kind"] == SUMMARY, "measure"].tolist()


def test_the_driver_hears_of_a_change():
    bucket = bucket_of(sw.FixedSlack("5 seconds"))
    packets = bucket.on_tables(control=(asks("fixed 1 second"),))
    (body,) = packets.loc[packets["kind"] == REPORT, "body"]
    assert ["FixedSlack('5 seconds')", "fixed 1 second"] == json.loads(body)["contract"]


def test_of_several_contracts_in_a_batch_the_one_that_was_sent_last_rules():
    bucket = bucket_of(sw.NoSlack())
    records = (asks("fixed 3 seconds", sent=7), asks("fixed 2 seconds", sent=5))
    packets = bucket.on_tables(rows(10), control=records)
    assert (3 * SECOND, 2) == (slack_after(packets), len(said(bucket, packets)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("recall 1.5", "target must be > 0 and <= 1"),
        ("dance", "contract must begin with one of"),
        ("error 3%", "contract must be one that a reorder can keep"),
        ("deadline 5 seconds", "contract must have a deadline where that of the query has one"),
        ("", "contract must begin with one of"),
        ("drop 1% over 0 seconds", "adaptation_interval must be > 0"),
        ("fixed 99999999999999999999 days", "fixed must be"),
    ],
)
def test_a_contract_that_cannot_be_kept_is_refused_and_nothing_stops(text, why):
    bucket = bucket_of(sw.FixedSlack("2 seconds"))
    packets = bucket.on_tables(rows(10), control=(asks(text),))
    (words,) = said(bucket, packets)
    assert (True, 2 * SECOND) == (words.startswith(f"refused: contract {text!r}: {why}"), slack_after(packets))


UNUSABLE = (asks(5), asks("x" * 501), b'{"kind": "contract"}', asks("max", sent="now"), asks("max \ud800"))


@pytest.mark.parametrize("body", UNUSABLE)
def test_a_record_without_a_usable_text_is_unreadable(body):
    assert "unreadable" == read_record(body).kind


WORDS = "recall drop error deadline fixed max none over every cap by of latency confidence & 0.9 1e999 nan -1 5% 1 s"
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS.split()), st.text(max_size=6)), max_size=9).map(" ".join)


@given(TEXTS)
def test_no_text_stops_a_query(text):
    changed = Ruling(ReorderNode(stream=STREAM, contract=sw.MaxSlack()), [SCHEMA]).change(None, text)
    assert (changed.after is None) == bool(changed.why)


def test_what_was_learned_is_kept_where_only_the_target_changes():
    delayed = (10, 12, 9, 20, 18, 30, 27, 40, 38, 50, 55, 53, 60)
    bucket = bucket_of(sw.DropRatio(0.01, over="20 seconds"))
    for at in delayed:
        bucket.on_tables(rows(at))
    before = bucket.saved().pipeline["controller"]
    bucket.on_tables(control=(asks("drop 2%"),))
    bucket.on_tables(rows(60))
    after = bucket.saved().pipeline["controller"]
    assert [before[name] for name in ("memories", "longest")] == [after[name] for name in ("memories", "longest")]


class Called:
    """One bucket of a processor over one or two streams, called as Spark would call it."""

    def __init__(self, node, processor, streams: int) -> None:
        self.streams = streams
        self.tester = TwsTester(processor, timeMode="None")

    def on_rows(self, tables: list[pa.Table], control: tuple[bytes, ...] = ()) -> pd.DataFrame:
        packets = [(ROWS, stream, stream, 0, to_bytes(table)) for stream, table in enumerate(tables) if len(table)]
        packets += [(CONTROL, -1, -1, 0, body) for body in control]
        frame = pd.DataFrame(packets, columns=["kind", "stream", "source", "position", "body"])
        return self.tester.testInPandas(BUCKET, frame.assign(bucket=BUCKET, processing_time=0))


def aggregate(contract: str) -> Called:
    bus = sw.stream(SCHEMA.empty_table(), name="bus", event_time="ts", unit="ms", max_ahead=None)
    node = sw.aggregate(bus, size="2 seconds", values={"n": sw.count()}, contract=parse_contract(contract)).node
    return Called(node, AggregateProcessor(node, SCHEMA), 1)


def nested(contract: str) -> Called:
    bus = sw.stream(SCHEMA.empty_table(), name="bus", event_time="ts", unit="ms", max_ahead=None)
    inner = sw.aggregate(bus, size="1 second", values={"n": sw.count()}, contract=parse_contract(contract))
    node = sw.aggregate(inner, size="4 seconds", values={"most": sw.max("n")}).node
    return Called(node, AggregateProcessor(node, SCHEMA), 1)


def join(contract: str) -> Called:
    streams = [
        sw.stream(SCHEMA.empty_table(), name=name, event_time="ts", unit="ms", max_ahead=None) for name in ("a", "b")
    ]
    node = sw.join(*streams, within="200 ms", contract=parse_contract(contract)).node
    return Called(node, JoinProcessor(node, [SCHEMA] * 2, Spread.of(node, [SCHEMA] * 2)), 2)


def merge(contract: str, *, is_shared: bool = False) -> Called:
    streams = [
        sw.stream(SCHEMA.empty_table(), name=name, event_time="ts", unit="ms", max_ahead=None) for name in ("a", "b")
    ]
    node = sw.merge(*streams, contract=parse_contract(contract)).node
    processor = MergeProcessor(node, [SCHEMA] * 2, Spread(1, ((),) * 2))
    processor.ruling = replace(processor.ruling, is_shared=is_shared)
    return Called(node, processor, 2)


COMMON = ("drop 0.05 over 5 seconds", "drop 0.2 over 9 seconds", "fixed 1 second", "max", "none", "max cap 300 ms")
PLANS = {
    "aggregate": (aggregate, (*COMMON, "error 0.1 confidence 0.9")),
    "nested": (nested, (*COMMON[:3], "error 0.1 confidence 0.9")),
    "join": (join, (*COMMON, "recall 0.9 over 5 seconds", "recall 0.9 over 5 seconds by model-search")),
    "merge": (merge, COMMON),
}


def disordered(seed: int, batch: int) -> pa.Table:
    random = np.random.default_rng([seed, batch])
    times = 3_000 * batch + np.arange(60) * 50 - random.exponential(300, 60).astype(np.int64)
    return pa.table({"ts": np.maximum(times, 0)})


@pytest.mark.parametrize("plan", PLANS)
def test_any_contract_may_follow_any_other_that_the_operator_can_keep(plan):
    made, contracts = PLANS[plan]
    for before, after in permutations(contracts, 2):
        called = made(before)
        for batch in range(6):
            control = (asks(after),) if batch == 3 else ()
            packets = called.on_rows([disordered(stream, batch) for stream in range(called.streams)], control)
            words = [row["stream"] for row in decided(packets) if row["operator"] == "control"]
            assert [f"contract: {before} -> {after}"][: len(control)] == words


def decided(packets: pd.DataFrame) -> list[dict]:
    bodies = packets.loc[packets["kind"] == DECISIONS, "body"]
    return [row for body in bodies for row in from_bytes(body).to_pylist()]


def test_of_queries_that_share_a_deadline_none_takes_another_contract():
    called = merge("drop 0.05 over 5 seconds", is_shared=True)
    (words,) = [row["stream"] for row in decided(called.on_rows([rows(1)], (asks("drop 0.1"),)))]
    assert words.startswith("refused: contract 'drop 0.1': contract must stay as it is where several queries share")


@pytest.mark.parametrize("made", [aggregate, merge])
def test_a_recall_is_refused_where_nothing_is_joined(made):
    packets = made("drop 0.05 over 5 seconds").on_rows([rows(1)], (asks("recall 0.9"),))
    (words,) = [row["stream"] for row in decided(packets)]
    assert words.startswith("refused: contract 'recall 0.9': contract must be")


def test_a_bound_on_values_that_there_are_not_is_refused():
    packets = aggregate("max").on_rows([rows(1)], (asks("error 3% of speed"),))
    (words,) = [row["stream"] for row in decided(packets)]
    assert "of must be a value of the aggregate that is a number, got 'speed'" in words


def streams_node(contract: Contract):
    streams = [sw.stream(SCHEMA.empty_table(), name=name, event_time="ts", unit="ms") for name in ("a", "b")]
    return sw.merge(*streams, contract=contract).node


def test_another_deadline_leaves_less_where_batches_are_apart():
    ruling = Ruling(streams_node(sw.Deadline("6 seconds")), [SCHEMA] * 2, Pace(Duration.of("1 second")))
    node = ruling.node(ruling.kept("deadline 9 seconds"))
    assert ["8 seconds", "8 seconds"] == [str(stream.idle_after) for stream in node.streams]


def test_a_deadline_that_batches_cannot_keep_is_refused():
    ruling = Ruling(streams_node(sw.Deadline("6 seconds")), [SCHEMA] * 2, Pace(Duration.of("3 seconds")))
    assert "limit must be more than 3 seconds between two batches" in ruling.change(None, "deadline 2 seconds").why


def test_a_contract_that_needs_timers_is_refused_where_there_are_none():
    given = streams_node(sw.Deadline("6 seconds") & sw.DropRatio(0.01))  # the deadline does not rule, so it needs none
    ruling = Ruling(given, [SCHEMA] * 2, timers=False)
    assert "contract must need no timers" in ruling.change(None, "drop 1% & deadline 2 seconds").why


def test_a_patience_of_the_user_stays_whatever_the_contract():
    given = streams_node(sw.Deadline("6 seconds"))
    given = replace(given, streams=tuple(replace(each, idle_after=Duration(5)) for each in given.streams))
    node = (ruling := Ruling(given, [SCHEMA] * 2)).node(ruling.kept("deadline 9 seconds"))
    assert {Duration(5)} == {stream.idle_after for stream in node.streams}
