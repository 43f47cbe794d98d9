"""Rows put into topics, and read from them, without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def put(servers: str, topic: str, values: Iterable[Any], **options: Any) -> None:
    """Append values, as JSON unless they are bytes; options are those of `produce`."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": servers, "log_level": 3})
    for value in values:
        producer.produce(topic, value if isinstance(value, bytes) else json.dumps(value).encode(), **options)
    producer.flush(30)


def committed(servers: str, topic: str) -> list[Any]:
    """Return the values of all rows whose transaction was committed, partition by partition."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    settings = {"bootstrap.servers": servers, "group.id": "look", "isolation.level": "read_committed"}
    consumer = Consumer({**settings, "enable.partition.eof": True, "enable.auto.commit": False, "log_level": 3})
    try:
        partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        values, ends = [], 0
        while ends < len(partitions):
            for message in consumer.consume(10_000, timeout=1):
                if message.error() is None:
                    values.append(json.loads(message.value()))
                else:
                    ends += 1
        return values
    finally:
        consumer.close()
