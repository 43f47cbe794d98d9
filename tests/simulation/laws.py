"""What holds for every plan, whatever its contract: order, accounting, clocks that do not go back."""

from __future__ import annotations

from collections import Counter
from typing import Any

from slackwater.spark.call import Call
from tests.simulation.calls import BrokenPromiseError, Outputs
from tests.simulation.case import Case


def check_laws(case: Case, node: Any, whole: Outputs, outputs: Outputs, calls: list[Call]) -> None:
    """Raise BrokenPromiseError where a law does not hold."""
    _every_row_is_accounted_for(case, outputs, calls)
    _clocks_never_go_back(calls)
    _nothing_is_held_at_the_end(calls[-1])
    for each in (whole, outputs):
        _nothing_is_late_twice(each)
        _order(case, node, each)


def _every_row_is_accounted_for(case: Case, outputs: Outputs, calls: list[Call]) -> None:
    came = [sum(table.num_rows for table in tables) for tables in case.batches()]
    marks = sum(row.what is not None for row in case.rows)
    total = 0
    for call, rows in zip(calls, [*came, 0], strict=True):
        counts = call.counts
        total += rows
        if not counts.balanced:
            raise BrokenPromiseError(f"accounting: {counts} is not balanced")
        if not marks and counts.arrived != total:
            raise BrokenPromiseError(f"accounting: {counts} after {total} rows")
    if calls[-1].counts.arrived != total - marks:
        raise BrokenPromiseError(f"accounting: {calls[-1].counts} after {total - marks} events")
    if case.option("late") in (None, "side") and calls[-1].counts.late != len(outputs.late):
        raise BrokenPromiseError(f"accounting: {calls[-1].counts}, but {len(outputs.late)} rows in late")


def _clocks_never_go_back(calls: list[Call]) -> None:
    before: dict[str, Any] = {}
    for call in calls:
        state = call.saved.pipeline or {}
        for name in ("clock", "reached", "time", "passed_on"):
            now, then = state.get(name), before.get(name)
            pairs = zip(now, then, strict=True) if isinstance(now, list) and isinstance(then, list) else [(now, then)]
            if any(then is not None and (now is None or now < then) for now, then in pairs):
                raise BrokenPromiseError(f"clock: {name} went back from {before[name]} to {state.get(name)}")
        before = state


def _nothing_is_held_at_the_end(last: Call) -> None:
    if last.counts.buffered:
        raise BrokenPromiseError(f"drain: {last.counts.buffered} rows are still held after the end")


def _nothing_is_late_twice(outputs: Outputs) -> None:
    again = [number for number, count in Counter(row["id"] for row in late_rows(outputs)).items() if count > 1]
    if again:
        raise BrokenPromiseError(f"twice: rows {again} are late twice")


def late_rows(outputs: Outputs) -> list[dict[str, Any]]:
    """Return late rows with the columns of their own stream."""
    return [row if "id" in row else {**row, **(row[row["stream"]] or {})} for row in outputs.late]


def _order(case: Case, node: Any, outputs: Outputs) -> None:
    if case.operator == "aggregate":
        _windows_are_final_once(node, outputs)
        return
    if case.operator == "reorder":
        _keys_are_in_order(node, outputs)
        return
    times = [row["event_time"] for row in outputs.results]
    if times != sorted(times):
        raise BrokenPromiseError("order: results are not in the order of event time")


def _keys_are_in_order(node: Any, outputs: Outputs) -> None:
    last: dict[Any, Any] = {}
    for row in outputs.results:
        key = tuple(row[column] for column in node.by)
        if row["ts"] < last.get(key, row["ts"]):
            raise BrokenPromiseError(f"order: {row['ts']} of {key} left after {last[key]}")
        last[key] = row["ts"]


def _windows_are_final_once(node: Any, outputs: Outputs) -> None:
    finals = [row for row in outputs.results if row.get("kind", "final") == "final"]
    windows = Counter((row["window"]["end"], *(row[column] for column in node.by)) for row in finals)
    again = [window for window, count in windows.items() if count > 1]
    if again:
        raise BrokenPromiseError(f"twice: windows {again[:3]} are final twice")
    numbers: dict[Any, int] = {}
    for row in outputs.results:
        if "revision" in row:
            window = row["window"]["end"], *(row[column] for column in node.by)
            if row["revision"] != numbers.setdefault(window, 0):
                raise BrokenPromiseError(f"order: {window} has revision {row['revision']}, not {numbers[window]}")
            numbers[window] += 1
