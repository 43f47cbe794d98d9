"""Every metric: its name, its unit and what it means. Exporters translate; nothing is named anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of a query. A counter only grows while the program runs; a gauge is the last value."""

    name: str  # without the prefix
    kind: Literal["counter", "gauge"]
    unit: str  # as OpenTelemetry writes it: UCUM
    meaning: str
    label: str | None = None  # besides `query` and `operator`


_COUNTERS = (
    Metric("batches", "counter", "{batch}", "Micro-batches that were written"),
    Metric("arrived_rows", "counter", "{row}", "Rows that arrived: released, late or buffered since"),
    Metric("released_rows", "counter", "{row}", "Rows that left in order, or were added to a window"),
    Metric(
        "late_rows", "counter", "{row}", "Rows that could not be used in time; unlisted: not in late output", "reason"
    ),
    Metric("decisions", "counter", "{decision}", "Decisions of the controller about the slack"),
    Metric("deadline_missed_rows", "counter", "{row}", "Rows that took longer than the deadline of the contract"),
    Metric("state_written_bytes", "counter", "By", "Bytes that buckets wrote to the state store"),
    Metric("failures", "counter", "{failure}", "Times that the query ended with an error"),
)
_GAUGES = (
    Metric("active", "gauge", "1", "1 while the query runs"),
    Metric("slack_seconds", "gauge", "s", "How long rows wait, in event time: the largest of all buckets"),
    Metric("buffered_rows", "gauge", "{row}", "Rows that wait in buckets which had rows in the last micro-batch"),
    Metric("quality_target", "gauge", "1", "What the contract asks for", "measure"),
    Metric("quality_measured", "gauge", "1", "What was measured over the last period: the worst bucket", "measure"),
    Metric("quality_estimated", "gauge", "1", "What the controller expects of its slack: the worst bucket", "measure"),
    Metric("latency_seconds", "gauge", "s", "How long rows of the last micro-batch took until written", "quantile"),
    Metric("stall_seconds", "gauge", "s", "How far the clock of the input moved on meanwhile", "quantile"),
    Metric("batch_seconds", "gauge", "s", "How long the last micro-batch took"),
    Metric("last_batch_time_seconds", "gauge", "s", "When the last micro-batch began, in seconds since 1970"),
    Metric("state_memory_bytes", "gauge", "By", "Memory of the state store, as Spark reports it"),
    Metric("state_disk_bytes", "gauge", "By", "Files of the state store, as RocksDB reports them"),
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in (*_COUNTERS, *_GAUGES)}
PREFIX = "slackwater"
