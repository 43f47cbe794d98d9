"""Settings of Spark that a query of ours is started with, whatever those of the session are.

Spark copies the settings of its session when a query starts. So they are changed for that moment alone, and other
queries keep theirs.

- *Partitions of the stateful operator*: one for each bucket. A bucket is one group of Spark's, so further partitions
  stay empty for ever; yet each starts a Python process, and opens and commits a state store, in every micro-batch.
- *Files of the checkpoint*, where it is on a mounted file system: renamed through Hadoop's older interface. The newer
  one starts a process (`readlink`) twice for each rename, several times in every micro-batch, and gains nothing here:
  a rename replaces the old file in one step either way. Elsewhere it stays what it is: on HDFS the older one cannot
  replace a file. Spark's own checksum of each file, a second file to be renamed, is left out: on a mounted file system
  Hadoop keeps one of its own beside each file, and checks it.
- *Rows at a time on their way to Python*, where they are small: see `spark/arrow_batches.py`.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from slackwater.paths import local_folder
from slackwater.spark.arrow_batches import BYTES, ROWS, for_arrow
from slackwater.spark.connect import is_connect
from slackwater.spark.places import EVENLY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTITIONS = "spark.sql.shuffle.partitions"
_FILES = "spark.sql.streaming.checkpointFileManagerClass"
OF_LOCAL_FILES: Mapping[str, str] = {
    _FILES: "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager",
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
}
_STARTING = threading.Lock()  # queries that are started at the same time must not see each other's settings
# Nodes of a plan, as Spark prints them, that leave every row in the task that has read it.
_STAY = re.compile(
    r"(?:Project|Filter|SubqueryAlias|Union|EventTimeWatermark|Generate|Expand|View|Streaming\w*|\w+Source|"
    r"\w*MapInArrow|\w*MapInPandas|ResolvedHint)\b"
)


@contextmanager
def own_settings(
    spark: SparkSession,
    frames: Sequence[DataFrame],
    *,
    buckets: int,
    alone: bool,
    checkpoint: str | os.PathLike[str],
) -> Iterator[None]:
    """Let a query that is started within have settings of its own.

    It keeps the session's number of partitions where something else in it is spread by that: an operator in front of
    ours, or a user's own function behind it, in which case `alone` is false. Likewise the rows at a time.
    """
    if is_connect(spark):  # a session of a server; it may be shared
        yield
        return
    with _STARTING:
        wanted = dict(_for_files(spark, checkpoint))
        if alone and all(map(moves_nothing, frames)):
            wanted |= _for_partitions(spark, buckets)
        if alone and spark.conf.get(BYTES, None) is None:
            wanted |= for_arrow(frames, spark.conf.get(ROWS, None))
        before = {name: spark.conf.get(name, None) for name in wanted}
        try:
            for name, value in wanted.items():
                spark.conf.set(name, value)
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, old)


def _for_partitions(spark: SparkSession, buckets: int) -> Mapping[str, str]:
    needed = enough_for(buckets)
    return {PARTITIONS: str(needed)} if int(spark.conf.get(PARTITIONS) or 0) > needed else {}


def _for_files(spark: SparkSession, checkpoint: str | os.PathLike[str]) -> Mapping[str, str]:
    """Return how files of a checkpoint are written: only where they surely are local, and nobody has chosen."""
    if local_folder(checkpoint) is None or spark.conf.get(_FILES, None) is not None:
        return {}
    usual = spark.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS") or ""
    is_local = os.fspath(checkpoint).startswith("file:") or usual.startswith("file:")
    return OF_LOCAL_FILES if is_local else {}


def enough_for(buckets: int) -> int:
    """Return the fewest partitions of which each gets one bucket at most (see `spark/places.py`).

    >>> [enough_for(buckets) for buckets in (1, 2, 8, 11)]
    [1, 2, 8, 12]
    """
    return next(number for number in range(buckets, EVENLY + 1) if EVENLY % number == 0)


def moves_nothing(frame: DataFrame) -> bool:
    """Whether what a frame is made of leaves every row in the task that reads it."""
    plan: str = frame._jdf.queryExecution().analyzed().toString()
    return stays(plan)


def stays(plan: str) -> bool:
    r"""Say it of a plan as Spark prints it; what is not known is taken to move rows.

    >>> stays("Project [a#1]\n+- Filter (a#1 > 1)\n   +- FileSource[/data/in]")
    True
    >>> stays("Aggregate [a#1], [a#1, count(1)]\n+- FileSource[/data/in]")
    False
    """
    return all(_STAY.match(line.lstrip(" :+-~*'")) for line in plan.splitlines() if line.strip())
