"""Whether anything was lost, doubled, made up or out of order: recomputed from the input files by DuckDB.

As `tests.chaos.verify`, for tens of millions of rows: a join looks only at near slots of time, and what does not fit in
memory goes to disk.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from tests.load.queries import QUERIES, WINDOW, WITHIN
from tests.load.rows import NAMES


@dataclass(frozen=True)
class Verdict:
    """How many rows came, what became of them, and how many results are not what they must be."""

    arrived: int
    results: int
    late: int
    lost: int
    doubled: int
    made_up: int
    out_of_order: int

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.made_up or self.out_of_order)


def verify(name: str, folder: Path) -> Verdict:
    """Recompute what a drained query must have written."""
    folders = tempfile.TemporaryDirectory(prefix="slackwater-verify-")
    with folders as scratch, duckdb.connect(f"{scratch}/base") as base:
        base.execute("SET TimeZone = 'UTC'; SET memory_limit = '4GB'; SET threads = 1")
        base.execute("SET preserve_insertion_order = false")
        _load(base, folder, name)
        return _verdict(base, name)


def _verdict(base: Any, name: str) -> Verdict:
    found, possible, due, key, disorder = _LAWS[name]
    base.execute(f"CREATE TABLE found AS {found}")
    base.execute(f"CREATE TABLE possible AS {possible}")
    base.execute(f"CREATE TABLE due AS {due}")
    return Verdict(
        arrived=_count(base, "FROM arrived"),
        results=_count(base, "FROM results"),
        late=_count(base, "FROM late_rows"),
        lost=_count(base, f"FROM due ANTI JOIN found USING ({key})"),
        doubled=_count(base, "FROM found") - _count(base, f"SELECT DISTINCT {key} FROM found"),
        made_up=_count(base, f"FROM found ANTI JOIN possible USING ({key})"),
        out_of_order=_count(base, disorder),
    )


def _load(base: Any, folder: Path, name: str) -> None:
    names = NAMES[: QUERIES[name].streams]
    for stream in names:
        moved = (folder / "read").rglob(f"in/{stream}/*.parquet")  # what was read is moved away
        files = [*moved, *(folder / "in" / stream).glob("[0-9]*.parquet")]
        base.execute(f"CREATE VIEW in_{stream} AS FROM read_parquet({[str(file) for file in files]})")
    base.execute("CREATE VIEW arrived AS " + " UNION ALL ".join(f"FROM in_{stream}" for stream in names))
    for output in ("results", "late"):
        base.execute(
            f"CREATE VIEW {output} AS FROM read_parquet('{folder}/{output}/batch=*/part-*.parquet',"
            " filename = true, file_row_number = true, hive_partitioning = true)"
        )
    columns = [row[0] for row in base.execute("DESCRIBE late").fetchall()]
    seq = "seq" if "seq" in columns else f"coalesce({', '.join(f'{stream}.seq' for stream in names)})"
    base.execute(f"CREATE TABLE late_rows AS SELECT {seq} AS seq, reason FROM late")


def _count(base: Any, rows: str) -> int:
    return int(base.execute(f"SELECT count(*) FROM ({rows})").fetchone()[0])


def _disorder(time: str, key: str) -> str:
    """Return the results that are behind one of their key that was written before them."""
    order = f"PARTITION BY {key} ORDER BY batch::BIGINT, filename, file_row_number"
    return f"SELECT * FROM (SELECT {time} AS t, lag({time}) OVER ({order}) AS before FROM results) WHERE t < before"


def pairs(columns: str) -> str:
    """Return columns of all pairs of rows that may be results of the join, whatever was late."""
    near = f"FROM in_a AS a JOIN in_b AS b ON a.key = b.key AND a.ts // {WITHIN} + {{}} = b.ts // {WITHIN}"
    return " UNION ALL ".join(
        f"SELECT {columns} {near.format(step)} WHERE abs(a.ts - b.ts) <= {WITHIN}" for step in (-1, 0, 1)
    )


# A law: what was found, all that may be, what must be, what tells results apart, and which are out of order.
_PASSED_ON = (
    "SELECT seq FROM results UNION ALL SELECT seq FROM late_rows",
    "SELECT seq FROM arrived",
    "SELECT seq FROM arrived",
    "seq",
)
_JOINED = (
    "SELECT a.seq AS a, b.seq AS b FROM results",
    pairs("a.seq AS a, b.seq AS b"),
    "FROM possible ANTI JOIN late_rows ON a = late_rows.seq ANTI JOIN late_rows AS other ON b = other.seq",
    "a, b",
    _disorder("event_time", "1"),
)
_VALUES = "key, start, n, least, total"
_WINDOWS = (
    'SELECT key, epoch_us("window".start) AS start, n, least, total FROM results',
    f"SELECT key, ts // {WINDOW} * {WINDOW} AS start, count(*) AS n, min(value) AS least, sum(value)::BIGINT AS total"
    " FROM arrived ANTI JOIN late_rows USING (seq) GROUP BY ALL",
    "FROM possible",
    _VALUES,
    _disorder('"window".start', "key"),
)
_LAWS: Mapping[str, tuple[str, str, str, str, str]] = {
    "reorder": (*_PASSED_ON, _disorder("ts", "1")),
    "keyed": (*_PASSED_ON, _disorder("ts", "key")),
    "merge": (*_PASSED_ON, _disorder("ts", "1")),
    "join": _JOINED,
    "aggregate": _WINDOWS,
}
