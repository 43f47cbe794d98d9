"""Queries over a window that moves with every row, as KIM has them: `[RANGE 5 minutes, DRATIO 1%]` without a SLIDE.

The rows are put in order under the contract, and each gives a result over the window `(t - size, t]` that ends with it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.api import reorder, schema_of
from slackwater.local.rolled import rolled
from slackwater.pipeline.columns import read_batch
from slackwater.sql.checked import checked_columns
from slackwater.sql.frames import select
from slackwater.sql.items import plain
from slackwater.sql.output import SqlOutput
from slackwater.sql.windowed import Asked, asked_of

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound
    from slackwater.time import Duration


def bind_rolling(bound: Bound) -> SqlOutput:
    """Build `sw.reorder`, and windows over its results."""
    query, ref = bound.query, bound.query.streams[0]
    assert ref.window is not None  # the operator was chosen by it
    if bound.on_spark:
        remedy = "in process there are: read the files with pyarrow. On Spark write a SLIDE, such as SLIDE 1 SECOND"
        bound.places.fail(ref.place, "on Spark there are no windows that move with every row", remedy)
    if query.early is not None or query.empty:
        place = query.place_of("empty" if query.empty else "early")
        bound.places.fail(place, "a window that moves with every row is neither early nor empty", "write a SLIDE")
    asked = asked_of(bound, first=bound.streams[0].node.event_time)
    size = bound.duration(ref.window.size)
    if not size:
        bound.places.fail(ref.place, "the window is empty", "write a size above 0")
    with bound.building():
        plan = reorder(asked.stream, contract=bound.contract, late=bound.late)
        nothing = _with_values(schema_of(asked.stream.frame).empty_table(), asked, size)
    columns = _columns(bound, asked, nothing.schema)
    steps = partial(_with_values, asked=asked, size=size), partial(select, columns=columns)
    return SqlOutput(query, plan, steps)


def _with_values(rows: pa.Table, asked: Asked, size: Duration) -> pa.Table:
    """Put the values of its window beside each row, time and groups first."""
    stream = asked.stream.node
    times = read_batch(stream, rows, processing_time=0).events.time
    found = rolled(rows, times, asked.calls.values, by=asked.by, size=size)
    first = [stream.event_time, *(column for column in asked.by if column != stream.event_time)]
    columns: dict[str, Any] = {column: rows[column] for column in first if column not in found}
    return pa.table({**columns, **found})


def _columns(bound: Bound, asked: Asked, schema: pa.Schema) -> Any:
    paths = {each.computed.path[0] for _, each in asked.items if len(each.computed.path) == 1}
    before = [plain(name) for name in schema.names if name not in paths and name not in asked.calls.values]
    return checked_columns(bound, [*((None, each) for each in before), *asked.items], schema)
