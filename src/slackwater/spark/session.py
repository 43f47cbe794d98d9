"""A good local SparkSession, and the settings that slackwater needs of any other."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType

from slackwater.errors import JavaError, SessionError
from slackwater.spark.java_start import java_options
from slackwater.spark.python_start import import_meanwhile, name_python, start_python

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame

_WATERMARK = "spark.watermarkDelayMs"  # how Spark marks a column
_STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_DAEMON = "spark.python.daemon.module"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# What a streaming query cannot run without.
NEEDED: Mapping[str, str] = {_STATE_STORE: _ROCKSDB}

# What a local session is better off with.
_GOOD: Mapping[str, str] = {
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
    "spark.sql.session.timeZone": "UTC",  # as in process: times without a zone mean the same
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # what other readers of Parquet understand
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # A worker of Spark's stateful operators has no short tracebacks; with the same for all, they share their workers.
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
    "spark.sql.streaming.metricsEnabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "4g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def session(
    *, app: str = "slackwater", master: str = "local[*]", short_lived: bool = False, **settings: str
) -> SparkSession:
    """Build a local SparkSession: RocksDB state, Arrow, this interpreter for the workers, sensible memory, UTC.

    Times without a zone are UTC, as in process; `spark__sql__session__timeZone="Europe/Berlin"` reads them otherwise.
    After `slackwater prepare`, once for an environment, a session starts in half the time.

    Args:
        app: the name of the application.
        master: where to run; all local cores unless told otherwise.
        short_lived: for a process that ends within minutes, such as a job that runs by the hour: its first query comes
            seconds sooner, and those after it take 5 to 10 % longer, because the JVM compiles less.
        settings: further settings, with `__` for the dots of their names.
    """
    name_python(local=master.startswith("local"))
    given = {name.replace("__", "."): value for name, value in settings.items()}
    is_new = SparkSession.getActiveSession() is None
    if is_new:
        import_meanwhile()
    starting = _starting(master, given, short_lived=short_lived) if is_new else {}
    builder = SparkSession.builder.appName(app).master(master)
    for name, value in {**_GOOD, **NEEDED, **given, **starting}.items():
        builder = builder.config(name, value)
    spark: SparkSession = builder.getOrCreate()
    if is_new and _DAEMON in starting:
        start_python(spark)
    return spark


def _starting(master: str, given: Mapping[str, str], *, short_lived: bool) -> dict[str, str]:
    """Return how Java and, on this machine, Python are started: other machines may not have slackwater installed."""
    java = {_JAVA_OPTIONS: java_options(java_found(), given.get(_JAVA_OPTIONS), short_lived=short_lived)}
    return {**java, _DAEMON: "slackwater.spark.daemon"} if master.startswith("local") and _DAEMON not in given else java


def java_found() -> str:
    """Return what the Java that Spark would start says of itself; raise JavaError unless it is new enough."""
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else "java"
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        raise JavaError(found="none") from None
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None or int(version[1]) < 17:
        raise JavaError(found="an unknown version" if version is None else version[1])
    return said


def check_session(spark: SparkSession) -> None:
    """Raise SessionError, naming the setting, if a session cannot run our streaming queries."""
    for setting, needed in NEEDED.items():
        found = spark.conf.get(setting, None)
        if found != needed:
            raise SessionError(setting, found=found, needed=needed)


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """Return the columns of a frame as an Arrow schema: in UTC whatever the session's time zone is.

    A watermark that users gave the frame is left out: what leaves our operators is behind it, and operators of Spark
    that follow would drop it.
    """
    return to_arrow_schema(StructType([_without_watermark(field) for field in frame.schema]), timezone="UTC")


def watermarked(frame: DataFrame) -> list[str]:
    """Return the columns of a frame that have a watermark."""
    return [field.name for field in frame.schema if _WATERMARK in field.metadata]


def _without_watermark(field: StructField) -> StructField:
    metadata = {name: value for name, value in field.metadata.items() if name != _WATERMARK}
    return StructField(field.name, field.dataType, field.nullable, metadata)
