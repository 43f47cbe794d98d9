"""Streams from and to what Spark has connectors for: files, Kafka. One function for each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from slackwater.errors import DatasetError
from slackwater.spark.kafka_sink import KafkaSink
from slackwater.spark.kafka_source import read_kafka

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from slackwater.spark.outputs import Write

_FILES = ("parquet", "csv", "json")


@dataclass(frozen=True)
class Stored:
    """Where rows are: a format of Spark's, a path where it has one, columns as names and types, and options."""

    format: str
    path: str | None = None
    columns: Sequence[tuple[str, str]] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    of_kafka: Mapping[str, str] = field(default_factory=dict)  # time, arrival: those of `sw.from_kafka`

    @property
    def ddl(self) -> str:
        """The columns in Spark's words."""
        return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in self.columns)


def open_stream(spark: SparkSession, stored: Stored) -> DataFrame:
    """Return a streaming DataFrame.

    Raises:
        DatasetError: Spark cannot open it; it says why.
    """
    try:
        return _READERS.get(stored.format, _read_other)(spark, stored)
    except AnalysisException as error:
        raise _failed(stored, error) from error


def writer_to(stored: Stored) -> Write:
    """Return what writes a batch; one that is repeated replaces its files, and Kafka does not get it again."""
    return _kafka_sink(stored) if stored.format == "kafka" else _write_files(stored)


def _read_files(spark: SparkSession, stored: Stored) -> DataFrame:
    usual = {"header": "true"} if stored.format == "csv" else {}
    options = {**usual, "recursiveFileLookup": "true", **stored.options}
    schema: Any = stored.ddl or _found_schema(spark, stored, options)
    return spark.readStream.format(stored.format).options(**options).schema(schema).load(stored.path)


def _found_schema(spark: SparkSession, stored: Stored, options: Mapping[str, str]) -> Any:
    """Return the columns of the files that are there already."""
    guess = {"inferSchema": "true"} if stored.format == "csv" else {}
    return spark.read.format(stored.format).options(**options, **guess).load(stored.path).schema


def _read_kafka(spark: SparkSession, stored: Stored) -> DataFrame:
    """Read values as JSON where columns are stated, beside Kafka's own partition, offset and time."""
    topics = [name.strip() for name in stored.options.get("subscribe", "").split(",")]
    return read_kafka(
        spark,
        topics,
        columns=stored.ddl or None,
        time=stored.of_kafka.get("time"),
        arrival=stored.of_kafka.get("arrival"),
        options=stored.options,
    )


def _read_other(spark: SparkSession, stored: Stored) -> DataFrame:
    reader = spark.readStream.format(stored.format).options(**stored.options)
    reader = reader.schema(stored.ddl) if stored.columns else reader
    return reader.load(stored.path) if stored.path else reader.load()


_READERS: Mapping[str, Callable[[Any, Stored], DataFrame]] = {
    **dict.fromkeys(_FILES, _read_files),
    "kafka": _read_kafka,
}


def _write_files(stored: Stored) -> Write:
    usual = {"header": "true"} if stored.format == "csv" else {}
    folder = str(stored.path).rstrip("/")

    def write(rows: DataFrame, batch: int) -> None:
        writer = rows.write.mode("overwrite").format(stored.format).options(**{**usual, **stored.options})
        writer.save(f"{folder}/batch={batch}")

    return write


def _kafka_sink(stored: Stored) -> KafkaSink:
    client = {name.removeprefix("kafka."): value for name, value in stored.options.items() if name != "topic"}
    servers = client.pop("bootstrap.servers", "")
    return KafkaSink(servers, stored.options["topic"], client.pop("key", None), options=client)


def _failed(stored: Stored, error: AnalysisException) -> DatasetError:
    said = (error.getMessage() or str(error)).split("\n")[0]
    problem = f"cannot be opened ({said})"
    return DatasetError(stored.path or stored.format, problem=problem, remedy="check path, format and columns")
