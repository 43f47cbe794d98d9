"""`sw.from_kafka` and `sw.to_kafka`: topics as inputs and outputs of queries on Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slackwater.errors import ParameterError


def from_kafka(
    spark: Any,
    servers: str,
    topic: str,
    *,
    columns: str | None = None,
    time: str | None = None,
    arrival: str | None = None,
    starting: str = "latest",
    options: Mapping[str, str] | None = None,
) -> Any:
    """Read topics through Spark's own connector, with what slackwater wants to know beside the payload.

    Broker and topic are asked for before anything starts: an error comes within ten seconds. Give what this returns to
    `sw.stream`, with `event_time="event_time"`, or the column of the payload that has it, and `arrival="arrival"`.

    Args:
        spark: a session with Spark's Kafka connector (see docs/KAFKA.md).
        servers: addresses of brokers, `host:port`, with commas.
        topic: a topic, or several with commas.
        columns: of the payload, which is JSON, in the words of Spark's DDL: "ts TIMESTAMP, area STRING". What cannot
            be read gives nulls, and is kept in the column `malformed`; a row whose event time is null goes to
            `late`, reason `null_time`. Without columns, `key` and `value` are bytes as they came.
        time: where the event time is, if not in the payload: "header:NAME" (milliseconds since 1970, or a time as text;
            of several headers of that name the last), or "timestamp", that of Kafka. It becomes the column
            `event_time`.
        arrival: "append_time": by the millisecond in which the broker appended rows, then by offset; topics must be set
            to `message.timestamp.type=LogAppendTime`. Numbers of several partitions and topics can be compared.
            "offset": by offset, for one topic with one partition. It becomes the column `arrival`. Left out, rows of a
            micro-batch arrive together.
        starting: "latest", "earliest", or offsets as Spark takes them; a checkpoint knows better.
        options: more of Spark's connector, such as {"maxOffsetsPerTrigger": "100000"} or {"kafka.security.protocol":
            "SSL"}.

    Returns:
        A streaming DataFrame with the columns of the payload and, in this order where asked for, `malformed`,
        `arrival`, `event_time`, then `partition`, `offset` and `kafka_timestamp`.

    Raises:
        ParameterError: no broker answers, there is no such topic, or it cannot say what is asked.
        DatasetError: the session has no connector.
    """
    from slackwater.spark.kafka_source import read_kafka

    topics = [name.strip() for name in topic.split(",") if name.strip()]
    if not topics:
        raise ParameterError("topic", topic, must="not be empty", remedy='such as "bus" or "bus,tram"')
    given = {"kafka.bootstrap.servers": servers, "startingOffsets": starting, **(options or {})}
    return read_kafka(spark, topics, columns=columns, time=time, arrival=arrival, options=given)


def to_kafka(
    servers: str,
    topic: str,
    *,
    key: str | None = None,
    name: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Any:
    """Return a destination for `start`: rows go to a topic as JSON, each exactly once.

    A micro-batch is one transaction, and its number is part of it: a batch that is repeated after a crash is
    recognized and left out. Consumers must read committed rows only (`isolation.level=read_committed`, which is the
    default of librdkafka, not of clients in Java, nor of Spark: `"kafka.isolation.level": "read_committed"`). One task
    writes the batch, rows in the order in which buckets gave them. The topic must exist when the query starts.

    Worst case: Kafka forgets the number of the last batch when nothing was written for its
    `offsets.retention.minutes` (7 days); a query that died between Kafka's commit and Spark's, and rests for longer,
    then writes that one batch again.

    Args:
        servers: addresses of brokers, `host:port`, with commas.
        topic: where rows go.
        key: a column whose text is the key of rows: rows with equal keys keep their order.
        name: who writes, which Kafka knows the last batch of. By default that is the id that Spark keeps in the
            checkpoint, and which output it is; "rows" where a function of yours calls the sink. With a name of your
            own, the sink may move between these; no other query, and no other output to this topic, may have it.
        options: more of the client, in the words of librdkafka, such as {"security.protocol": "SSL"}.

    >>> to_kafka("127.0.0.1:9092", "jams", key="area").topic
    'jams'
    """
    from slackwater.spark.kafka_sink import KafkaSink

    if not topic or "," in topic:
        raise ParameterError("topic", topic, must="be one topic", remedy='such as "jams"')
    return KafkaSink(servers, topic, key, name, dict(options or {}))
