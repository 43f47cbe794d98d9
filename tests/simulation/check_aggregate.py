"""Window aggregates against the oracle and DuckDB."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.simulation import one_at_a_time as oracle
from tests.simulation.by_sql import window_truth
from tests.simulation.calls import BrokenPromiseError, Outputs
from tests.simulation.case import Case, Row
from tests.simulation.check_rows import _is_lossless, _same

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def check_aggregate(case: Case, node: Any, whole: Outputs) -> list[str]:
    """With a fixed slack, results and late rows are the oracle's; without losses finals are DuckDB's."""
    slack, ways = oracle.fixed_slack(node.contract, case.names), []
    if slack is not None:
        _check_oracle(case, node, whole, slack)
        ways.append("oracle")
    if _is_lossless(case) and not case.marked:
        names, truth = window_truth(case, node)
        _same_values("duckdb", truth, _finals(node, whole, names))
        ways.append("duckdb")
    return ways


def _check_oracle(case: Case, node: Any, whole: Outputs, slack: int) -> None:
    expected, groups = oracle.aggregated(case, node, slack)
    if case.option("late") in (None, "side"):
        for reason, rows in (("punctuation", expected.liars), ("late", expected.late)):
            reasons = (reason, "over_cap") if reason == "late" else (reason,)
            got = sorted(row["id"] for row in whole.late if row["reason"] in reasons)
            _same("oracle", f"rows late because of {reason}", sorted(rows), got)
    names = [name for name, _ in node.values if name in COMPUTED]
    shown = [(kind, w, groups[group], rows, number) for kind, w, group, rows, number in expected.shown]
    finals = [(w, *group, *values_of(case, rows, names)) for kind, w, group, rows, _ in shown if kind == "final"]
    _same_values("oracle", finals, _finals(node, whole, names))
    if node.early is not None and node.sideline is None and node.early.accuracy is None:
        mine = sorted((kind, w, number, str(group)) for kind, w, group, _, number in shown)
        _same("oracle", "revisions", mine, _revisions(node, whole))
    if (
        node.early is not None
        and node.early.estimate == "raw"
        and node.sideline is None
        and node.early.accuracy is None
    ):
        early = [(w, *group, *values_of(case, rows, names)) for kind, w, group, rows, _ in shown if kind == "early"]
        _same_values("oracle", early, _finals(node, whole, names, kind="early"))


def _revisions(node: Any, whole: Outputs) -> list[tuple[Any, ...]]:
    return sorted(
        (row["kind"], _window(node, row), row["revision"], str(tuple(row[column] for column in node.by)))
        for row in whole.results
        if not _is_empty(node, row)
    )


def _finals(node: Any, whole: Outputs, names: list[str], kind: str = "final") -> list[tuple[Any, ...]]:
    """Return (window, groups, values) of results that have rows."""
    rows = [row for row in whole.results if row.get("kind", "final") == kind and not _is_empty(node, row)]
    return [(_window(node, row), *(row[c] for c in node.by), *(row[name] for name in names)) for row in rows]


def _is_empty(node: Any, row: dict[str, Any]) -> bool:
    return node.empty and row["n"] == 0


def _window(node: Any, row: dict[str, Any]) -> int:
    end = row["window"]["end"]
    end = end if end.tzinfo else end.replace(tzinfo=UTC)
    return (end - EPOCH) // timedelta(microseconds=1) // node.slide.microseconds - 1


def _same_values(who: str, expected: list[tuple[Any, ...]], got: list[tuple[Any, ...]]) -> None:
    expected, got = (sorted(rows, key=_place) for rows in (expected, got))
    for left, right in zip(expected, got, strict=False):
        if not all(map(_close, left, right)):
            raise BrokenPromiseError(f"{who}: values differ\n  expected {left}\n  got      {right}")
    _same(who, "number of results", len(expected), len(got))


def _place(row: tuple[Any, ...]) -> list[str]:
    return [f"{value:.6g}" if isinstance(value, float) else str(value) for value in row]


def _close(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return left == right


def values_of(case: Case, numbers: tuple[int, ...], names: list[str]) -> list[Any]:
    """Return values of some rows, computed from scratch."""
    rows = [case.rows[number] for number in numbers]
    x = [row.x for row in rows if row.x is not None]
    return [COMPUTED[name](rows, x) for name in names]


COMPUTED: dict[str, Callable[[list[Row], list[int]], Any]] = {
    "n": lambda rows, x: len(rows),
    "known": lambda rows, x: len(x),
    "total": lambda rows, x: sum(x) if x else None,
    "average": lambda rows, x: statistics.fmean(each / 7 for each in x) if x else None,
    "least": lambda rows, x: min(x, default=None),
    "most": lambda rows, x: max(x) / 7 if x else None,
    "spread": lambda rows, x: float(statistics.variance(x)) if len(x) > 1 else None,
    "kinds": lambda rows, x: len({row.key for row in rows if row.key is not None}),
}
