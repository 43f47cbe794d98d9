"""Checks of an aggregate that need no data: windows, functions and the columns they are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.contracts import DropRatio, FixedSlack, MaxSlack, NoSlack, Punctuated, RelativeError
from slackwater.core.late import LatePolicy
from slackwater.early import Early
from slackwater.errors import ColumnError, ParameterError, missing_column
from slackwater.events import LATE_COLUMNS
from slackwater.plan.counted_values import counted_values, estimated_values
from slackwater.plan.keys import family
from slackwater.plan.nodes import AggregateNode
from slackwater.plan.validate import check_buckets, check_contract
from slackwater.plan.validate_sideline import check_sideline
from slackwater.plan.values import Value
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.plan.nodes import StreamNode

WINDOW = "window"  # the first column of the results
COVERAGE = "coverage"  # the third last, where early results are corrected
KIND, REVISION = "kind", "revision"  # the last ones, where there are early results


def aggregate_node(
    stream: StreamNode,
    schema: pa.Schema,
    *,
    size: Any,
    slide: Any,
    values: Any,
    by: str | Sequence[str],
    contract: Any,
    late: LatePolicy | str,
    buckets: int | None,
    early: Any = None,
    empty: bool = False,
    sideline: Any = None,
) -> AggregateNode:
    """Build the node of an aggregate over the columns of its input, or say what is wrong with it."""
    length, step = check_sizes(size, slide)
    node = AggregateNode(
        stream=stream,
        size=length,
        slide=step,
        values=check_values(values),
        by=(by,) if isinstance(by, str) else tuple(by),
        contract=check_contract("aggregate", contract),
        late=LatePolicy.of(late),
        buckets=1 if buckets is None else buckets,
        early=Early(estimate="raw") if early is None and sideline is not None else check_early(early),
        empty=check_empty(empty),
        sideline=sideline,
    )
    check_sideline(node)
    check_aggregate(node, schema)
    return _checked_names(replace(node, counted=counted_values(node, schema), estimated=estimated_values(node, schema)))


def nested_node(
    below: AggregateNode,
    schema: pa.Schema,
    *,
    size: Any,
    slide: Any,
    values: Any,
    by: str | Sequence[str],
    early: Any = None,
    **others: Any,
) -> AggregateNode:
    """Build the node of an aggregate over the results of another one; `schema` is that of those results.

    On Spark all levels run in the buckets of the last one: without groups of its own there is one.
    """
    _check_left_out(below, others)
    length, step = check_sizes(size, slide)
    keys = (by,) if isinstance(by, str) else tuple(by)
    node = replace(
        below,
        size=length,
        slide=step,
        values=check_values(values),
        by=keys,
        buckets=below.buckets if keys else 1,
        early=check_early(early),
        below=below,
    )
    for parameter, columns, known in (
        ("by", node.by, below.by),
        ("values", [v.column for _, v in node.values if v.column is not None], [name for name, _ in below.values]),
    ):
        for column in columns:
            if column not in known:
                what = "groups" if parameter == "by" else "values"
                remedy = f"the aggregate below has the {what} {', '.join(known) or '(none)'}"
                raise ParameterError(parameter, column, must=f"be one of the {what} below", remedy=remedy)
    check_window_columns(node, schema)
    return replace(node, estimated=estimated_values(node, schema))


def _check_left_out(below: AggregateNode, others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if value is not None and (name, value) not in (("late", "side"), ("empty", False)):
            raise ParameterError(
                name,
                value,
                must="be left out where the results of an aggregate are aggregated",
                remedy=f"say {name}= where the stream is aggregated: it decides for the plan",
            )
    if below.top is not None:
        raise ParameterError(
            "top", below.top, must="be the last of a plan", remedy="aggregate first: sw.top(sw.aggregate(...), ...)"
        )
    if below.sideline is not None:
        raise ParameterError(
            "sideline",
            repr(below.sideline),
            must="be left out where results are aggregated again",
            remedy="the level above would have to wait for every window",
        )
    if below.early is not None:
        raise ParameterError(
            "early", repr(below.early), must="be said of the last aggregate", remedy="a prod sweeps the whole plan"
        )
    if below.empty:
        raise ParameterError(
            "empty",
            True,
            must="be False where results are aggregated again",
            remedy="what is empty adds nothing to them",
        )


def check_empty(empty: Any) -> bool:
    """Return whether windows without rows have results."""
    if not isinstance(empty, bool):
        raise ParameterError("empty", empty, must="be True or False", remedy="True reports windows without rows")
    return empty


def check_sizes(size: Any, slide: Any) -> tuple[Duration, Duration]:
    """Return the size and the slide of windows; without a slide they follow each other without overlap."""
    if size is None:
        raise ParameterError("size", None, must="say how long windows are", remedy='such as "30 seconds"')
    length = Duration.of(size, parameter="size")
    step = length if slide is None else Duration.of(slide, parameter="slide")
    for name, each in (("size", length), ("slide", step)):
        if not each:
            raise ParameterError(name, "0 seconds", must="be > 0", remedy='write a duration such as "10 seconds"')
    if step > length:
        raise ParameterError(
            "slide",
            str(step),
            must=f"be at most the size ({length})",
            remedy="events between windows would be in none; leave slide out for windows without overlap",
        )
    return length, step


def check_early(early: Any) -> Early | None:
    """Return when windows are shown early."""
    if early is not None and not isinstance(early, Early):
        raise ParameterError("early", early, must="be made by sw.Early", remedy="such as sw.Early(aggressiveness=0.25)")
    return early


def check_values(values: Any) -> tuple[tuple[str, Value], ...]:
    """Return what is to be computed, each with its name."""
    example = 'such as {"worst": sw.max("delay"), "n": sw.count()}'
    if not isinstance(values, Mapping) or not values:
        must = "be a dict that names at least one aggregate"
        raise ParameterError("values", values, must=must, remedy=example)
    for name, value in values.items():
        if not isinstance(name, str) or not name:
            raise ParameterError("values", name, must="be named by texts", remedy=example)
        if not isinstance(value, Value):
            shown = getattr(value, "__name__", value)
            raise ParameterError(
                f"values[{name!r}]",
                shown,
                must="be one of sw.count, sum, mean, min, max, variance, quantile, distinct, or an sw.Value",
                remedy=example,
            )
    return tuple(values.items())


def check_aggregate(node: AggregateNode, schema: pa.Schema) -> None:
    """Check an aggregate against the columns of its input."""
    check_window_columns(node, schema)
    check_buckets(node.buckets)
    if node.buckets > 1 and not node.by:
        raise ParameterError("buckets", node.buckets, must="be 1 without by=", remedy='say by="key" to spread groups')
    if node.late.changes_times:
        raise ParameterError(
            "late", "adjust", must='be "side", "drop" or "raise"', remedy="an aggregate cannot change event times"
        )
    _check_contract(node)
    check_marks(node, schema)
    for column in LATE_COLUMNS:
        if column in schema.names:
            raise ColumnError(
                node.stream.name, column, problem="has a name that the late output uses", remedy="rename it"
            )


def check_window_columns(node: AggregateNode, schema: pa.Schema) -> None:
    """Check groups and values against the columns of what is aggregated."""
    _check_groups(node, schema)
    for name, value in node.values:
        _check_value(node, name, value, schema)


def _check_contract(node: AggregateNode) -> None:
    if not isinstance(node.contract, NoSlack | FixedSlack | MaxSlack | DropRatio | RelativeError | Punctuated):
        deadline, remedy = node.contract.deadline, "use RelativeError, DropRatio, FixedSlack, MaxSlack or NoSlack"
        if deadline is not None:
            remedy = (
                f'its windows always wait for the slack: FixedSlack("{deadline.left}"), or any other with such a cap='
            )
        raise ParameterError(
            "contract", type(node.contract).__name__, must="be one that an aggregate can keep", remedy=remedy
        )
    if isinstance(node.contract, FixedSlack) and node.contract.by_stream:
        raise ParameterError(
            "slack", "one by stream", must="be one duration here", remedy="an aggregate has one stream"
        )


def check_marks(node: AggregateNode, schema: pa.Schema) -> None:
    """Check the columns that mark prods and punctuations, and that there can be some where nothing else ends a wait."""
    marker, since = node.stream.marker, node.stream.since
    if marker is not None and not _is_text(schema.field(marker).type):
        raise ColumnError(
            node.stream.name,
            marker,
            problem=f"is {schema.field(marker).type}, not text",
            remedy='write "prod" or "punctuation" where a row is one, else null',
        )
    if since is not None and schema.field(since).type != schema.field(node.stream.event_time).type:
        raise ColumnError(
            node.stream.name,
            since,
            problem=f"is {schema.field(since).type}, not as {node.stream.event_time}",
            remedy=f"cast it to {schema.field(node.stream.event_time).type}",
        )
    if isinstance(node.contract, Punctuated) and marker is None and node.contract.cap is None:
        raise ParameterError(
            "contract",
            "Punctuated()",
            must="be used with a stream that has punctuations",
            remedy='say which rows are: sw.stream(..., marker="what"); or give it a cap',
        )


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)


def _check_groups(node: AggregateNode, schema: pa.Schema) -> None:
    taken = [WINDOW, *node.by]
    own = [WINDOW] if node.early is None else [WINDOW, KIND, REVISION]
    own += [COVERAGE] if node.corrects_early else []
    for column in node.by:
        if column not in schema.names:
            raise missing_column(node.stream.name, column, schema.names)
        if family(schema.field(column).type) is None:
            raise ColumnError(
                node.stream.name,
                column,
                problem=f"is {schema.field(column).type}, which cannot be a group",
                remedy="group by numbers, texts, times or booleans",
            )
    for column in [*node.by, *(name for name, _ in node.values)]:
        if column in own or [*taken, *(name for name, _ in node.values)].count(column) > 1:
            raise ParameterError(
                "values" if column not in node.by else "by",
                column,
                must="be a column that the results do not have yet",
                remedy=f"the results have {', '.join(dict.fromkeys([*taken, *own]))} anyway",
            )


def bounds_of(name: str) -> tuple[str, str]:
    """Return the columns of the interval of a value."""
    return f"{name}_low", f"{name}_high"


def _checked_names(node: AggregateNode) -> AggregateNode:
    """Check that no column has the name of a bound."""
    bounds = {bound: name for name in node.estimated for bound in bounds_of(name)} if node.corrects_early else {}
    for column in [*node.by, *(name for name, _ in node.values)]:
        if column in bounds:
            raise ParameterError(
                "values" if column not in node.by else "by",
                column,
                must=f"not be the name of a bound of {bounds[column]}",
                remedy='rename it; or show what has come: sw.Early(estimate="raw")',
            )
    return node


def _check_value(node: AggregateNode, name: str, value: Value, schema: pa.Schema) -> None:
    if value.column is None:
        return
    if value.column not in schema.names:
        raise missing_column(node.stream.name, value.column, schema.names)
    kind = schema.field(value.column).type
    if not value.takes(kind):
        raise ColumnError(
            node.stream.name,
            value.column,
            problem=f"is {kind}, so {name} = {value!r} means nothing",
            remedy="cast it to float64 or int64" + (", or to a timestamp" if value.accepts == "ordered" else ""),
        )
