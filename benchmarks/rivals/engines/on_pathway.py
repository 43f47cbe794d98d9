"""Pathway: two threads, its own interval joins, windows and buffer. It reads no Parquet, so CSV.

Files are read in static mode, because its streaming mode never ends: everything is one minibatch, which is the most
that it can gain from large ones. Behaviors that bound its state are set as for a stream.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pathway as pw

from benchmarks.rivals.jobs import SIZE_MS, SLACK_MS, SLIDE_MS, WITHIN_MS, Job, by_group, main, nothing

_CLOSE = pw.temporal.interval(-WITHIN_MS, WITHIN_MS)
_STATE = pw.temporal.common_behavior(cutoff=WITHIN_MS + SLACK_MS)


class Rows(pw.Schema):
    """A stream."""

    ts: int
    key: int
    area: int
    value: int


def merge(_: None, data: Path, out: Path) -> None:
    """Hold rows back until time is the slack past them; within a minibatch they are sorted when they are written."""
    a, b = (_read(data, name) for name in "ab")
    both = pw.Table.concat_reindex(a, b)
    held = both.buffer(both.ts + SLACK_MS, both.ts).select(pw.this.ts, pw.this.key, pw.this.value)
    _run(held, out, sort_by=[held.ts])


def join2(_: None, data: Path, out: Path) -> None:
    """Join by key and interval."""
    two = _two(data)
    latest = _later(two.a_ts, two.b_ts)
    _run(two.select(pw.this.key, event_time=latest, **_named(two, "ab")), out)


def join3(_: None, data: Path, out: Path) -> None:
    """Join the third to what the first two gave, keep what is close to both."""
    two, c = _two(data), _read(data, "c")
    three = two.interval_join(c, two.a_ts, c.ts, _CLOSE, two.key == c.key, behavior=_STATE).select(
        two.key, **_named(two, "ab"), c_ts=c.ts, c_value=c.value
    )
    near = three.filter((pw.this.b_ts - pw.this.c_ts <= WITHIN_MS) & (pw.this.c_ts - pw.this.b_ts <= WITHIN_MS))
    latest = _later(_later(near.a_ts, near.b_ts), near.c_ts)
    _run(near.select(pw.this.key, event_time=latest, **_named(near, "abc")), out)


def aggregate(_: None, data: Path, out: Path, group: str) -> None:
    """Sliding windows, each emitted once."""
    rows = _read(data, "d")
    windows = rows.windowby(
        rows.ts,
        window=pw.temporal.sliding(hop=SLIDE_MS, duration=SIZE_MS),
        instance=rows[group],
        behavior=pw.temporal.exactly_once_behavior(shift=SLACK_MS),
    ).reduce(
        start=pw.this._pw_window_start,
        **{group: pw.this._pw_instance},
        n=pw.reducers.count(),
        total=pw.reducers.sum(pw.this.value),
        most=pw.reducers.max(pw.this.value),
    )
    _run(windows, out)


JOBS: dict[str, Job] = {"merge": merge, "join2": join2, "join3": join3, **by_group(aggregate)}


def _read(data: Path, name: str) -> Any:
    return pw.io.csv.read(str(data / "headed" / f"{name}.csv"), schema=Rows, mode="static")


def _two(data: Path) -> Any:
    a, b = (_read(data, name) for name in "ab")
    return a.interval_join(b, a.ts, b.ts, _CLOSE, a.key == b.key, behavior=_STATE).select(
        key=a.key, a_ts=a.ts, a_value=a.value, b_ts=b.ts, b_value=b.value
    )


def _later(one: Any, other: Any) -> Any:
    return pw.if_else(one > other, one, other)


def _named(table: Any, names: str) -> dict[str, Any]:
    return {f"{name}_{column}": table[f"{name}_{column}"] for name in names for column in ("ts", "value")}


def _run(table: Any, out: Path, **how: Any) -> None:
    pw.io.csv.write(table, str(out / "results.csv"), **how)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)


if __name__ == "__main__":
    main(nothing, JOBS)
