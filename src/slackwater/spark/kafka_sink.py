"""An output that goes to a Kafka topic, each row exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.errors import ParameterError
from slackwater.spark.kafka_servers import PATIENCE, check_servers, unreachable
from slackwater.spark.kafka_transaction import Transaction
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_QUERY_ID = "sql.streaming.queryId"  # that Spark keeps in the checkpoint


@dataclass(frozen=True)
class KafkaSink:
    """A destination for `start`: rows as JSON, a micro-batch in one transaction. See `sw.to_kafka`."""

    servers: str
    topic: str
    key: str | None = None
    name: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    output: str = "rows"  # of a query: two of them may share a topic

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write a batch, unless it was written."""
        transaction = Transaction(self._writer(rows), self.topic, batch, self._settings)
        key = F.lit(None).cast("string") if self.key is None else F.col(self.key).cast("string")
        texts = rows.select(key.alias("key"), F.to_json(F.struct("*")).alias("value"))
        # one task, so that the batch is one transaction, and rows stay in the order in which they left the buckets
        texts.coalesce(1).mapInArrow(transaction.write, "written BIGINT").collect()

    def for_output(self, output: str) -> KafkaSink:
        """Return the sink of one output of a query; ask whether it can be written to.

        Raises:
            ParameterError: the client is not installed, an address has no port, no broker answers, or there is no such
                topic.
        """
        try:
            from confluent_kafka import KafkaError, KafkaException
            from confluent_kafka.admin import AdminClient
        except ImportError:
            remedy = "pip install 'slackwater[kafka]'"
            raise ParameterError("to_kafka", self.topic, must="have confluent-kafka", remedy=remedy) from None
        check_servers(self.servers)
        heard: list[KafkaError] = []  # what went wrong underneath, which the last error does not say
        settings: dict[str, Any] = {"error_cb": heard.append, **self._settings, "log_level": 0}
        client = AdminClient(settings)
        try:
            known = client.list_topics(timeout=PATIENCE).topics
        except KafkaException as error:
            client.poll(0)
            unknown = [each.str() for each in heard if each.code() == KafkaError._RESOLVE]
            said = unknown[0] if unknown else error.args[0].str()
            raise unreachable(self.servers, said, is_unknown=bool(unknown)) from error
        if self.topic not in known:
            shown = sorted(name for name in known if not name.startswith("__"))
            near = did_you_mean(self.topic, shown) or "create it first; "
            remedy = f"{near}topics are: {', '.join(shown) or 'none'}"
            raise ParameterError("topic", self.topic, must=f"be a topic of {self.servers}", remedy=remedy)
        return replace(self, output=output)

    @property
    def _settings(self) -> dict[str, Any]:
        return {"bootstrap.servers": self.servers, **self.options}

    def _writer(self, rows: DataFrame) -> str:
        """Return who writes: the same after a restart from the checkpoint, and never the same for another one."""
        name = self.name or f"{_query_of(rows)}-{self.output}"
        return f"slackwater-{name}-{self.topic}"


def _query_of(rows: DataFrame) -> str:
    try:
        found = rows.sparkSession.sparkContext.getLocalProperty(_QUERY_ID)
    except (PySparkException, AttributeError):  # Spark Connect has no context
        found = None
    if found is None:
        remedy = "give one that only queries with this checkpoint have"
        raise ParameterError("name", None, must="be given where Spark does not say which query it is", remedy=remedy)
    return found
