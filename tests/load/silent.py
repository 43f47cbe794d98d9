"""A stream that falls silent for an hour and comes back with all of it: its rows, and the rule for what must come out.

Rows are out of order by less than the slack. So without `idle_after` no row may ever be late, and what is behind the
silent stream is held, all of it; with it the other stream goes on, and exactly those rows of the burst are late that
are behind what has left. The rule is told from the input alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater.time import Duration
from tests.load.queries import WITHIN
from tests.load.rows import BEGAN, NAMES
from tests.load.shapes import HOUR
from tests.load.verify import pairs

SLACK = 1_000_000  # us
_DELAY, _OUT_OF_ORDER = 900_000, 0.4
_STEP, _KEYS = 1_000, 100  # us of event time between two rows while both speak
PHASES = ("both", "one", "burst", "again")


def silent_rows(count: int) -> dict[str, pa.Table]:
    """Make the rows of each phase: both streams, the first alone for an hour, the second's hour at once, both again."""
    random = np.random.default_rng(6)
    sixth = count // 6
    before, hour = sixth * _STEP, np.linspace(0, HOUR, 2 * sixth).astype(np.int64)
    along = np.arange(sixth) * _STEP
    times = np.concatenate([along, before + hour, before + hour, before + HOUR + along])
    came = np.concatenate([along, before + hour, np.full(2 * sixth, before + HOUR), before + HOUR + along])
    number = np.arange(len(times))
    stream = np.concatenate([number[:sixth] % 2, np.zeros(2 * sixth), np.ones(2 * sixth), number[:sixth] % 2])
    delay = np.where(random.random(len(times)) < _OUT_OF_ORDER, random.uniform(0, _DELAY, len(times)), 0)
    rows = {
        "ts": BEGAN + times - delay.astype(np.int64),
        "seq": number,
        "key": random.integers(0, _KEYS, len(times)),
        "value": random.integers(0, 1_000, len(times)),
        "at": BEGAN + came,
        "stream": stream.astype(np.int64),
    }
    table = pa.table(rows)
    edges = pairwise((0, sixth, 3 * sixth, 5 * sixth, 6 * sixth))
    return {phase: table.slice(begin, end - begin) for phase, (begin, end) in zip(PHASES, edges, strict=True)}


def silent_plan(name: str, frames: Sequence[Any], idle_after: str | None) -> Any:
    """Return a merge or a join in which the second stream is waited for only so long."""
    given = {"event_time": "ts", "unit": "us", "arrival": "seq", "arrival_time": "at"}
    a = sw.stream(frames[0], name=NAMES[0], **given)
    b = sw.stream(frames[1], name=NAMES[1], idle_after=idle_after, **given)
    contract = sw.FixedSlack(Duration(SLACK))
    if name == "merge":
        return sw.merge(a, b, contract=contract)
    return sw.join(a, b, on="key", within=Duration(WITHIN), buckets=1, contract=contract)


@dataclass(frozen=True)
class Ruled:
    """How far what a query did is from what the input says."""

    due: int  # results that must be there at the end of the silence
    too_early: int  # results that were there although the silent stream was to be waited for
    too_long: int  # results that were not there although nobody had to wait
    must_hold: int  # rows that must be held at the end of the silence
    must_be_late: int
    misjudged: int  # rows that are late and must not be, or the other way round

    @property
    def is_good(self) -> bool:
        return not (self.too_early or self.too_long or self.misjudged)


def rule(name: str, folder: Path, *, waits: bool, burst: int, batch: int) -> Ruled:
    """Compare outputs with the rule; the burst begins with an arrival, and the silence ends with a batch."""
    with duckdb.connect() as base:
        base.execute("SET memory_limit = '2GB'; SET threads = 1")
        for stream in NAMES:
            base.execute(f"CREATE TABLE in_{stream} AS FROM '{folder}/in/{stream}/*.parquet'")
        base.execute("CREATE VIEW arrived AS SELECT *, 0 AS stream FROM in_a UNION ALL SELECT *, 1 FROM in_b")
        limit = _limit(base, NAMES[1] if waits else NAMES[0], burst)
        written = f"read_parquet('{folder}/results/batch=*/*.parquet', hive_partitioning = true)"
        key, found, possible, late = _OF[name]
        base.execute(f"CREATE TABLE found AS SELECT {found} FROM {written} WHERE batch::BIGINT <= {batch}")
        base.execute(f"CREATE TABLE due AS FROM ({possible}) WHERE t <= {limit} AND last < {burst}")
        base.execute(f"CREATE TABLE late AS SELECT {late} AS seq FROM '{folder}/late/batch=*/*.parquet'")
        behind = "false" if waits else f"stream = 1 AND seq >= {burst} AND ts < {limit}"
        base.execute(f"CREATE TABLE behind AS SELECT seq FROM arrived WHERE {behind}")
        return Ruled(
            due=_count(base, "FROM due"),
            too_early=_count(base, f"FROM found ANTI JOIN due USING ({key})"),
            too_long=_count(base, f"FROM due ANTI JOIN found USING ({key})"),
            must_hold=_count(base, f"FROM arrived WHERE seq < {burst} AND ts > {limit}"),
            must_be_late=_count(base, "FROM behind"),
            misjudged=_count(base, "(FROM behind EXCEPT FROM late) UNION ALL (FROM late EXCEPT FROM behind)"),
        )


def _limit(base: Any, stream: str, burst: int) -> int:
    """Return up to where everything must have left: the last row that the stream in question has released."""
    known = f"SELECT ts, max(ts) OVER () AS clock FROM in_{stream} WHERE seq < {burst}"
    return int(base.execute(f"SELECT max(ts) FROM ({known}) WHERE ts <= clock - {SLACK}").fetchone()[0])


def _count(base: Any, rows: str) -> int:
    return int(base.execute(f"SELECT count(*) FROM ({rows})").fetchone()[0])


_OF = {  # what tells results apart, results, all that may be with time and last arrival, and late rows
    "merge": ("seq", "seq", "SELECT seq, ts AS t, seq AS last FROM arrived", "seq"),
    "join": (
        "a, b",
        "a.seq AS a, b.seq AS b",
        pairs("a.seq AS a, b.seq AS b, greatest(a.ts, b.ts) AS t, greatest(a.seq, b.seq) AS last"),
        "coalesce(a.seq, b.seq)",
    ),
}
