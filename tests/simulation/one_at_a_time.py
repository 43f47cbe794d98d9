"""What the oracles, which take one event at a time, make of a case whose slack is fixed."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import slackwater as sw
from slackwater.time import Duration
from tests.oracle.aggregate import ProddedAggregate
from tests.oracle.gate import Event as GateEvent
from tests.oracle.gate import SlackScaleGate
from tests.oracle.join import Event, Pipeline, WindowJoin
from tests.oracle.merge import Merge
from tests.oracle.reorder import OracleKSlack
from tests.simulation.case import Case, Row

MS = 1_000  # us


def fixed_slack(contract: sw.contracts.Contract, names: list[str]) -> int | tuple[int, ...] | None:
    """Return the slack in us where a contract fixes it, for all streams or one each; None: it adapts."""
    cap = contract.longest_wait or Duration.MAX
    if contract.controller is not None:
        return None
    match contract:
        case sw.NoSlack():
            return 0
        case sw.Punctuated():
            return cap.microseconds
        case sw.FixedSlack(by_stream=()):
            return min(contract.slack, cap).microseconds
        case sw.FixedSlack():
            return tuple(min(dict(contract.by_stream)[name], cap).microseconds for name in names)
        case sw.Deadline():
            return min(contract.left, cap).microseconds
    return None


def events_by_step(case: Case) -> list[tuple[list[tuple[int, Row]], list[Row]]]:
    """Return for each step the usable events with their numbers, and the marks."""
    steps: dict[int, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for number, (step, row) in enumerate(zip(case.steps, case.rows, strict=True)):
        if row.usable:
            steps[step][0].append((number, row))
        elif row.what is not None:
            steps[step][1].append(row)
    return [steps[step] for step in sorted(steps)]


def reordered(case: Case, slack: int) -> dict[Any, OracleKSlack]:
    """Return a K-slack buffer that has seen everything, for each key; one without keys."""
    by = case.option("by") or ()
    columns = (by,) if isinstance(by, str) else tuple(by)
    buffers: dict[Any, OracleKSlack] = defaultdict(lambda: OracleKSlack(release=case.option("release") or "arrival"))
    for events, _ in events_by_step(case):
        of_key: dict[Any, list[Any]] = defaultdict(list)
        for number, row in events:
            of_key[tuple(getattr(row, column) for column in columns)].append((row.ts * MS, number, number))
        for key, step in of_key.items():
            buffers[key].on_step(step, slack)
    for buffer in buffers.values():
        buffer.on_end()
    return dict(buffers)


def arrivals_of(case: Case) -> tuple[list[tuple[int, int, Row]], list[int], list[int]]:
    """Return usable events as (stream, us, row), their steps, and their numbers in the case."""
    numbers = [number for number, row in enumerate(case.rows) if row.usable]
    steps = case.steps
    return (
        [(case.rows[i].stream, case.rows[i].ts * MS, case.rows[i]) for i in numbers],
        [steps[i] for i in numbers],
        numbers,
    )


def merged(case: Case, slack: int | tuple[int, ...]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the numbers of rows as they leave a merge, and those that are late, by how much."""
    arrivals, steps, numbers = arrivals_of(case)
    oracle = Merge(case.streams, slack, case.option("release") or "arrival").run(arrivals, steps)
    return [numbers[i] for i in oracle.merged], [(numbers[i], by) for i, by in oracle.late]


def through_a_gate(case: Case, limit: int) -> tuple[list[tuple[int, bool]], list[int]]:
    """Return (number, ready) of rows as they leave a gate that is read after every step, and of those that are late."""
    arrivals, steps, numbers = arrivals_of(case)
    gate, read = SlackScaleGate(case.streams, readers=1, limit=limit), []
    for step in sorted(set(steps)):
        for index, (stream, time, _) in enumerate(arrivals):
            if steps[index] == step:
                gate.insert(GateEvent(time, stream, index))
        read += gate.get_all(0)
    left = [(numbers[each.event.index], each.ready) for each in read if not each.late]
    left += [(numbers[event.index], True) for event in sorted(gate.unread[0])]
    return left, [numbers[each.event.index] for each in read if each.late]


def joined(case: Case, slack: int | tuple[int, ...], windows: list[int], matches: Any) -> tuple[list[Any], list[Any]]:
    """Return the results as numbers of rows, in any order at equal times, and the late rows with how much."""
    arrivals, steps, numbers = arrivals_of(case)
    release = case.option("release") or "arrival"
    oracle = Pipeline(windows, slack, release=release, predicate=matches).run(arrivals, steps)
    results = [tuple(numbers[i] for i in indices) for _, indices in oracle.results]
    return results, [(numbers[i], by) for i, by in oracle.late]


def joined_behind_a_gate(case: Case, limit: int, windows: list[int], matches: Any) -> tuple[list[Any], list[int]]:
    """Return the same for a join that reads its streams through a gate."""
    arrivals, steps, numbers = arrivals_of(case)
    gate = SlackScaleGate(case.streams, readers=1, limit=limit)
    join = WindowJoin(windows, lambda indices: matches(*(case.rows[i] for i in indices)))
    done = []
    for step in [*sorted(set(steps)), math.inf]:
        for index, (stream, time, _) in enumerate(arrivals):
            if steps[index] == step:
                gate.insert(GateEvent(time, stream, numbers[index]))
        events = [each.event for each in gate.get_all(0)] if step != math.inf else sorted(gate.unread[0])
        done += [join.on_event(Event(*event)) for event in events]
    results = [indices for each in done for _, indices in each.results]
    return results, [each.index for each in done if not each.in_order]


def aggregated(case: Case, node: Any, slack: int) -> tuple[ProddedAggregate, list[Any]]:
    """Return the oracle after the whole case, and the groups by their codes."""
    early, groups = node.early, {}
    size, slide = node.size.microseconds, node.slide.microseconds
    leads = () if early is None else early.leads(size, slide)
    every = None if early is None or early.every is None else early.every.microseconds
    oracle = ProddedAggregate(size, slide, leads=leads, every=every)

    def code(row: Row) -> int:
        return groups.setdefault(tuple(getattr(row, column) for column in node.by), len(groups))

    def named(row: Row) -> int | None:
        return code(row) if node.by and row.key is not None else None

    for events, marks in events_by_step(case):
        oracle.on_step([(row.ts * MS, code(row), number) for number, row in events], slack)
        for row in marks:
            if row.what == "punctuation":
                oracle.on_punctuation(row.ts * MS, named(row), None if row.since is None else row.since * MS)
        prods = [(None if row.ts is None else row.ts * MS, named(row)) for row in marks if row.what == "prod"]
        if early is not None:
            oracle.on_prods(prods)
    oracle.on_end()
    return oracle, list(groups)
