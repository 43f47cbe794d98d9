"""Queries without windows: a stream in order, or several merged into one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from slackwater.api import reorder
from slackwater.api_merge import merge
from slackwater.pipeline.merged_rows import merged_schema
from slackwater.plan.columns import StreamColumns
from slackwater.sql.checked import checked_columns, checked_filter
from slackwater.sql.frames import keep, select
from slackwater.sql.items import Chosen, Find, chosen, is_star, plain, refuse_aggregates, star_of
from slackwater.sql.output import SqlOutput, Step
from slackwater.sql.places import QUERY

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.sql.bound import Bound
    from slackwater.sql.tree import Item

_AGGREGATE = "write one, such as bus [RANGE 30 SECONDS, SLIDE 10 SECONDS], or WINDOW [...] after MERGE(...)"


def bind_reorder(bound: Bound) -> SqlOutput:
    """Build `sw.reorder`; all rows are put in order, and WHERE chooses from the results."""
    query, stream = bound.query, bound.streams[0]
    name, schema = bound.schemas()[0]
    known = StreamColumns([(name, schema)])
    by = [_key(bound, known, column) for column in query.partition_by]
    with bound.building():
        plan = reorder(stream, contract=bound.contract, late=bound.late, by=by, buckets=query.buckets)
    steps, _ = _steps(bound, partial(_path, known), schema)
    return SqlOutput(query, plan, steps)


def bind_merge(bound: Bound) -> SqlOutput:
    """Build `sw.merge`; WHERE chooses from the results."""
    query = bound.query
    for ref in query.streams:
        if ref.window is not None:
            remedy = "what it gives has windows: MERGE(bus, scats) WINDOW [RANGE 1 MINUTE, SLIDE 10 SECONDS]"
            bound.places.fail(ref.place, "streams of a merge have no windows of their own", remedy)
    with bound.building():
        plan: Any = merge(
            *bound.streams,
            contract=bound.contract,
            late=bound.late,
            by=query.partition_by,
            buckets=query.buckets,
        )
    schema = merged_schema(plan.node, [each for _, each in bound.schemas()])
    find = partial(_path, StreamColumns([("merged", schema)]))
    return SqlOutput(query, plan, *_steps(bound, find, schema), find)


def _key(bound: Bound, known: StreamColumns, column: str) -> str:
    with bound.places.at(bound.query.place_of("partition_by")):
        return known.of_stream(0, column).column


def _path(known: StreamColumns, parts: list[str]) -> Sequence[str]:
    column, fields = known.find(QUERY, ".".join(parts), parts)
    return [column.column, *fields]


def _steps(bound: Bound, find: Find, schema: pa.Schema) -> tuple[tuple[Step, ...], tuple[Chosen, ...] | None]:
    """Return what is done to the results: rows are chosen, then columns; and these columns, unless it is all."""
    steps: list[Step] = []
    condition = checked_filter(bound, find, schema)
    if condition is not None:
        steps.append(partial(keep, condition=condition))
    items = bound.query.items
    if len(items) == 1 and is_star(items[0]):
        return tuple(steps), None
    found = [(item, each) for item in items for each in _expanded(bound, item, schema, find)]
    columns = checked_columns(bound, found, schema)
    return (*steps, partial(select, columns=columns)), columns


def _expanded(bound: Bound, item: Item, schema: pa.Schema, find: Find) -> list[Chosen]:
    if not is_star(item):
        refuse_aggregates(bound, item.expression, _AGGREGATE)
        return [chosen(bound, item, find)]
    called = [ref.called.lower() for ref in bound.query.streams]
    stream = star_of(item)
    if stream is not None and stream.lower() not in called:
        bound.places.fail(item.expression.place, f"there is no stream {stream!r} here")
    return [plain(column) for column in schema.names]
