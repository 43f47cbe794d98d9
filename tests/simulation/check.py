"""Runs a case in all ways there are, and says where they disagree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from slackwater.errors import ParameterError
from tests.simulation.calls import BrokenPromiseError, Outputs, run_in_calls
from tests.simulation.case import Case
from tests.simulation.check_aggregate import check_aggregate
from tests.simulation.check_rows import check_join, check_merge, check_reorder
from tests.simulation.laws import check_laws, late_rows


@dataclass
class Done:
    """What a case that kept its promises did."""

    calls: int = 0
    replays: int = 0
    results: int = 0
    refused: str | None = None  # why there is no such plan
    compared: list[str] = field(default_factory=list)  # the ways in which it was checked


def check(case: Case) -> Done:
    """Run a case; raise `BrokenPromiseError`, or whatever it dies of."""
    try:
        run = case.plan(case.tables())
        node = case.plan(case.tables(), arrival="seq" if case.arrival else None).node
    except ParameterError as error:
        return Done(refused=str(error))
    whole = Outputs.of_run(run)
    outputs, calls = run_in_calls(case, node)
    done = Done(len(calls), sum(number < len(calls) for number in case.replays), len(whole.results))
    check_laws(case, node, whole, outputs, calls)
    compare = {"reorder": check_reorder, "merge": check_merge, "join": check_join, "aggregate": check_aggregate}
    _compare_runs(case, node, whole, outputs)
    done.compared = ["whole", *compare[case.operator](case, node, whole)]
    return done


def _compare_runs(case: Case, node: Any, whole: Outputs, calls: Outputs) -> None:
    """The run in one batch and the one in calls say the same, except that rows set aside come later."""
    aside = getattr(node, "sideline", None) is not None
    pairs = {"late": (_by_id(whole), _by_id(calls))}
    if aside:
        pairs["results"] = _finals(whole.results), _finals(calls.results)
    else:
        pairs["results"] = whole.results, calls.results
        pairs["decisions"] = whole.decisions, calls.decisions
    for what, (expected, got) in pairs.items():
        if case.operator == "aggregate":
            expected, got = sorted(map(rounded, expected)), sorted(map(rounded, got))
        elif what == "decisions":
            expected, got = list(map(rounded, expected)), list(map(rounded, got))
        if expected != got:
            raise BrokenPromiseError(f"calls: {what} of calls are not those of one batch{difference(expected, got)}")


def _finals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{n: v for n, v in row.items() if n not in ("kind", "revision")} for row in rows if row["kind"] == "final"]


def _by_id(outputs: Outputs) -> list[dict[str, Any]]:
    """Return late rows in an order: rows that are turned away come first in their batch."""
    return sorted(late_rows(outputs), key=lambda row: row["id"])


def rounded(row: dict[str, Any]) -> str:
    """Return a row as text; sums of floats depend on the order of additions in their last digits."""
    return str({name: float(f"{x:.9g}") if isinstance(x, float) else x for name, x in row.items()})


def difference(expected: list[Any], got: list[Any]) -> str:
    """Say where two lists part."""
    for place, (left, right) in enumerate(zip(expected, got, strict=False)):
        if left != right:
            return f"\n  at {place}: expected {left}\n  {' ' * len(str(place))}          got {right}"
    return f"\n  expected {len(expected)}, got {len(got)}"
