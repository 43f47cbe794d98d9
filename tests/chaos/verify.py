"""Whether a query lost, doubled or disordered anything: recomputed from its input by DuckDB, not by slackwater.

The laws hold under every contract, since a row that could not be used is in `late`: a true result none of whose rows is
late must be there, and nothing else may be there but true results; a window has exactly the rows that are not late.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa

from tests.chaos.driver import OUTPUTS
from tests.chaos.inputs import read_input
from tests.chaos.outputs import read_output

WITHIN, WINDOW = 50, 400  # ms


@dataclass(frozen=True)
class Verdict:
    """How many results are not what they must be."""

    lost: int = 0
    doubled: int = 0
    made_up: int = 0
    out_of_order: int = 0
    other_than_undisturbed: int = 0  # rows of all outputs
    results: int = 0
    late: int = 0
    violations: int = 0  # periods in which the contract was missed, by what the query itself measured

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.made_up or self.out_of_order or self.other_than_undisturbed)

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


Tables: TypeAlias = Mapping[str, pa.Table]


def verify_folder(name: str, folder: Path, undisturbed: Path) -> Verdict:
    """Verify what a query has written, and compare it with what it has written elsewhere when nobody disturbed it."""
    outputs, expected = ({each: read_output(where, each) for each in OUTPUTS} for where in (folder, undisturbed))
    return verify(name, read_input(folder), outputs, expected)


def verify(name: str, streams: Tables, outputs: Tables, expected: Tables) -> Verdict:
    """Recompute what a query should have written, and compare it with another run, batch for batch."""
    with duckdb.connect() as base:
        base.execute("SET TimeZone = 'UTC'")
        for stream, rows in streams.items():
            base.register(f"in_{stream}", rows)
        for output, rows in outputs.items():
            base.register(output, rows)
            base.register(f"expected_{output}", expected[output])
        late = "coalesce(" + ", ".join(f"{each}.seq" for each in streams) + ")" if _has_structs(outputs) else "seq"
        base.execute(f"CREATE TABLE late_rows AS SELECT {late} AS seq FROM late")
        found, true, may_be = _LAWS[name]
        base.execute(f"CREATE TABLE found AS {found}")
        base.execute(f"CREATE TABLE true_results AS {true}")
        base.execute(f"CREATE TABLE possible AS {may_be or 'FROM true_results'}")
        return Verdict(
            lost=_count(base, "FROM true_results EXCEPT FROM found"),
            doubled=_count(base, "FROM found EXCEPT ALL SELECT DISTINCT * FROM found"),
            made_up=_count(base, "FROM found EXCEPT FROM possible"),
            out_of_order=_count(base, _DISORDER[name]),
            other_than_undisturbed=sum(_unlike(base, output) for output in OUTPUTS),
            results=_count(base, "FROM results"),
            late=_count(base, "FROM late"),
            violations=_count(base, _VIOLATIONS),
        )


def _count(base: Any, rows: str) -> int:
    return int(base.execute(f"SELECT count(*) FROM ({rows})").fetchone()[0])


def _has_structs(outputs: Tables) -> bool:
    return "seq" not in outputs["late"].column_names


def _unlike(base: Any, output: str) -> int:
    """Return how many rows are in one run alone, batch for batch."""
    rows = "SELECT * EXCLUDE (position) FROM"
    pairs = ((output, f"expected_{output}"), (f"expected_{output}", output))
    return sum(_count(base, f"{rows} {one} EXCEPT ALL {rows} {other}") for one, other in pairs)


# a target above one half is a recall, of which there must be more; below, a share of rows that are dropped
_VIOLATIONS = "FROM decisions WHERE (target > 0.5 AND measured < target) OR (target <= 0.5 AND measured > target)"


def _rows(*streams: str) -> str:
    return " UNION ALL ".join(f"SELECT seq FROM in_{stream}" for stream in streams)


def _in_order(time: str, by: str = "") -> str:
    """Return the results that are behind one that was written before them."""
    partition = f"PARTITION BY {by} " if by else ""
    before = f"max({time}) OVER ({partition}ORDER BY batch, position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
    return f"SELECT * FROM (SELECT {time} AS t, {before} AS before FROM results) WHERE t < before"


def _passed_on(*streams: str) -> tuple[str, str, None]:
    """Every row is a result or late, once."""
    found = "SELECT seq FROM results UNION ALL SELECT seq FROM late_rows"
    return found, _rows(*streams), None


def _joined(*streams: str) -> tuple[str, str, str]:
    first, *others = streams
    seqs = ", ".join(f"{each}.seq AS {each}" for each in streams)
    tables = f"in_{first} AS {first}"
    times = [f"{each}.ts" for each in streams]
    for other in others:
        tables += f" JOIN in_{other} AS {other} ON {other}.key = {first}.key"
    spread = f"greatest({', '.join(times)}) - least({', '.join(times)}) <= {WITHIN}"
    possible = f"SELECT {seqs} FROM {tables} WHERE {spread}"
    late = " AND ".join(f"{each} NOT IN (SELECT seq FROM late_rows)" for each in streams)
    found = f"SELECT {', '.join(f'{each}.seq AS {each}' for each in streams)} FROM results"
    return found, f"SELECT * FROM ({possible}) WHERE {late}", possible


def _windows(rows: str, found: str) -> tuple[str, str, None]:
    true = f"SELECT key, ts // {WINDOW} * {WINDOW} AS start, {found} FROM ({rows}) GROUP BY ALL"
    names = [part.split(" AS ")[1] for part in found.split(", ")]
    final = f"SELECT key, epoch_ms(\"window\".start) AS start, {', '.join(names)} FROM results WHERE kind = 'final'"
    return final, true, None


_AGGREGATED = _windows(
    "FROM in_a WHERE seq NOT IN (SELECT seq FROM late_rows)",
    "count(*) AS n, min(value) AS least, sum(value)::BIGINT AS total",
)
_PAIRS = (
    "SELECT a.key AS key, a.value AS value, greatest(a.ts, b.ts) AS ts FROM in_a AS a JOIN in_b AS b USING (key) "
    f"WHERE abs(a.ts - b.ts) <= {WITHIN} AND NOT EXISTS (FROM late_rows WHERE seq IN (a.seq, b.seq))"
)
_LAWS: Mapping[str, tuple[str, str, str | None]] = {
    "reorder": _passed_on("a"),
    "keyed reorder": _passed_on("a"),
    "merge": _passed_on("a", "b"),
    "join of 2": _joined("a", "b"),
    "join of 3": _joined("a", "b", "c"),
    "aggregate": _AGGREGATED,
    "chain": _windows(_PAIRS, "count(*) AS n, sum(value)::BIGINT AS total"),
}
_DISORDER: Mapping[str, str] = {
    "reorder": _in_order("ts"),
    "keyed reorder": _in_order("ts", "key"),
    "merge": _in_order("ts"),
    "join of 2": _in_order("event_time", "a.key"),
    "join of 3": _in_order("event_time", "a.key"),
    "aggregate": _in_order('"window".start', "key, kind"),
    "chain": _in_order('"window".start', "key, kind"),
}
