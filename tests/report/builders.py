"""Output folders as a query writes them, made by hand."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.decisions import decisions_table

SECOND = 1_000_000


def write_run(folder: Path, *, slack: list[int], late_by: list[int | None] = (), bucket: int = 0) -> Path:
    """Write a run with one decision a second, ten rows arriving between two, and late rows in the last second."""
    count = len(slack)
    arrived = [10 * (number + 1) for number in range(count)]
    late = [0] * (count - 1) + [len(late_by)]
    columns = {
        "operator": "reorder",
        "stream": "bus",
        "bucket": bucket,
        "at": pa.array([number * SECOND for number in range(count)], pa.timestamp("us", tz="UTC")),
        "slack": slack,
        "arrived": arrived,
        "late": late,
        "released": [total - each for total, each in zip(arrived, late, strict=True)],
        "buffered": list(range(count)),
    }
    _write(folder / "decisions", bucket, decisions_table(columns, count))
    _write(folder / "results", bucket, pa.table({"event_time": range(arrived[-1] - len(late_by))}))
    if late_by:
        reasons = ["late" if each is not None else "null_time" for each in late_by]
        _write(folder / "late", bucket, pa.table({"late_by": pa.array(late_by, pa.int64()), "reason": reasons}))
    return folder


def _write(folder: Path, batch: int, table: pa.Table) -> None:
    target = folder / f"batch={batch}"
    target.mkdir(parents=True)
    pq.write_table(table, target / "part-0.parquet")
    (target / "_SUCCESS").touch()
