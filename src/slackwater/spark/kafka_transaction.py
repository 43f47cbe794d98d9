"""Writes a batch to a topic once: its rows and its number are one transaction of Kafka's.

The number of the batch is kept as the committed offset of a consumer group that belongs to the writer alone: Kafka
commits offsets and rows together or not at all. Whoever repeats a batch first ends what a dead writer left open, then
reads that number, and writes only if it is not past the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer, TopicPartition

WRITTEN = pa.schema([("written", pa.int64())])
_AT_ONCE = 10_000  # rows handed to the client together
_MOST_WAITING = 500_000  # rows in the client's own queue
_PATIENCE = 60.0  # seconds for each step that waits for the broker

_GOOD: Mapping[str, Any] = {
    "compression.type": "lz4",
    "linger.ms": 20,
    "queue.buffering.max.messages": _MOST_WAITING,
    "transaction.timeout.ms": 600_000,  # a restart ends what was left open much sooner
    "partitioner": "murmur2_random",  # as clients in Java place keys
    "log_level": 3,
}


@dataclass(frozen=True)
class Transaction:
    """One batch of one writer.

    Args:
        writer: the same in every run that goes on from one checkpoint, and of no other.
        topic: where rows go.
        batch: its number.
        settings: of the client, in the words of librdkafka.
    """

    writer: str
    topic: str
    batch: int
    settings: Mapping[str, Any]

    def write(self, tables: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write rows with columns `key` and `value`, unless the batch was written; yield how many were."""
        from confluent_kafka import Consumer, Producer, TopicPartition

        consumer = Consumer({**self.settings, "group.id": self.writer, "enable.auto.commit": False, "log_level": 3})
        try:
            producer = Producer({**_GOOD, **self.settings, "transactional.id": self.writer})
            producer.init_transactions(_PATIENCE)  # fences a writer that still lives, ends what a dead one began
            place = TopicPartition(self.topic, 0)
            written = 0
            if consumer.committed([place], timeout=_PATIENCE)[0].offset <= self.batch:
                written = self._write(producer, consumer, tables, TopicPartition(self.topic, 0, self.batch + 1))
            yield pa.record_batch({"written": [written]}, schema=WRITTEN)
        finally:
            consumer.close()

    def _write(
        self, producer: Producer, consumer: Consumer, tables: Iterator[pa.RecordBatch], next_batch: TopicPartition
    ) -> int:
        producer.begin_transaction()
        try:
            written = sum(_produce(producer, self.topic, table) for table in tables)
            producer.send_offsets_to_transaction([next_batch], consumer.consumer_group_metadata(), _PATIENCE)
            producer.commit_transaction()  # waits for all rows, and fails if one of them did
        except BaseException:
            producer.abort_transaction(_PATIENCE)
            raise
        return written


def _produce(producer: Producer, topic: str, table: pa.RecordBatch) -> int:
    """Hand rows to the client, some thousands at a time; wait for room where there is none."""
    for start in range(0, table.num_rows, _AT_ONCE):
        left = table.slice(start, _AT_ONCE).to_pylist()
        while len(producer) > _MOST_WAITING - _AT_ONCE:
            producer.poll(0.05)
        while producer.produce_batch(topic, left) < len(left):  # of huge rows fewer have room
            left = _refused(left)
            producer.poll(0.05)
        producer.poll(0)
    return table.num_rows


def _refused(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows for which there was no room.

    Raises:
        KafkaException: one was refused for another reason, such as its size.
    """
    from confluent_kafka import KafkaError, KafkaException

    refused = [row for row in rows if "_error" in row]
    for row in refused:
        error = row.pop("_error")
        if error.code() != KafkaError._QUEUE_FULL:
            raise KafkaException(error)
    return refused
