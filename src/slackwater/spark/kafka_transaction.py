"""Writes a batch to a topic once: its rows and its number are one transaction of Kafka's.

The number of the batch is kept as the committed offset of a consumer group that belongs to the writer alone: Kafka
commits offsets and rows together or not at all. Whoever repeats a batch first ends what a dead writer left open, then
reads that number, and writes only if it is not past the batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer, TopicPartition

_T = TypeVar("_T")
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

# Offsets of a transaction that is not finished are unstable: they are waited for, not passed over.
_READER: Mapping[str, Any] = {"enable.auto.commit": False, "isolation.level": "read_committed", "log_level": 3}


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

        consumer = Consumer({**self.settings, **_READER, "group.id": self.writer})
        try:
            producer = Producer({**_GOOD, **self.settings, "transactional.id": self.writer})
            # fences a writer that still lives, ends what a dead one began
            patiently(lambda left: producer.init_transactions(left))
            written = 0
            if patiently(lambda left: next_batch(consumer, self.topic, left)) <= self.batch:
                written = self._write(producer, consumer, tables, TopicPartition(self.topic, 0, self.batch + 1))
            yield pa.record_batch({"written": [written]}, schema=WRITTEN)
        finally:
            consumer.close()

    def _write(
        self, producer: Producer, consumer: Consumer, tables: Iterator[pa.RecordBatch], position: TopicPartition
    ) -> int:
        from confluent_kafka import KafkaException

        producer.begin_transaction()
        try:
            written = sum(_produce(producer, self.topic, table) for table in tables)
            group = consumer.consumer_group_metadata()
            patiently(lambda left: producer.send_offsets_to_transaction([position], group, left))
            # waits for all rows, and fails if one of them did
            patiently(lambda _: producer.commit_transaction())
        except BaseException:
            with suppress(KafkaException):  # the first failure counts; who writes next ends the transaction
                producer.abort_transaction(_PATIENCE)
            raise
        return written


def next_batch(consumer: Consumer, topic: str, patience: float) -> int:
    """Return the number of the first batch that was not written; a negative one if none was.

    Raises:
        KafkaException: the group's coordinator does not know, or not yet.
    """
    from confluent_kafka import KafkaException, TopicPartition

    (found,) = consumer.committed([TopicPartition(topic, 0)], timeout=patience)
    if found.error is not None:
        raise KafkaException(found.error)
    return int(found.offset)


def patiently(step: Callable[[float], _T]) -> _T:
    """Do a step that needs the broker, again while it is busy: a coordinator moves, or has only just begun.

    The step is told how many seconds are left.
    """
    from confluent_kafka import KafkaError, KafkaException

    busy = {
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.UNSTABLE_OFFSET_COMMIT,
    }
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return step(max(1.0, deadline - time.monotonic()))
        except KafkaException as error:
            said = error.args[0]
            if time.monotonic() > deadline or not (said.retriable() or said.code() in busy):
                raise
            time.sleep(0.1)


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
