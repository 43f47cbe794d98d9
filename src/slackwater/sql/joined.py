"""Queries over several streams with windows: a join."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from slackwater.api import join
from slackwater.pipeline.rows import EVENT_TIME, result_schema
from slackwater.plan.columns import StreamColumns
from slackwater.sql.checked import checked_columns
from slackwater.sql.computed import LOCAL_DIALECT, prepared, written
from slackwater.sql.frames import select
from slackwater.sql.functions import check_local
from slackwater.sql.items import Chosen, Find, chosen, is_star, plain, refuse_aggregates, star_of
from slackwater.sql.output import SqlOutput
from slackwater.sql.places import QUERY
from slackwater.sql.slides import check_slide

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Item

_AGGREGATE = "write one for what the join finds: WINDOW [RANGE 1 MINUTE, SLIDE 10 SECONDS]"


def bind_join(bound: Bound) -> SqlOutput:
    """Build `sw.join`, and the columns that are selected from its results."""
    query = bound.query
    names = [each.node.name for each in bound.streams]
    within = {name: _window(bound, number) for number, name in enumerate(names)}
    check_slide(bound)
    with bound.building("where"):
        plan: Any = join(
            *bound.streams,
            within=within,
            where=_condition(bound),
            contract=bound.contract,
            late=bound.late,
            closed=_closed(bound),
            buckets=query.buckets,
            scope="global" if query.pooled else "bucket",
        )
    known = StreamColumns(bound.schemas())
    find = partial(_path, known)
    columns = _columns(bound, plan.node, known, find)
    steps = () if columns is None else (partial(select, columns=columns),)
    return SqlOutput(query, plan, steps, columns, find)


def _window(bound: Bound, number: int) -> Any:
    ref = bound.query.streams[number]
    if ref.window is None:
        remedy = f"write {ref.called} [5 SECONDS]; streams are put in one order by FROM MERGE(...)"
        bound.places.fail(ref.place, f"{ref.called} has no window to be joined in", remedy)
    return bound.duration(ref.window.size, number)


def _closed(bound: Bound) -> Any:
    kinds = {ref.window.closed for ref in bound.query.streams if ref.window is not None}
    if len(kinds) > 1:
        remedy = "KEEP leaves the older end of the window out, RANGE does not: write one of them"
        bound.places.fail(bound.query.streams[-1].place, "KEEP and RANGE are mixed", remedy)
    return kinds.pop()


def _condition(bound: Bound) -> str | None:
    """Return the condition as DuckDB speaks it, which evaluates those of joins on Spark too."""
    if bound.query.where is None:
        return None
    tree = prepared(bound.query.where, bound.text)
    check_local(bound.query.where, bound.text, where="conditions of a join are not computed with")
    return written(tree, LOCAL_DIALECT)


def _path(known: StreamColumns, parts: list[str]) -> Sequence[str]:
    """Return where results have a column: in the struct of its stream, but for the event time."""
    if [part.lower() for part in parts] == [EVENT_TIME]:
        return [EVENT_TIME]
    column, fields = known.find(QUERY, ".".join(parts), parts)
    return [known.names[column.stream], column.column, *fields]


def _columns(bound: Bound, node: Any, known: StreamColumns, find: Find) -> tuple[Chosen, ...] | None:
    """Return what is selected: `*` alone is the time and a struct for each stream, `bus.*` the columns of one."""
    items = bound.query.items
    if len(items) == 1 and is_star(items[0]) and star_of(items[0]) is None:
        return None
    found = [(item, each) for item in items for each in _expanded(bound, item, known, find)]
    return checked_columns(bound, _told_apart(found), result_schema(node, known.schemas))


def _told_apart(found: list[tuple[Item, Chosen]]) -> list[tuple[Item, Chosen]]:
    """Put the stream before the names of columns that several streams have, where the query gives none itself."""
    names = [each.name for _, each in found]
    return [
        (item, Chosen("_".join(each.computed.path), each.computed))
        if item.alias is None and each.computed.path and names.count(each.name) > 1
        else (item, each)
        for item, each in found
    ]


def _expanded(bound: Bound, item: Item, known: StreamColumns, find: Find) -> list[Chosen]:
    if not is_star(item):
        refuse_aggregates(bound, item.expression, _AGGREGATE)
        return [chosen(bound, item, find)]
    stream = star_of(item)
    if stream is None:
        bound.places.fail(item.expression.place, "* stands alone", "write the columns, or bus.* for those of a stream")
    with bound.places.at(item.expression.place):
        number = known.index(QUERY, f"{stream}.*", stream)
    return [plain(column, known.names[number], column) for column in known.schemas[number].names]
