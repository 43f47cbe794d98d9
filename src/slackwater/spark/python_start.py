"""How the Python processes of a session are started, so that its first query comes soon.

- *Without Spark's archives* (`python-without-archives.sh`). Spark starts a process for every query only to ask for the
  layout of its state, and one that workers are forked from; each compiled all that it imports of `pyspark.zip`.
- *Beside the caller's work.* Workers start while a query is still put together: they are there when its first rows are.
  Modules of operators are imported while the JVM starts.
"""

from __future__ import annotations

import atexit
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import py4j
import pyspark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

_OPERATORS = ("pandas", "slackwater.pipeline.join", "slackwater.pipeline.aggregate", "slackwater.pipeline.merged_rows")
_PATIENCE = 20.0  # seconds that the end of a process may wait
LAUNCHER = Path(__file__).with_name("python-without-archives.sh")


def name_python(*, local: bool) -> None:
    """Tell Spark, before its JVM starts, which Python workers run in: this one, unless PYSPARK_PYTHON names another."""
    launched = local and os.name == "posix" and os.access(LAUNCHER, os.X_OK) and has_pyspark_installed()
    if os.environ.get("PYSPARK_PYTHON") in (None, str(LAUNCHER)):  # the second: a session before this one
        os.environ["PYSPARK_PYTHON"] = str(LAUNCHER) if launched else sys.executable
        os.environ["SLACKWATER_PYTHON"] = sys.executable


def has_pyspark_installed() -> bool:
    """Say whether this Python finds pyspark, and what that needs, by itself: not where PYTHONPATH tells it to look."""
    installed = sysconfig.get_path("purelib")
    return all(Path(str(module.__file__)).is_relative_to(installed) for module in (pyspark, py4j))


def import_meanwhile() -> Thread:
    """Import what operators are made of while the caller waits for the JVM.

    Nothing of pyspark, which the caller imports: two threads that meet in a circle of imports may see half a module.
    """
    thread = Thread(target=lambda: list(map(import_module, _OPERATORS)), name="slackwater-import", daemon=True)
    thread.start()
    return thread


def start_python(spark: SparkSession) -> Thread:
    """Let Spark start its Python daemon and a worker, beside whatever the caller does next.

    A process that ends at once waits for it: Spark would report at length that a job was ended.
    """
    thread = Thread(target=_run, args=(spark,), name="slackwater-start-python", daemon=True)
    thread.start()
    atexit.register(thread.join, _PATIENCE)
    return thread


def _run(spark: SparkSession) -> None:
    # Nothing depends on it: a session that is stopped meanwhile ends it, and a query starts what it does not find.
    with suppress(Exception):
        spark.sparkContext.setJobDescription("slackwater: starts Python")
        spark.range(1).mapInArrow(_as_they_are, "id BIGINT").write.format("noop").mode("overwrite").save()


def _as_they_are(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batches
