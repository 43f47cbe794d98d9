"""slackwater in process: rows in arrival order, put in order, joined or aggregated, with late rows and decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from benchmarks.rivals.jobs import SIZE_MS, SLACK_MS, SLIDE_MS, WITHIN_MS, Job, by_group, main, nothing

_SLACK = sw.FixedSlack(f"{SLACK_MS} ms")


def merge(_: None, data: Path, out: Path) -> None:
    """Merge two streams."""
    streams = (_stream(data, name, "ts", "key", "value", "seq") for name in "ab")
    _write(sw.merge(*streams, contract=_SLACK), out)


def join2(_: None, data: Path, out: Path) -> None:
    """Join two streams."""
    _join(data, out, "ab")


def join3(_: None, data: Path, out: Path) -> None:
    """Join three streams."""
    _join(data, out, "abc")


def aggregate(_: None, data: Path, out: Path, group: str) -> None:
    """Aggregate one stream by a column."""
    windows = sw.aggregate(
        _stream(data, "d", "ts", group, "value", "seq"),
        by=group,
        size=f"{SIZE_MS} ms",
        slide=f"{SLIDE_MS} ms",
        values={"n": sw.count(), "total": sw.sum("value"), "most": sw.max("value")},
        contract=_SLACK,
    )
    _write(windows, out)


JOBS: dict[str, Job] = {"merge": merge, "join2": join2, "join3": join3, **by_group(aggregate)}


def _join(data: Path, out: Path, names: str) -> None:
    streams = (_stream(data, name, "ts", "key", "value", "seq") for name in names)
    _write(sw.join(*streams, on="key", within=f"{WITHIN_MS} ms", contract=_SLACK), out)


def _stream(data: Path, name: str, *columns: str) -> sw.Stream:
    files = sorted((data / "arrived" / name).glob("0*.parquet"))
    table = pa.concat_tables([pq.read_table(file, columns=list(columns)) for file in files])
    return sw.stream(table, name=name, event_time="ts", arrival="seq")


def _write(output: Any, out: Path) -> None:
    pq.write_table(output.results, out / "results.parquet")
    assert output.late.num_rows == 0
    assert output.decisions.num_rows


if __name__ == "__main__":
    main(nothing, JOBS)
