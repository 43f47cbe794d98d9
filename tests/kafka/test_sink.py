"""What is written to a topic: each batch once, whatever happens to its writer."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.spark.kafka_transaction import Transaction
from tests.kafka.topics import committed, ends, put

ROOT = Path(__file__).parent.parent.parent


def rows_of(*values: str):
    return iter([pa.record_batch({"key": [None] * len(values), "value": [f'"{value}"' for value in values]})])


def written(transaction: Transaction, *values: str) -> int:
    return next(transaction.write(rows_of(*values)))["written"][0].as_py()


def of(broker, topic: str, batch: int, *, writer: str | None = None) -> Transaction:
    return Transaction(writer or f"w-{topic}", topic, batch, {"bootstrap.servers": broker.servers})


def test_a_batch_that_is_repeated_is_written_once(broker, topic):
    name = topic()
    assert [2, 0] == [written(of(broker, name, 0), "a", "b") for _ in range(2)]
    assert [1, 0] == [written(of(broker, name, 7), "c") for _ in range(2)]
    assert ["a", "b", "c"] == committed(broker.servers, name)


def test_what_a_writer_left_open_is_not_seen_and_does_not_count(broker, topic):
    name = topic()

    def dies():
        yield next(rows_of("lost"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(of(broker, name, 0).write(dies()))
    assert 1 == written(of(broker, name, 0), "a")
    assert ["a"] == committed(broker.servers, name)


def test_rows_of_a_writer_that_was_killed_within_a_batch_are_not_seen(broker, topic):
    name = topic()
    command = [sys.executable, "-m", "tests.kafka.dying_writer", broker.servers, name, f"w-{name}"]
    assert -signal.SIGKILL == subprocess.run(command, cwd=ROOT, timeout=120, check=False).returncode
    assert 1 == ends(broker.servers, name)
    assert 1 == written(of(broker, name, 0), "a")
    assert ["a"] == committed(broker.servers, name)


def test_another_writer_has_batches_of_its_own(broker, topic):
    name = topic()
    assert [1, 1] == [written(of(broker, name, 0, writer=f"{name}-{n}"), "a") for n in range(2)]


def test_a_row_that_kafka_refuses_fails_the_batch_as_a_whole(broker, topic):
    from confluent_kafka import KafkaException

    name = topic()
    with pytest.raises(KafkaException, match="MSG_SIZE_TOO_LARGE"):
        written(of(broker, name, 0), "a", "b" * 2_000_000)
    assert [] == committed(broker.servers, name)


def test_a_query_writes_its_results_and_goes_on_from_its_checkpoint(spark, broker, topic, tmp_path):
    source, sink = topic(), topic(partitions=2)

    def run(*seconds: int) -> None:
        put(broker.servers, source, [{"ts": second} for second in seconds])
        frame = sw.from_kafka(spark, broker.servers, source, columns="ts BIGINT", arrival="offset", starting="earliest")
        bus = sw.stream(frame.select("ts", "arrival"), event_time="ts", unit="s", arrival="arrival")
        query = sw.reorder(bus, contract=sw.FixedSlack("2 seconds")).start(
            results=sw.to_kafka(broker.servers, sink, key="ts"),
            checkpoint=tmp_path / "checkpoint",
            trigger={"availableNow": True},
        )
        query.awaitTermination()

    run(1, 3, 2, 5)
    run(4, 9)
    assert [1, 2, 3, 4, 5] == sorted(row["ts"] for row in committed(broker.servers, sink))


def test_a_sink_that_cannot_be_written_is_refused_before_the_query_starts(spark, broker, topic, tmp_path):
    name = topic()
    frame = sw.from_kafka(spark, broker.servers, name, time="timestamp")
    ordered = sw.reorder(sw.stream(frame, event_time="event_time"), contract=sw.NoSlack())
    refused = [
        ({"results": sw.to_kafka(broker.servers, name[:-1])}, f"did you mean {name}"),
        ({"results": sw.to_kafka("127.0.0.1:1", name)}, "answers within 10 seconds"),
    ]
    for outputs, said in refused:
        with pytest.raises(sw.SlackwaterError, match=said):
            ordered.start(**outputs, checkpoint=tmp_path / "checkpoint")
