"""Queries over the windows of one stream: an aggregate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from slackwater.api import Stream, schema_of
from slackwater.api_aggregate import aggregate
from slackwater.pipeline.aggregate_columns import result_schema
from slackwater.plan.columns import StreamColumns
from slackwater.sql.calls import Calls
from slackwater.sql.checked import checked_columns, checked_filter
from slackwater.sql.contracts import early_of
from slackwater.sql.frames import keep, select, with_columns
from slackwater.sql.functions import check_local
from slackwater.sql.items import Chosen, Find, is_star, plain
from slackwater.sql.output import SqlOutput
from slackwater.sql.places import QUERY

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound
    from slackwater.sql.computed import Computed
    from slackwater.sql.tree import Item

WINDOW = "window"
_MARKS = ("prod", "punctuation")


@dataclass(frozen=True)
class Asked:
    """What is asked of the windows: their rows, their groups, the values, and the columns over these."""

    stream: Stream
    by: tuple[str, ...]
    calls: Calls
    items: tuple[tuple[Item, Chosen], ...]
    called: Mapping[str, str] = field(default_factory=dict)  # groups whose results have another name


def bind_aggregate(bound: Bound) -> SqlOutput:
    """Build `sw.aggregate`, and the columns that are selected from its results."""
    query, window = bound.query, bound.query.streams[0].window
    assert window is not None  # the operator was chosen by it
    if window.closed == "right":
        remedy = "windows of an aggregate are [start, end): write RANGE"
        bound.places.fail(query.streams[0].place, "KEEP leaves the older end of a window out", remedy)
    asked = asked_of(bound)
    with bound.building():
        plan = aggregate(
            asked.stream,
            size=bound.duration(window.size),
            slide=None if window.slide is None else bound.duration(window.slide),
            values=asked.calls.values,
            by=asked.by,
            contract=bound.contract,
            late=bound.late,
            buckets=query.buckets,
            early=early_of(query.early, bound.places),
            empty=query.empty,
        )
    schema = result_schema(plan.node, schema_of(asked.stream.frame))
    columns = columns_of(bound, asked, schema)
    return SqlOutput(query, plan, (partial(select, columns=columns),), columns)


def asked_of(bound: Bound, *, first: str = WINDOW) -> Asked:
    """Read the items of a query over windows; `first` is what every result begins with."""
    name, schema = bound.schemas()[0]
    known = StreamColumns([(name, schema)])

    def find(parts: list[str]) -> Sequence[str]:
        column, fields = known.find(QUERY, ".".join(parts), parts)
        return [column.column, *fields]

    by = groups_of(bound, find)
    calls = Calls(bound, find)
    items = items_of(bound, calls, first, {column: column for column in by})
    rows = _rows(bound, checked_filter(bound, find, schema))
    added = [Chosen(column, computed) for column, computed in calls.computed.items()]
    with bound.places.at(bound.query.place):
        frame = with_columns(rows, added)
    return Asked(replace(bound.streams[0], frame=frame), by, calls, items)


def groups_of(bound: Bound, find: Find) -> tuple[str, ...]:
    """Return the columns of GROUP BY, as they are found."""
    found = bound.places.finding(bound.query.place_of("group_by"), find)
    return tuple(found(column.parts)[0] for column in bound.query.group_by)


def items_of(bound: Bound, calls: Calls, first: str, groups: Mapping[str, str]) -> tuple[tuple[Item, Chosen], ...]:
    """Read what is selected, and note its functions; `groups` has the column of the results for each group.

    Raises:
        SqlError: something is neither a group nor a function of the rows, or there is no function.
    """
    items = tuple((item, _chosen(bound, calls, item, first, groups)) for item in bound.query.items)
    if not calls.values:
        remedy = "such as count(*) or max(delay)"
        bound.places.fail(bound.query.items[0].expression.place, "windows need an aggregate function", remedy)
    return items


def _chosen(bound: Bound, calls: Calls, item: Item, first: str, groups: Mapping[str, str]) -> Chosen:
    if is_star(item):
        bound.places.fail(item.expression.place, "* says nothing about windows", "name groups and functions")

    def place_of(parts: list[str]) -> Sequence[str]:
        if parts[0].lower() == first.lower():
            return [first, *parts[1:]]
        path = calls.find(parts)
        if path[0] not in groups:
            written = ".".join(parts)
            remedy = f"write GROUP BY {written}, or a function such as max({written})"
            bound.places.fail(item.expression.place, f"{parts[-1]} is no group", remedy)
        return [groups[path[0]], *path[1:]]

    if not bound.on_spark and not calls.has_functions(item):
        check_local(item.expression, bound.text, where="is not used in process")
    found = calls.read(item, place_of)
    if not bound.on_spark:
        check_local(item.expression, bound.text, where="is not used in process")
    return found


def _rows(bound: Bound, condition: Computed | None) -> Any:
    """Return the rows that WHERE lets pass; marks pass always."""
    stream = bound.streams[0]
    if condition is None:
        return stream.frame
    if stream.node.marker is not None:
        from sqlglot import exp

        from slackwater.sql.computed import Computed, column_at

        marks = exp.In(this=column_at([stream.node.marker]), expressions=list(map(exp.Literal.string, _MARKS)))
        condition = Computed(exp.Or(this=exp.Paren(this=condition.tree), expression=marks))
    with bound.places.at(bound.query.place if bound.query.where is None else bound.query.where.place):
        return keep(stream.frame, condition)


def columns_of(bound: Bound, asked: Asked, schema: Any) -> tuple[Chosen, ...]:
    """Return the window and the groups, then what is selected, then what early results have besides."""
    chosen = [each for _, each in asked.items]
    whole = {each.computed.path[0] for each in chosen if len(each.computed.path) == 1}
    parts = {each.computed.path[0] for each in chosen if each.computed.path}
    called = {column: asked.called.get(column, column) for column in (WINDOW, *asked.by)}
    before = [plain(called[column], column) for column in called if column not in parts]
    shown = [name for name in asked.calls.values if name in whole]
    rest = schema.names[1 + len(asked.by) :]
    own = {f"{name}{end}" for name in asked.calls.values for end in ("", "_low", "_high")}
    bounds = {f"{name}{end}" for name in shown for end in ("_low", "_high")}
    after = [plain(name) for name in rest if name in bounds or name not in own]
    found = [*((None, each) for each in before), *asked.items, *((None, each) for each in after)]
    return checked_columns(bound, found, schema)
