"""A stream of prods of its own becomes rows of the stream that it prods (PROD Fig. 3.2a)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slackwater.api import Stream, is_spark, schema_of
from slackwater.errors import ColumnError, ParameterError
from slackwater.events import PROD

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKER = "marker"  # the column that tells prods from rows, where the stream has none


def with_prods(stream: Stream, prods: Any, by: Sequence[str]) -> Stream:
    """Add the rows of a stream of prods; of their columns, the times and the groups count."""
    if not isinstance(prods, Stream):
        remedy = 'wrap it: sw.stream(frame, event_time="until", arrival="seq")'
        raise ParameterError("prods", type(prods).__name__, must="be made by sw.stream", remedy=remedy)
    _check_kinds(stream, prods)
    marker = stream.node.marker or _free_name(stream)
    names = _columns(stream, prods, by)
    marked = _marked_spark if is_spark(stream.frame) else _marked_table
    return Stream(marked(stream.frame, prods.frame, names, marker), replace(stream.node, marker=marker))


def _check_kinds(stream: Stream, prods: Stream) -> None:
    if is_spark(stream.frame) != is_spark(prods.frame):
        raise ParameterError("prods", "another kind of frame", must="be of the stream's kind", remedy="load both alike")
    if (stream.node.arrival is None) != (prods.node.arrival is None):
        raise ParameterError(
            "prods",
            f"arrival {prods.node.arrival}",
            must=f"be ordered as the stream is (arrival {stream.node.arrival})",
            remedy="name a column that orders the rows of both by arrival, or none",
        )
    if stream.node.arrival is None and not (is_spark(stream.frame) and stream.frame.isStreaming):
        raise ParameterError(
            "prods",
            "no arrival",
            must="say between which rows prods came",
            remedy="name a column that orders the rows of both by arrival: sw.stream(..., arrival=)",
        )


def _free_name(stream: Stream) -> str:
    if MARKER in schema_of(stream.frame).names:
        raise ColumnError(stream.node.name, MARKER, problem="is there already", remedy="name it: marker=, or rename it")
    return MARKER


def _columns(stream: Stream, prods: Stream, by: Sequence[str]) -> dict[str, str]:
    """Return which columns of prods become which columns of the stream."""
    names = {prods.node.event_time: stream.node.event_time}
    if prods.node.arrival is not None and stream.node.arrival is not None:
        names[prods.node.arrival] = stream.node.arrival
    known, ours = schema_of(prods.frame).names, schema_of(stream.frame)
    for column in known:
        if column in by:
            names[column] = column
        elif column not in names:
            raise ColumnError(
                prods.node.name,
                column,
                problem="is no column that the aggregate is grouped by",
                remedy=f"groups have: {', '.join(by) or 'no columns'}; select what prods need",
            )
    if stream.node.unit != prods.node.unit:
        raise ParameterError("prods", f"unit {prods.node.unit}", must=f"be {stream.node.unit}", remedy="use one unit")
    return {name: column for name, column in names.items() if column in ours.names}


def _marked_table(frame: Any, prods: Any, names: dict[str, str], marker: str) -> Any:
    import pyarrow as pa

    if marker not in frame.column_names:
        frame = frame.append_column(marker, pa.nulls(frame.num_rows, pa.string()))
    columns = {column: prods[name].cast(frame.schema.field(column).type) for name, column in names.items()}
    columns[marker] = pa.array([PROD] * prods.num_rows, frame.schema.field(marker).type)
    return pa.concat_tables([frame, pa.table(columns)], promote_options="default")


def _marked_spark(frame: Any, prods: Any, names: dict[str, str], marker: str) -> Any:
    from slackwater.spark.marked import union_of_marked

    return union_of_marked(frame, prods, names, marker)
