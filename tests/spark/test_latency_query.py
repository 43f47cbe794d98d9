"""Latency as it is measured on Spark: from when a row came in until its result is written."""

from __future__ import annotations

import json
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw

pytestmark = pytest.mark.spark
SECOND = 1_000_000
AGES = range(101)  # seconds for which the rows of one stream have been there


@pytest.fixture
def streams(spark, tmp_path):
    """A stream with a row of each age, and one that is far ahead: its row is held, and lets all others be ready."""
    now = time.time_ns() // 1_000
    rows = {"bus": [(age, now - age * SECOND) for age in AGES], "tram": [(10_000, now)]}
    for name, pairs in rows.items():
        columns = {
            "ts": pa.array([ts * SECOND for ts, _ in pairs], pa.timestamp("us", tz="UTC")),
            "came_in": pa.array([came_in for _, came_in in pairs], pa.timestamp("us", tz="UTC")),
        }
        (tmp_path / name).mkdir()
        pq.write_table(pa.table(columns), tmp_path / name / "0.parquet")
    files = spark.readStream.schema("ts timestamp, came_in timestamp")
    return now, [sw.stream(files.parquet(str(tmp_path / name)), name=name, event_time="ts") for name in rows]


def test_quantiles_of_latency_run_from_ingestion_to_the_written_result(streams, tmp_path):
    started, inputs = streams
    contract = sw.Deadline("3 hours")
    shared = sw.shared_deadline(contract, "merged", folder=tmp_path / "shared")
    merged = sw.merge(*inputs, contract=contract)
    places = {"results": tmp_path / "results", "checkpoint": tmp_path / "checkpoint"}
    shared.start("merged", merged, **places, ingested="came_in", trigger={"availableNow": True}).awaitTermination()
    ended = time.time_ns() // 1_000

    (line,) = (tmp_path / "shared" / "latency.jsonl").read_text().splitlines()
    found = json.loads(line)
    assert ("merged", 0, len(AGES)) == (found["operator"], found["batch"], found["rows"])
    assert [45 * SECOND, 49 * SECOND, 50 * SECOND] == [found[name] - found["p50"] for name in ("p95", "p99", "max")]
    assert 50 * SECOND < found["p50"] < 50 * SECOND + ended - started
