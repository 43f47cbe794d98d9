"""What both kinds of Flink jobs share: settings, and CSV files as tables with a watermark."""

from __future__ import annotations

from pathlib import Path

from benchmarks.rivals.jobs import CORES, SLACK_MS

SETTINGS = {
    "parallelism.default": str(CORES),
    "pipeline.object-reuse": "true",
    "state.backend.type": "hashmap",
    "table.local-time-zone": "UTC",
}


def source(name: str, data: Path) -> str:
    """Return the statement that makes a stream's file a table; no event is later than its watermark allows."""
    columns = "ts BIGINT, `key` BIGINT, area BIGINT, `value` BIGINT, rt AS TO_TIMESTAMP_LTZ(ts, 3)"
    watermark = f"WATERMARK FOR rt AS rt - INTERVAL '{SLACK_MS // 1_000}' SECOND"
    return f"CREATE TABLE {name} ({columns}, {watermark}) WITH ({csv(data / 'csv' / f'{name}.csv')})"


def csv(path: Path) -> str:
    """Return the options of a table of CSV files."""
    return f"'connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv'"
