"""What is asked of Kafka before a query starts: is there a broker, is there the topic, what do its times mean.

Spark itself asks when the first batch is planned, and waits for minutes before it gives up. The client is the one that
comes with Spark's connector, with the same options: whatever lets the connector in lets this in. Only settings of
topics, which decide whether arrival order can be known, need the right to describe them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JJavaError

from slackwater.errors import DatasetError, ParameterError
from slackwater.spark.kafka_servers import PATIENCE, unreachable
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"  # the newest that is published, as in docs/KAFKA.md
_UNKNOWN = "No resolvable bootstrap urls"  # what Kafka's client says where no name is known
_MOST_CAUSES = 10
_APPENDED = "LogAppendTime"


@dataclass(frozen=True)
class Topic:
    """What decides whether arrival order can be known."""

    name: str
    partitions: int
    is_stamped_by_broker: bool  # its timestamps say when a broker appended rows, not when producers made them


def found_topics(
    spark: SparkSession, names: Sequence[str], options: Mapping[str, str], *, described: bool
) -> list[Topic]:
    """Return the topics, as the broker describes them; none unless they are to be `described`.

    Args:
        spark: a session with Spark's connector.
        names: of topics.
        options: as Spark's connector takes them: those that begin with `kafka.` are the client's.
        described: whether to ask for their settings, which takes a right that reading does not.

    Raises:
        ParameterError: no broker answers within ten seconds, or there is no such topic.
        DatasetError: the session has no connector.
    """
    with closing(_admin(spark, options)) as admin:
        known = _known_topics(spark, admin, options)
        for name in names:
            if name not in known:
                near = did_you_mean(name, known) or "create it first; "
                remedy = f"{near}topics are: {', '.join(sorted(known)) or 'none'}"
                raise ParameterError("topic", name, must=f"be a topic of {_servers(options)}", remedy=remedy)
        return [_described(spark, admin, name, options) for name in names] if described else []


def _admin(spark: SparkSession, options: Mapping[str, str]) -> Any:
    jvm = _jvm(spark)
    client = jvm.org.apache.kafka.clients.admin.AdminClient
    if not isinstance(client, JavaClass):
        raise no_connector()
    properties = jvm.java.util.Properties()
    for name, value in options.items():
        if name.startswith("kafka."):
            properties.setProperty(name.removeprefix("kafka."), value)
    for name in ("default.api.timeout.ms", "request.timeout.ms"):
        properties.setProperty(name, str(PATIENCE * 1_000))
    try:
        return client.create(properties)
    except Py4JJavaError as error:
        raise no_answer(options, error.java_exception) from error


def _known_topics(spark: SparkSession, admin: Any, options: Mapping[str, str]) -> set[str]:
    try:
        return set(admin.listTopics().names().get(*_within(spark)))
    except Py4JJavaError as error:
        raise no_answer(options, error.java_exception) from error


def _described(spark: SparkSession, admin: Any, name: str, options: Mapping[str, str]) -> Topic:
    try:
        return _asked(spark, admin, name)
    except Py4JJavaError as error:
        said = _said(error.java_exception)
        if "AuthorizationException" not in said:
            raise no_answer(options, error.java_exception) from error
        must = "be a topic whose settings may be described, which arrival order depends on"
        remedy = f"grant DescribeConfigs on it, or leave arrival= out ({said})"
        raise ParameterError("topic", name, must=must, remedy=remedy) from error


def _asked(spark: SparkSession, admin: Any, name: str) -> Topic:
    jvm = _jvm(spark)
    described = admin.describeTopics([name]).allTopicNames().get(*_within(spark))
    kind = jvm.org.apache.kafka.common.config.ConfigResource.Type.TOPIC
    resource = jvm.org.apache.kafka.common.config.ConfigResource(kind, name)
    settings = admin.describeConfigs([resource]).all().get(*_within(spark))
    stamped = settings[resource].get("message.timestamp.type").value()
    return Topic(name, len(described[name].partitions()), stamped == _APPENDED)


def _within(spark: SparkSession) -> tuple[int, Any]:
    return PATIENCE, _jvm(spark).java.util.concurrent.TimeUnit.SECONDS


def _jvm(spark: SparkSession) -> Any:
    return spark.sparkContext._jvm


def _servers(options: Mapping[str, str]) -> str:
    return options.get("kafka.bootstrap.servers", "nothing")


def no_answer(options: Mapping[str, str], exception: Any) -> ParameterError:
    """Return the error that says why no broker answers, from an exception of Java: a cause of it may know more."""
    causes = [exception]
    while len(causes) < _MOST_CAUSES and (cause := causes[-1].getCause()) is not None:
        causes.append(cause)
    unknown = [said for each in causes if _UNKNOWN in (said := _said(each))]
    said = unknown[0] if unknown else _said(exception)
    return unreachable(_servers(options), said, is_unknown=bool(unknown))


def _said(exception: Any) -> str:
    """Return what Java said, in one line."""
    return str(exception.getMessage()).split("\n")[0]


def no_connector() -> DatasetError:
    """Return the error that says how to get Spark's connector."""
    remedy = (
        f"set spark.jars.packages = '{CONNECTOR}' when the session is built (of later versions that of Spark), "
        "or spark.jars to the files that `make kafka` copies to build/kafka/connector"
    )
    return DatasetError("kafka", problem="needs Spark's connector, which this session has not", remedy=remedy)
