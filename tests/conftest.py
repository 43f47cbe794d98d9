"""What tests share: builders of small streams and, for tests marked `spark`, one session."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest
from hypothesis import settings

import slackwater as sw

# How long an example takes says how busy the machine is, and the first one compiles kernels.
settings.register_profile("slackwater", settings(), deadline=None)
settings.load_profile("slackwater")

# Hundreds of short queries: the second compiler of the JVM would never earn its time, and Spark's usual manager of
# local checkpoint files starts some fifty processes in each micro-batch. Tests that kill processes start sessions as
# users do.
QUICK_TO_START = {
    "short_lived": True,
    "spark__sql__streaming__checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
}


@pytest.fixture(scope="session")
def spark():
    """The session that all tests marked `spark` share. It has two cores and says little."""
    os.environ.pop("PYSPARK_PYTHON", None)  # as users have it
    shared = sw.session(master="local[2]", app="slackwater-tests", **QUICK_TO_START)
    shared.sparkContext.setLogLevel("ERROR")
    yield shared
    shared.stop()


@pytest.fixture
def bus():
    """Build a stream of event times in whole seconds, rows in arrival order."""

    def build(times: list[int | None], **options) -> sw.Stream:
        table = pa.table({"ts": pa.array(times, pa.int64()), "line": [f"line {n}" for n in range(len(times))]})
        return sw.stream(table, name="bus", event_time="ts", unit="s", **options)

    return build
