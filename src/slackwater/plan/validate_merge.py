"""Checks of a merge that need no data, and what its results look like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from slackwater.contracts import Recall
from slackwater.control.choose import controller_for, default_controller
from slackwater.control.controller import needs_cross
from slackwater.errors import ColumnError, ParameterError
from slackwater.events import LATE_COLUMNS
from slackwater.plan.validate import check_buckets, check_streams, check_struct_names

if TYPE_CHECKING:
    from slackwater.plan.nodes import MergeNode, StreamNode

Payload = Literal["columns", "structs"]


def payload_of(streams: Sequence[StreamNode], schemas: Sequence[Any], asked: Payload | None) -> Payload:
    """Return how results hold the columns of streams: as asked, else as shared columns where all have the same."""
    if asked not in (None, "columns", "structs"):
        raise ParameterError(
            "payload", asked, must='be "columns" or "structs"', remedy="leave it out to let the columns decide"
        )
    difference = _difference(streams, schemas)
    if asked == "columns" and difference is not None:
        raise difference
    return asked or ("columns" if difference is None else "structs")


def check_merge(node: MergeNode, schemas: Sequence[Any]) -> None:
    """Check what a merge asks for."""
    check_streams(node)
    _check_goal(node)
    _check_keys(node, schemas)
    if node.payload == "structs":
        check_struct_names(node.streams)
        return
    for stream, schema in zip(node.streams, schemas, strict=True):
        for column in schema.names:
            own_time = column == "event_time" == stream.event_time
            taken = ("event_time", *LATE_COLUMNS, *(("ready",) if node.contract.deadline is not None else ()))
            if column in taken and not own_time:
                raise ColumnError(
                    stream.name,
                    column,
                    problem="has a name that the outputs use",
                    remedy='rename it, or say payload="structs"',
                )


def _check_keys(node: MergeNode, schemas: Sequence[Any]) -> None:
    """Check what buckets are made by: equal keys of all streams must have equal hashes."""
    check_buckets(node.buckets)
    if node.buckets > 1 and not node.by:
        raise ParameterError(
            "buckets", node.buckets, must="be 1 without by=", remedy='say by="key" for an order per key'
        )
    for column in node.by:
        types = [{field.name: field.type for field in schema}.get(column) for schema in schemas]
        for stream, found in zip(node.streams, types, strict=True):
            if found is None or found != types[0]:
                problem = (
                    "does not exist" if found is None else f"is {found}, but {types[0]} in {node.streams[0].name!r}"
                )
                raise ColumnError(
                    stream.name, column, problem=problem, remedy="by= needs columns that all streams have, of one type"
                )


def _check_goal(node: MergeNode) -> None:
    contract = node.contract.promise
    if isinstance(contract, Recall):
        raise ParameterError(
            "contract",
            f"Recall({contract.target})",
            must="be about rows: a merge has no other results",
            remedy=f"DropRatio({round(1 - contract.target, 12):g}) lets the same share come too late",
        )
    if needs_cross(controller_for(node.contract)):
        name = type(contract.controller or default_controller(contract)).__name__
        raise ParameterError(
            "controller", name, must="learn from rows, not from what is joined", remedy="leave it out for the default"
        )


def _difference(streams: Sequence[StreamNode], schemas: Sequence[Any]) -> ColumnError | None:
    """Return the first way in which the columns of a stream differ from those of the first, in words."""
    first, known = streams[0].name, {field.name: field.type for field in schemas[0]}
    for stream, schema in zip(streams[1:], schemas[1:], strict=True):
        own = {field.name: field.type for field in schema}
        for column in [*known, *own]:
            if own.get(column) != known.get(column):
                found, expected = (str(each.get(column, "missing")) for each in (own, known))
                return ColumnError(
                    stream.name,
                    column,
                    problem=f"is {found}, but {expected} in {first!r}",
                    remedy='give all streams the same columns, or say payload="structs"',
                )
    return None
