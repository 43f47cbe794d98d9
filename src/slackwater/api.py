"""The operators as users call them: they build a plan and hand it to the runner that fits the input."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from slackwater.core.late import LatePolicy
from slackwater.errors import ParameterError
from slackwater.plan.nodes import ReorderNode, StreamNode, Unit
from slackwater.plan.validate import check_columns, check_contract, check_names, check_reorder
from slackwater.time import Duration, DurationLike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.contracts import Contract


@dataclass(frozen=True)
class Stream:
    """A frame, and what its columns mean. Made by `sw.stream`."""

    frame: Any
    node: StreamNode


class Output(Protocol):
    """What every operator gives back: tables for bounded frames, DataFrames on Spark."""

    @property
    def results(self) -> Any:
        """What was asked for."""

    @property
    def late(self) -> Any:
        """Every row that could not be used in time, with the reason and by how much it was late."""

    @property
    def decisions(self) -> Any:
        """One row per adaptation: the slack, and where the rows are."""

    def explain(self) -> str:
        """Describe the plan: operators, contract, controller, buckets, state, what will run."""


def stream(
    frame: Any,
    *,
    event_time: str,
    name: str = "stream",
    unit: Unit | None = None,
    arrival: str | None = None,
    arrival_time: str | None = None,
    max_ahead: DurationLike | None = "1 day",
    idle_after: DurationLike | None = None,
) -> Stream:
    """Say what the columns of a frame mean.

    Args:
        frame: a Spark DataFrame, or a pyarrow Table, pandas or polars frame with rows in arrival order.
        event_time: the column that says when a row happened: a timestamp, or integers with `unit`.
        name: how the stream is called in outputs and errors.
        unit: of integer event times: "s", "ms", "us" or "ns".
        arrival: a column that orders rows by arrival (integer or timestamp). Equal values arrived together. Without
            it, rows of a bounded frame arrived one after the other, rows of a Spark micro-batch all together.
        arrival_time: a column with the processing time of arrival; without it, it is now.
        max_ahead: a row that claims an event time further than this past its arrival goes to `late` with reason
            `future` and leaves the clock alone. None trusts every clock.
        idle_after: on Spark, a bucket without rows for this long (processing time) releases what it holds.

    >>> import pyarrow as pa
    >>> table = pa.table({"ts": [1, 4, 3, 5], "line": ["a", "b", "c", "d"]})
    >>> bus = stream(table, name="bus", event_time="ts", unit="s")
    """
    if not name:
        raise ParameterError("name", name, must="not be empty", remedy='such as name="bus"')
    node = StreamNode(
        name=name,
        event_time=event_time,
        unit=_checked_unit(unit),
        arrival=arrival,
        arrival_time=arrival_time,
        max_ahead=None if max_ahead is None else Duration.of(max_ahead, parameter="max_ahead"),
        idle_after=None if idle_after is None else Duration.of(idle_after, parameter="idle_after"),
    )
    if not _is_spark(frame):
        from slackwater.local.frames import to_arrow

        frame = to_arrow(frame)
    check_columns(node, _columns(frame))
    return Stream(frame, node)


def reorder(
    stream: Stream,
    *,
    contract: Contract | None = None,
    late: LatePolicy | str = "side",
    release: Literal["arrival", "clock"] = "arrival",
    by: str | Sequence[str] = (),
    buckets: int | None = None,
) -> Any:
    """Put a stream in event-time order, waiting as long as the contract says.

    Args:
        stream: made by `sw.stream`.
        contract: how good the order must be; leaving it out is an error that shows examples.
        late: what happens to rows that come too late: "side" (the default: to the `late` output), "drop", "adjust"
            (raise their event time) or "raise".
        release: "arrival" checks what may leave at every arrival (SUN15), "clock" when the clock grows (JI16).
        by: columns; rows of equal values are in order, and Spark may spread the work over `buckets`.
        buckets: on Spark, how many parts the keys of `by` are spread over; each has its own clock. A bounded frame
            in process has one clock over all rows.

    >>> import pyarrow as pa
    >>> import slackwater as sw
    >>> bus = sw.stream(pa.table({"ts": [1, 4, 3, 5]}), event_time="ts", unit="s")
    >>> sw.reorder(bus, contract=sw.FixedSlack("1 second")).results["ts"].to_pylist()
    [1, 3, 4, 5]
    """
    if not isinstance(stream, Stream):
        remedy = 'wrap it: sw.stream(frame, event_time="ts")'
        raise ParameterError("stream", type(stream).__name__, must="be made by sw.stream", remedy=remedy)
    check_names([stream.node])
    keys = (by,) if isinstance(by, str) else tuple(by)
    node = ReorderNode(
        stream=stream.node,
        contract=check_contract("reorder", contract),
        late=LatePolicy.of(late),
        release=release,
        by=keys,
        buckets=buckets if buckets is not None else (8 if keys else 1),
    )
    check_reorder(node, _columns(stream.frame))
    if _is_spark(stream.frame):
        from slackwater.spark.query import SparkReorder

        return SparkReorder.of(node, stream.frame)
    from slackwater.local.reorder import LocalReorder

    return LocalReorder.of(node, stream.frame, time.time_ns() // 1_000)


def session(**options: Any) -> Any:
    """Build a local SparkSession that has all that slackwater needs. See `slackwater.spark.session.session`."""
    from slackwater.spark.session import session as build

    return build(**options)


def _checked_unit(unit: Unit | None) -> Unit | None:
    if unit not in (None, "s", "ms", "us", "ns"):
        raise ParameterError("unit", unit, must='be "s", "ms", "us" or "ns"', remedy="leave it out for timestamps")
    return unit


def _is_spark(frame: Any) -> bool:
    """Whether a frame is Spark's, found out without importing Spark."""
    return type(frame).__module__.startswith("pyspark.sql")


def _columns(frame: Any) -> list[str]:
    return list(frame.columns) if _is_spark(frame) else list(frame.column_names)
