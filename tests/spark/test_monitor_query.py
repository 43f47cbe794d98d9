"""What a monitor shows of a real query: in Prometheus' text, in OpenTelemetry and in the log, from the same batches."""

from __future__ import annotations

import json
import urllib.request

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client.parser import text_string_to_metric_families

import slackwater as sw

pytestmark = pytest.mark.spark
SECOND = 1_000_000
TIMES = [*range(0, 120), None, 10, 11, 9_000_000_000, *range(120, 180)]  # one without a time, two late, one far ahead


@pytest.fixture(scope="module")
def shown(spark, tmp_path_factory):
    """A query that has ended, and what was shown of it while it ran and after."""
    folder = tmp_path_factory.mktemp("monitored")
    (folder / "in").mkdir()
    rows = {"ts": pa.array([None if t is None else t * SECOND for t in TIMES], pa.timestamp("us", tz="UTC"))}
    pq.write_table(pa.table({**rows, "seq": range(len(TIMES))}), folder / "in" / "0.parquet")
    files = spark.readStream.schema("ts timestamp, seq bigint").parquet(str(folder / "in"))
    bus = sw.stream(files, name="bus", event_time="ts", arrival="seq")
    ordered = sw.reorder(bus, contract=sw.DropRatio(0.05, over="1 minute"))
    reader = InMemoryMetricReader()
    with sw.monitor(
        spark, port=0, file=folder / "bus.prom", otel=MeterProvider([reader]), log=folder / "log.jsonl"
    ) as monitor:
        query = ordered.start(
            results=folder / "results", checkpoint=folder / "checkpoint", trigger={"availableNow": True}, name="buses"
        )
        query.awaitTermination()
        wait_until_heard(spark)
        with urllib.request.urlopen(f"http://127.0.0.1:{monitor.port}/metrics", timeout=10) as answer:
            read = answer.read().decode()
        return {
            "file": (folder / "bus.prom").read_text(),
            "read": read,
            "otel": reader.get_metrics_data(),
            "log": [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()],
            "latency": sw.latency(folder / "checkpoint").to_pylist(),
        }


def wait_until_heard(spark) -> None:
    """Progress reports come to listeners a little later than to those who await the end."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()


def values(text: str) -> dict[tuple[str, ...], float]:
    """Samples by name and the label besides query and operator."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            own = {name: value for name, value in sample.labels.items() if name not in ("query", "operator")}
            found[sample.name.removeprefix("slackwater_"), *own.values()] = sample.value
    return found


def test_prometheus_reads_where_the_rows_are(shown):
    found = values(shown["read"])
    late = {why: found["late_rows_total", why] for why in ("late", "future", "null_time")}
    assert {"late": 2, "future": 1, "null_time": 1} == late
    assert len(TIMES) == found["arrived_rows_total",] == found["released_rows_total",] + 4 + found["buffered_rows",]


def test_prometheus_reads_the_decisions(shown):
    found = values(shown["read"])
    assert 0.05 == found["quality_target", "drop_ratio"]
    assert pytest.approx(2 / 62) == found["quality_measured", "drop_ratio"]  # two late rows in the last minute
    assert found["decisions_total",] > 100
    assert found["slack_seconds",] >= 0


def test_prometheus_reads_the_latency_that_was_measured(shown):
    (row,) = shown["latency"]
    assert row["latency_p99"] / SECOND == values(shown["read"])["latency_seconds", "0.99"]


def test_prometheus_reads_the_size_of_the_state(shown):
    found = values(shown["read"])
    assert found["state_written_bytes_total",] > 0
    assert found["state_memory_bytes",] > 0


def test_the_file_has_what_is_read_at_the_address(shown):
    assert values(shown["read"]) == values(shown["file"])


def test_opentelemetry_reads_the_same_counts(shown):
    metrics = shown["otel"].resource_metrics[0].scope_metrics[0].metrics
    (arrived,) = [metric for metric in metrics if metric.name == "slackwater.arrived_rows"]
    (point,) = arrived.data.data_points
    assert (len(TIMES), {"query": "buses", "operator": "reorder"}) == (point.value, dict(point.attributes))


def test_the_log_has_a_line_for_the_batch_and_one_for_the_end(shown):
    assert [("batch", "buses"), ("end", "buses")] == [(line["event"], line["query"]) for line in shown["log"]]
