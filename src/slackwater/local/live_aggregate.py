"""An aggregate that is fed bit by bit, in process: rows, prods and punctuations as they come."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.events import PUNCTUATION, Events
from slackwater.local.frames import to_arrow
from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.aggregate_decisions import aggregate_decisions
from slackwater.pipeline.columns import late_table, read_batch
from slackwater.pipeline.groups import Groups
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.prod import Prod, check_prod, control_marks
from slackwater.pipeline.read_marks import KnownGroups, read_marks
from slackwater.time import Duration, microseconds_of

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.measurement import Counts
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True)
class Left:
    """What left the operator after one call."""

    results: pa.Table
    late: pa.Table
    decisions: pa.Table


class LiveAggregate:
    """The same plan as over a table, one call at a time; made by `sw.aggregate(...).live()`.

    Remembers open windows, and every group that it has seen.

    >>> import slackwater as sw
    >>> none = pa.table({"ts": pa.array([], pa.int64()), "x": pa.array([], pa.int64())})
    >>> plan = sw.aggregate(sw.stream(none, event_time="ts", unit="s"), size="50 seconds",
    ...                     values={"total": sw.sum("x")}, contract=sw.FixedSlack("1 hour"),
    ...                     early=sw.Early(estimate="raw"))
    >>> live = plan.live()
    >>> live.feed(pa.table({"ts": [11, 23, 32, 45], "x": [40, 20, 30, 20]})).results.num_rows
    0
    >>> live.prod().results.select(["total", "kind", "revision"]).to_pylist()
    [{'total': 110, 'kind': 'early', 'revision': 0}]
    >>> live.feed(pa.table({"ts": [49], "x": [25]})).results.num_rows
    0
    >>> live.end().results.select(["total", "kind", "revision"]).to_pylist()
    [{'total': 135, 'kind': 'final', 'revision': 1}]
    """

    def __init__(self, node: AggregateNode, schema: pa.Schema) -> None:
        self._node, self._schema = node, schema
        self._pipeline = AggregatePipeline(node)
        self._keys = schema.empty_table().select(list(node.by))  # of every group, by its code

    def feed(self, frame: Any) -> Left:
        """Take in rows in arrival order, marked ones included; without rows it is a pause, for what was set aside."""
        return self._step(to_arrow(frame).select(self._schema.names).cast(self._schema), ())

    def prod(self, *, until: dt.datetime | int | None = None, where: Mapping[str, Any] | None = None) -> Left:
        """Show open windows that end up to a time (a datetime, or us; left out: all), of groups with these values."""
        prod = Prod(None if until is None else microseconds_of(until), where or {})
        check_prod(self._node.by, prod)
        return self._step(self._schema.empty_table(), (prod,))

    def punctuate(
        self,
        until: dt.datetime | int,
        *,
        since: dt.datetime | int | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Left:
        """Promise that no more events will come before a time, of a group; close what that ends.

        Where `where` names some of the columns that make a group, it speaks of the groups seen so far.
        """
        promise = Prod(microseconds_of(until), where or {})
        check_prod(self._node.by, promise)
        if len(promise.where) == len(self._node.by) > 0:  # a group that comes later must be known by then
            self._coded(pa.Table.from_pylist([dict(promise.where)], schema=self._keys.schema))
        begins = None if since is None else microseconds_of(since)
        return self._step(self._schema.empty_table(), (promise,), kind=PUNCTUATION, since=begins)

    @property
    def counts(self) -> Counts:
        """Where the rows are, from the start: arrived = released + late + buffered (set aside)."""
        return self._pipeline.counts

    def end(self) -> Left:
        """Work off what was set aside, and close every window that has events."""
        return self._left(self._schema.empty_table(), self._pipeline.on_end(), 0)

    def _step(self, table: pa.Table, asked: tuple[Prod, ...], **mark: Any) -> Left:
        started = time.perf_counter_ns()
        code = self._coded(table)
        groups = KnownGroups(code, self._keys)
        incoming = Incoming(Events.none())
        if table.num_rows:
            incoming = read_batch(self._node.stream, table, processing_time=time.time_ns() // 1_000)
        incoming, marks = read_marks(self._node, table, incoming, groups)
        marks += control_marks(self._node, self._schema, asked, groups, **mark)
        outcome = self._pipeline.on_batch(incoming, code, read_inputs(self._node, table), marks)
        return self._left(table, outcome, (time.perf_counter_ns() - started) // 1_000)

    def _coded(self, table: pa.Table) -> Rows:
        """Return the group of each row; a group that is known keeps its code."""
        mine = table.select(list(self._node.by))
        every = pa.concat_tables([self._keys, mine])
        known = self._keys.num_rows if self._node.by else 0
        groups = Groups.of([every[column] for column in self._node.by], known + table.num_rows)
        code = np.full(len(groups.row), -1, np.int64)
        code[groups.code[:known]] = np.arange(known)
        new = np.flatnonzero(code < 0)
        code[new] = known + np.arange(len(new))
        if self._node.by:
            self._keys = pa.concat_tables([self._keys, every.take(groups.row[new])]).combine_chunks()
        return code[groups.code[known:]]

    def _left(self, table: pa.Table, outcome: AggregateOutcome, took: int) -> Left:
        node = self._node
        return Left(
            results_table(node, self._schema, self._keys, outcome.emitted),
            late_table(node, table, outcome.late),
            aggregate_decisions(node, outcome, bucket=0, took=Duration(took)),
        )
