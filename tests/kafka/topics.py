"""Rows put into topics, and read from them, without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition


def put(servers: str, topic: str, values: Iterable[Any], **options: Any) -> None:
    """Append values, as JSON unless they are bytes; options are those of `produce`."""
    producer = Producer({"bootstrap.servers": servers, "log_level": 3})
    for value in values:
        producer.produce(topic, value if isinstance(value, bytes) else json.dumps(value).encode(), **options)
    producer.flush(30)


def committed(servers: str, topic: str) -> list[Any]:
    """Return the values of all rows whose transaction was committed, partition by partition."""
    return [json.loads(value) for value in _committed(servers, topic)]


def save_committed(servers: str, topic: str, path: Path) -> None:
    """Write the values of all rows whose transaction was committed, one a line."""
    with path.open("wb") as file:
        file.writelines(value + b"\n" for value in _committed(servers, topic))


def ends(servers: str, topic: str) -> int:
    """Return the sum of the offsets after the last row of each partition, whatever became of its transaction."""
    with closing(_consumer(servers, "read_uncommitted")) as consumer:
        partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
        return sum(consumer.get_watermark_offsets(TopicPartition(topic, each))[1] for each in partitions)


def _committed(servers: str, topic: str) -> Iterator[bytes]:
    with closing(_consumer(servers)) as consumer:
        partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        ended = 0
        while ended < len(partitions):
            for message in consumer.consume(10_000, timeout=1):
                if message.error() is None:
                    yield message.value()
                else:
                    ended += 1


def _consumer(servers: str, isolation: str = "read_committed") -> Consumer:
    settings = {"bootstrap.servers": servers, "group.id": "look", "isolation.level": isolation}
    return Consumer({**settings, "enable.partition.eof": True, "enable.auto.commit": False, "log_level": 3})
