"""What is read from a topic: payload, event time, arrival, and what cannot be read."""

from __future__ import annotations

import time

import pytest

import slackwater as sw
from slackwater.errors import ColumnError
from tests.kafka.topics import put

COLUMNS = "ts TIMESTAMP, area STRING"
NORTH = {"ts": "2024-05-01T08:00:00Z", "area": "north"}


def read(spark, tmp_path, frame) -> list[dict]:
    """Return what there is, as dicts."""
    rows: list[dict] = []
    query = (
        frame.writeStream.foreachBatch(lambda batch, _: rows.extend(row.asDict() for row in batch.collect()))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert query.exception() is None
    return rows


def from_start(spark, broker, topic, **options):
    return sw.from_kafka(spark, broker.servers, topic, starting="earliest", **options)


def test_the_payload_becomes_columns_and_what_cannot_be_read_is_kept(spark, broker, topic, tmp_path):
    name = topic()
    put(broker.servers, name, [NORTH, b"{not json", {"ts": "yesterday", "area": "south"}])
    rows = sorted(
        read(spark, tmp_path, from_start(spark, broker, name, columns=COLUMNS)), key=lambda row: row["offset"]
    )
    assert [("north", True), (None, False), ("south", False)] == [(row["area"], row["ts"] is not None) for row in rows]
    assert [None, "{not json", '{"ts": "yesterday", "area": "south"}'] == [row["malformed"] for row in rows]


def test_a_header_has_the_event_time_as_milliseconds_or_as_text(spark, broker, topic, tmp_path):
    name = topic()
    for sent in (b"1714550400000", b"2024-05-01T08:00:00Z", b"soon", b"99999999999999999999", None):
        put(broker.servers, name, [NORTH], headers=[] if sent is None else [("sent", b"1"), ("sent", sent)])
    frame = from_start(spark, broker, name, columns=COLUMNS, time="header:sent")
    rows = sorted(read(spark, tmp_path, frame.selectExpr("offset", "unix_millis(event_time) AS ms")), key=str)
    assert [1714550400000, 1714550400000, None, None, None] == [row["ms"] for row in rows]


def test_arrival_follows_the_broker_over_partitions_and_topics(spark, broker, topic, tmp_path):
    names = [topic(partitions=2, message__timestamp__type="LogAppendTime") for _ in range(2)]
    for number in range(8):
        put(broker.servers, names[number // 2 % 2], [{"area": str(number)}], partition=number % 2)
        time.sleep(0.003)  # the broker stamps milliseconds: this makes them differ
    frame = from_start(spark, broker, ",".join(names), columns="area STRING", arrival="append_time")
    rows = sorted(read(spark, tmp_path, frame), key=lambda row: row["arrival"])
    assert [str(number) for number in range(8)] == [row["area"] for row in rows]


def test_rows_that_cannot_be_read_go_to_late_with_the_reason(spark, broker, topic, tmp_path):
    name = topic()
    put(broker.servers, name, [NORTH, b"\xff\x00", {"ts": "2024-05-01T08:01:00Z", "area": "south"}])
    bus = sw.stream(
        from_start(spark, broker, name, columns=COLUMNS, arrival="offset"), event_time="ts", arrival="arrival"
    )
    query = sw.reorder(bus, contract=sw.NoSlack()).start(
        results=tmp_path / "results",
        late=tmp_path / "late",
        checkpoint=tmp_path / "checkpoint",
        trigger={"availableNow": True},
    )
    query.awaitTermination()
    late = spark.read.parquet(str(tmp_path / "late")).collect()
    assert [("null_time", 1)] == [(row.reason, row.offset) for row in late]
    assert 2 == spark.read.parquet(str(tmp_path / "results")).count()


def test_a_broker_that_is_not_there_is_an_error_within_seconds(spark):
    before = time.monotonic()
    with pytest.raises(sw.SlackwaterError, match="servers must be brokers of which one answers within 10 seconds"):
        sw.from_kafka(spark, "127.0.0.1:1", "bus")
    assert time.monotonic() - before < 30


def test_a_topic_that_is_not_there_is_an_error_with_a_suggestion(spark, broker, topic):
    name = topic()
    with pytest.raises(sw.SlackwaterError, match=f"topic must be a topic of .*did you mean {name}"):
        sw.from_kafka(spark, broker.servers, name[:-1])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"arrival": "append_time"}, "message.timestamp.type=LogAppendTime"),
        ({"arrival": "offset"}, "one topic of one partition"),
        ({"arrival": "sequence"}, 'be "append_time" or "offset"'),
        ({"time": "sent"}, 'be "header:NAME" or "timestamp"'),
        ({"columns": "ts TIEMSTAMP"}, "columns must be names and types"),
    ],
)
def test_what_a_topic_cannot_say_is_refused_with_what_to_do(spark, broker, topic, asked, said):
    with pytest.raises(sw.SlackwaterError, match=said):
        sw.from_kafka(spark, broker.servers, topic(partitions=2), **asked)


def test_a_payload_must_not_have_the_names_of_the_columns_of_kafka(spark, broker, topic):
    with pytest.raises(ColumnError, match="'offset' has the name of a column of Kafka's"):
        sw.from_kafka(spark, broker.servers, topic(), columns="offset INT")
