"""Rows of Kafka topics: payload from JSON, event time from payload or header, arrival order from the broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.errors import ParseException
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.sql.types import StringType, StructType

from slackwater.errors import ColumnError, ParameterError
from slackwater.spark.kafka_servers import check_servers
from slackwater.spark.kafka_topics import Topic, found_topics

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

MALFORMED = "malformed"
_OWN = ("partition", "offset", "kafka_timestamp")
_HEADER = "header:"
_ARRIVALS = ("append_time", "offset")
_MOST_MILLISECONDS = 10**15  # far beyond any calendar; a larger number in a header is no time
_WITHIN_A_MILLISECOND = 1_000_000


def read_kafka(
    spark: SparkSession,
    topics: Sequence[str],
    *,
    columns: str | None,
    time: str | None,
    arrival: str | None,
    options: Mapping[str, str],
) -> DataFrame:
    """Return topics as a streaming DataFrame; see `sw.from_kafka`.

    Raises:
        ParameterError: an address has no port, no broker answers, there is no such topic, or the topics cannot say
            what is asked.
        DatasetError: the session has no connector.
    """
    _check_words(time, arrival)
    check_servers(options.get("kafka.bootstrap.servers"))
    described = found_topics(spark, topics, options, described=arrival is not None)
    if arrival is not None:
        check_arrival(arrival, described)
    headers = {"includeHeaders": "true"} if (time or "").startswith(_HEADER) else {}
    rows = spark.readStream.format("kafka").options(**{**headers, **options, "subscribe": ",".join(topics)}).load()
    own = [F.col("partition"), F.col("offset"), F.col("timestamp").alias("kafka_timestamp")]
    if time is not None:
        own.insert(0, _event_time(time).alias("event_time"))
    if arrival is not None:
        own.insert(0, _arrival(arrival).alias("arrival"))
    if columns is None:
        return rows.select("key", "value", *own)
    schema = _payload(columns, taken=[*_OWN, "event_time" * bool(time), "arrival" * bool(arrival)])
    text = F.col("value").cast("string")
    value = F.from_json(text, schema, {"columnNameOfCorruptRecord": MALFORMED}).alias("value")
    return rows.select(value, *own).select("value.*", *(name for name in rows.select(*own).columns))


def _payload(columns: str, *, taken: Sequence[str]) -> StructType:
    """Return the columns of the payload, and one more that keeps what could not be read."""
    try:
        schema = StructType.fromDDL(columns)
    except ParseException as error:
        said = (error.getMessage() or "").split("\n")[0]
        remedy = f'such as "ts TIMESTAMP, area STRING" ({said})'
        raise ParameterError(
            "columns", columns, must="be names and types as Spark writes them", remedy=remedy
        ) from error
    assert isinstance(schema, StructType)
    for name in schema.fieldNames():
        if name in (*taken, MALFORMED):
            raise ColumnError("kafka", name, problem="has the name of a column of Kafka's", remedy="rename it")
    return schema.add(MALFORMED, StringType())


def _event_time(time: str) -> Column:
    """Return the time that Kafka keeps beside the payload: null where a header is missing or is no time."""
    if time == "timestamp":
        return F.col("timestamp")
    name = time.removeprefix(_HEADER)
    found = F.try_element_at(F.filter("headers", lambda header: header["key"] == name), F.lit(-1))["value"]
    text = found.cast("string")
    milliseconds = text.try_cast("bigint")
    usable = F.when(F.abs(milliseconds) <= _MOST_MILLISECONDS, milliseconds)
    return F.coalesce(F.timestamp_millis(usable), text.try_cast("timestamp"))


def _arrival(arrival: str) -> Column:
    """Return a number that orders rows by arrival: the offset, or the millisecond of appending and the offset in it."""
    if arrival == "offset":
        return F.col("offset")
    within = F.col("offset") % _WITHIN_A_MILLISECOND
    return F.unix_millis("timestamp") * _WITHIN_A_MILLISECOND + within


def _check_words(time: str | None, arrival: str | None) -> None:
    is_header = (time or "").startswith(_HEADER) and time != _HEADER
    if time not in (None, "timestamp") and not is_header:
        remedy = "leave it out where a column of the payload is the event time"
        raise ParameterError("time", time, must='be "header:NAME" or "timestamp"', remedy=remedy)
    if arrival not in (None, *_ARRIVALS):
        remedy = "leave it out: rows of a micro-batch then arrive together"
        raise ParameterError("arrival", arrival, must='be "append_time" or "offset"', remedy=remedy)


def check_arrival(arrival: str, topics: Sequence[Topic]) -> None:
    """Refuse an order that would not be that of arrival."""
    for topic in topics:
        if arrival == "append_time" and not topic.is_stamped_by_broker:
            remedy = (
                f"set it on topic {topic.name!r}: until then its timestamps are the producers'; "
                "or leave arrival out: rows of a micro-batch then arrive together"
            )
            must = "be used with message.timestamp.type=LogAppendTime"
            raise ParameterError("arrival", arrival, must=must, remedy=remedy)
    if arrival == "offset" and sum(topic.partitions for topic in topics) > 1:
        remedy = 'offsets of several partitions cannot be compared: use "append_time", or leave it out'
        raise ParameterError("arrival", arrival, must="be used with one topic of one partition", remedy=remedy)
