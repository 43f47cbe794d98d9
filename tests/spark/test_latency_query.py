"""Latency as it is measured on Spark: from when a row came in until its result is written."""

from __future__ import annotations

import json
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import StateError

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


def test_quantiles_of_latency_run_from_arrival_to_the_written_result(streams, tmp_path):
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


def ticks(spark, folder, name: str):
    """A stream of one row for each second, of files that `write_ticks` puts there."""
    (folder / name).mkdir(exist_ok=True)
    files = spark.readStream.schema("ts timestamp, key int").parquet(str(folder / name))
    return sw.stream(files, name=name, event_time="ts")


def write_ticks(folder, name: str, seconds: range) -> None:
    times = pa.array([second * SECOND for second in seconds], pa.timestamp("us", tz="UTC"))
    table = pa.table({"ts": times, "key": pa.array([0] * len(seconds), pa.int32())})
    pq.write_table(table, folder / name / f"{seconds.start}.parquet")


def places(folder) -> dict:
    return {"results": folder / "results", "checkpoint": folder / "checkpoint", "trigger": {"availableNow": True}}


def test_rows_that_wait_over_a_restart_have_waited_since_they_came(spark, tmp_path):
    streams = [ticks(spark, tmp_path, name) for name in ("a", "b")]
    plan = sw.join(*streams, on="key", within="1 second", contract=sw.FixedSlack("5 seconds"))
    told: list[dict] = []
    ends = []
    for seconds in (range(100), range(100, 101)):
        for name in ("a", "b"):
            write_ticks(tmp_path, name, seconds)
        query = plan.start(**places(tmp_path), latency=told.append)
        query.awaitTermination()
        ends.append(time.time_ns() // 1_000)

    first, second = sw.latency(tmp_path / "checkpoint").to_pylist()
    assert [2 * 95, 2] == [first["rows"], second["rows"]]
    assert first["latency_max"] == told[0]["written"] - told[0]["read"]
    assert ends[1] - ends[0] < second["latency_p50"] == second["latency_max"] == told[1]["latency_max"]
    assert SECOND == second["stall_p50"]  # the clock moved from the 99th second to the 100th
    seen = query.lastProgress["observedMetrics"]["slackwater"]
    assert (SECOND, told[1]["held_max"]) == (seen["stall"], seen["held"] + told[1]["written"] - told[1]["read"])


def test_another_plan_is_refused_before_it_runs_and_another_contract_is_not(spark, tmp_path):
    stream = ticks(spark, tmp_path, "a")
    write_ticks(tmp_path, "a", range(100))

    def windows(slack: str, **options):
        asked = {"size": "10 seconds", "values": {"n": sw.count()}, **options}
        return sw.aggregate(stream, contract=sw.FixedSlack(slack), **asked)

    windows("5 seconds").start(**places(tmp_path)).awaitTermination()
    assert [("end", 9)] == [(row["since"], row["rows"]) for row in sw.latency(tmp_path / "checkpoint").to_pylist()]
    with pytest.raises(
        StateError, match=r"begun with slide = 10 seconds, this query has slide = 5 seconds.*contract.* may change"
    ):
        windows("5 seconds", slide="5 seconds").start(**places(tmp_path))
    windows("2 seconds").start(**places(tmp_path)).awaitTermination()
