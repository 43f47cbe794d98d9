"""Runs a case in all ways there are, and says where they disagree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.errors import LateEventError, ParameterError
from tests.simulation.calls import BrokenPromiseError, Bucket, Outputs, run_in_calls
from tests.simulation.case import Case
from tests.simulation.chains import Chained
from tests.simulation.check_aggregate import check_aggregate
from tests.simulation.check_rows import check_changed, check_join, check_merge, check_reorder
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
        chain = case.plan(case.tables(), arrival="seq" if case.arrival else None)
        node = None if case.chained else chain.node
    except ParameterError as error:
        return Done(refused=str(error))
    if case.option("late") == "raise":
        return _check_raise(case)
    whole = Outputs.of_run(run)
    bucket = Chained(case, chain) if case.chained else Bucket(case, node)
    outputs, calls = run_in_calls(case, bucket)
    done = Done(len(calls), sum(number < len(calls) for number in case.replays), len(whole.results))
    if case.chained:
        _compare_chains(whole, outputs)
        done.compared = ["whole", "chain"]
        return done
    if case.changes:
        check_laws(case, node, outputs, outputs, calls)
        check_changed(case, node, outputs)
        done.compared = ["changed"]
        return done
    check_laws(case, node, whole, outputs, calls)
    compare = {"reorder": check_reorder, "merge": check_merge, "join": check_join, "aggregate": check_aggregate}
    _compare_runs(case, node, whole, outputs)
    if "then" in case.options:
        done.compared = ["whole", "levels"]
        return done
    done.compared = ["whole", *compare[case.operator](case, node, whole)]
    return done


def _check_raise(case: Case) -> Done:
    """Both ways raise if anything would be late, and else give what they give without that policy."""
    kept = replace(case, options={**case.options, "late": "'side'"})
    plan = kept.plan(kept.tables())
    expected = Outputs.of_run(plan)
    for who, run in (("one batch", _ran), ("calls", _called)):
        try:
            outputs = run(case)
        except LateEventError:
            if not expected.late:
                raise BrokenPromiseError(f"raise: {who} raised, although no row is late") from None
            continue
        if expected.late:
            raise BrokenPromiseError(f"raise: {who} did not raise, although {len(expected.late)} rows are late")
        _compare_runs(case, plan.node, expected, outputs)
    return Done(calls=len(case.edges), results=len(expected.results), compared=["raise"])


def _ran(case: Case) -> Outputs:
    return Outputs.of_run(case.plan(case.tables()))


def _called(case: Case) -> Outputs:
    node = case.plan(case.tables(), arrival="seq" if case.arrival else None).node
    return run_in_calls(replace(case, replays=()), Bucket(case, node))[0]


def _compare_chains(whole: Outputs, calls: Outputs) -> None:
    """The run in one batch and the one in calls say the same; calls tell of both operators in turn."""
    for what in ("results", "late", "decisions"):
        expected, got = (sorted(map(rounded, getattr(each, what))) for each in (whole, calls))
        if expected != got:
            raise BrokenPromiseError(f"calls: {what} of calls are not those of one batch{difference(expected, got)}")


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
