"""Joins as real Spark queries: parity with the in-process run, buckets, quiet streams, restarts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from tests.spark.test_query import as_files, as_stream, read, run, timeless

pytestmark = pytest.mark.spark
ROWS, FILES = 3_000, 3
NAMES = ("bus", "scats", "air")


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    """Three streams with one arrival order over all of them; delays up to a second."""
    random = np.random.default_rng(17)
    delays = np.where(random.random(ROWS) < 0.7, 0, random.exponential(80_000, ROWS)).astype(np.int64)
    times = np.arange(ROWS) * 2_000 + 1_600_000_000_000_000 - np.minimum(delays, 1_000_000)
    whole = pa.table(
        {
            "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "seq": np.arange(ROWS),
            "key": random.integers(0, 40, ROWS).astype(np.int32),
            "text": [f"row {i}" for i in range(ROWS)],
        }
    )
    dealt = random.integers(0, 3, ROWS)
    parts = [whole.filter(pa.array(dealt == stream)) for stream in range(3)]
    wider = parts[1]["key"].cast(pa.int64())  # equal keys of different types must meet
    return [parts[0], parts[1].set_column(2, "key", wider), parts[2]]


def streams_of(frames, **options):
    return [
        sw.stream(frame, name=name, event_time="ts", arrival="seq", **options)
        for name, frame in zip(NAMES, frames, strict=False)
    ]


def as_streams(spark, tables, folder):
    """Write tables as files of the same arrivals, and read them as streams."""
    frames = []
    for name, table in zip(NAMES, tables, strict=False):
        (folder / name).mkdir()
        for number in range(FILES):
            low, high = number * ROWS // FILES, (number + 1) * ROWS // FILES
            seq = table["seq"]
            part = table.filter(pc.and_(pc.greater_equal(seq, low), pc.less(seq, high)))
            as_files(part, folder / name / f"{number}", files=1)
        frames.append(as_stream(spark, folder / name))
    return frames
