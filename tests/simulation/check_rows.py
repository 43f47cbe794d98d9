"""Reorder, merge and join against the oracles and DuckDB."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from datetime import timedelta
from itertools import pairwise
from typing import Any

import slackwater as sw
from tests.simulation import one_at_a_time as oracle
from tests.simulation.by_sql import join_truth, order_truth
from tests.simulation.calls import BrokenPromiseError, Outputs
from tests.simulation.case import Case, Row
from tests.simulation.contracts import LOSSLESS
from tests.simulation.laws import late_rows

AWAY = ("future", "null_time")


def check_changed(case: Case, node: Any, outputs: Outputs) -> None:
    """Whichever contract rules when: every row leaves once, and no result is made up or repeated."""
    if case.operator == "join":
        _none_is_made_up(case, node, outputs)
    elif case.operator != "aggregate":
        _all_leave_once(case, [_own(row)["id"] for row in outputs.results], outputs)


def _own(row: dict[str, Any]) -> dict[str, Any]:
    return row if "id" in row else {**row, **row[row["stream"]]}


def check_reorder(case: Case, node: Any, whole: Outputs) -> list[str]:
    """Every row leaves once; with a fixed slack as K-slack says; with one that loses nothing, sorted."""
    left = [row["id"] for row in whole.results]
    _all_leave_once(case, left, whole)
    slack, ways = oracle.fixed_slack(node.contract, case.names), ["once"]
    if slack is not None and case.option("late") != "adjust":
        buffers = oracle.reordered(case, slack)
        of_key: dict[Any, list[int]] = defaultdict(list)
        for row in whole.results:
            of_key[tuple(row[column] for column in node.by)].append(row["id"])
        expected = {key: [row for _, row in buffer.released] for key, buffer in buffers.items() if buffer.released}
        _same("oracle", "results", expected, dict(of_key))
        _same_late(case, whole, sorted((row, behind - time) for b in buffers.values() for time, row, behind in b.late))
        ways.append("oracle")
    if _is_lossless(case) and not node.by:
        _same("duckdb", "results", order_truth(case), left)
        ways.append("duckdb")
    return ways


def check_merge(case: Case, node: Any, whole: Outputs) -> list[str]:
    """The same over several streams."""
    own = [_own(row) for row in whole.results]
    left = [row["id"] for row in own]
    _all_leave_once(case, left, whole)
    places = [(row["event_time"], row["stream"], row["id"]) for row in own]
    if places != sorted(places):
        raise BrokenPromiseError("order: a merge is not by event time, stream and arrival")
    slack, ways = oracle.fixed_slack(node.contract, case.names), ["once"]
    if slack is not None and isinstance(node.contract, sw.Deadline):
        expected, late = oracle.through_a_gate(case, slack)
        _same("oracle", "results", expected, [(row["id"], row["ready"]) for row in own])
        if _sides(case):
            _same("oracle", "late", sorted(late), sorted(n for n, _ in _late(whole)))
        ways.append("oracle")
    elif slack is not None:
        expected_left, expected_late = oracle.merged(case, slack)
        _same("oracle", "results", expected_left, left)
        _same_late(case, whole, sorted(expected_late))
        ways.append("oracle")
    if _is_lossless(case):
        _same("duckdb", "results", order_truth(case), left)
        ways.append("duckdb")
    return ways


def check_join(case: Case, node: Any, whole: Outputs) -> list[str]:
    """No result is made up or repeated; with a fixed slack they are the oracle's, without losses the truth's."""
    found, truth = _none_is_made_up(case, node, whole)
    ways, slack = ["duckdb"], oracle.fixed_slack(node.contract, case.names)
    if _is_lossless(case) and truth != set(found) and not case.option("situation2"):
        raise BrokenPromiseError(
            f"duckdb: results {sorted(truth - set(found))[:3]} are missing, although nothing is lost"
        )
    if slack is None or "situation2" in case.options or "synchronize" in case.options:
        return ways
    windows = [window.microseconds - (node.closed == "right") for window in node.windows]
    if isinstance(node.contract, sw.Deadline):
        expected, late = oracle.joined_behind_a_gate(case, slack, windows, matching(case))
        if _sides(case):
            _same("oracle", "late", sorted(late), sorted(n for n, _ in _late(whole)))
    else:
        expected, late_by = oracle.joined(case, slack, windows, matching(case))
        _same_late(case, whole, sorted(late_by))
    _same("oracle", "results", sorted(expected), sorted(found))
    return [*ways, "oracle"]


def _none_is_made_up(case: Case, node: Any, whole: Outputs) -> tuple[list[tuple[int, ...]], set[tuple[int, ...]]]:
    """Return the results of a join and all that there are, by ids."""
    found = [tuple(row[name]["id"] for name in case.names) for row in whole.results]
    again = [ids for ids, count in Counter(found).items() if count > 1]
    if again:
        raise BrokenPromiseError(f"twice: results {again[:3]} came twice")
    truth = join_truth(case, node)
    wrong = [ids for ids in found if ids not in truth]
    if wrong:
        raise BrokenPromiseError(f"duckdb: results {wrong[:3]} do not meet the condition or the windows")
    return found, truth


def matching(case: Case) -> Any:
    """Return the condition of a join over rows, in Python; a comparison with null does not hold."""
    texts = [] if "on" not in case.options else [ast.literal_eval(case.options["on"])]
    parts = []
    for on in texts:
        if isinstance(on, str) and "=" in on:
            parts += [part.replace("=", "==") for part in on.split(" and ")]
        else:
            columns = [on] if isinstance(on, str) else on
            parts += [f"{a}.{c} == {b}.{c}" for c in columns for a, b in pairwise(case.names)]
    where = case.options.get("where")
    if where is not None:
        text = "abs(s0.x - s1.x) < 3" if where == "near" else ast.literal_eval(where)
        parts.append(f"({text.replace(' = ', ' == ')})")
    code = compile(" and ".join(parts) or "True", "<condition>", "eval")
    three_valued = where is not None and " or " in where

    def matches(*rows: Row) -> bool:
        values = {name: _Values(row) for name, row in zip(case.names, rows, strict=True)}
        if three_valued:
            return _either(case, values, parts)
        return bool(eval(code, {"abs": abs}, values))

    return matches


class _Unknown:
    """Null: nothing that is computed from it is known, and nothing unknown holds."""

    def _same(self, *_: Any) -> _Unknown:
        return self

    def __bool__(self) -> bool:
        return False

    __add__ = __radd__ = __sub__ = __rsub__ = __abs__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = _same  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class _Values:
    def __init__(self, row: Row) -> None:
        self.key = _Unknown() if row.key is None else row.key
        self.x: Any = _Unknown() if row.x is None else row.x
        self.f: Any = _Unknown() if row.x is None else row.x / 7


def _either(case: Case, values: dict[str, Any], parts: list[str]) -> bool:
    """Evaluate a condition with `or`: unknown or true is true."""
    return all(any(bool(eval(each.strip("()"), {"abs": abs}, values)) for each in p.split(" or ")) for p in parts)


def _all_leave_once(case: Case, left: list[int], whole: Outputs) -> None:
    twice = [number for number, count in Counter(left).items() if count > 1]
    if twice:
        raise BrokenPromiseError(f"twice: rows {twice[:3]} left twice")
    if _sides(case):
        lost = set(range(len(case.rows))) - set(left) - {row["id"] for row in late_rows(whole)}
        if lost or len(left) + len(whole.late) != len(case.rows):
            raise BrokenPromiseError(f"lost: rows {sorted(lost)[:3]} neither left nor were late, or did both")


def _sides(case: Case) -> bool:
    return case.option("late") in (None, "side")


def _is_lossless(case: Case) -> bool:
    return case.options["contract"].startswith(LOSSLESS)


def _late(whole: Outputs) -> list[tuple[int, int]]:
    """Return late rows and by how many us, but for those that were turned away."""
    rows = [row for row in late_rows(whole) if row["reason"] not in AWAY]
    return sorted((row["id"], _microseconds(row["late_by"])) for row in rows)


def _microseconds(value: Any) -> int:
    return value // timedelta(microseconds=1) if isinstance(value, timedelta) else value


def _same_late(case: Case, whole: Outputs, expected: list[tuple[int, int]]) -> None:
    if _sides(case):
        _same("oracle", "late", expected, _late(whole))


def _same(who: str, what: str, expected: Any, got: Any) -> None:
    if expected != got:
        raise BrokenPromiseError(f"{who}: {what} differ\n  expected {str(expected)[:600]}\n  got      {str(got)[:600]}")
