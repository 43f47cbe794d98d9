"""Runs a join or a merge over Arrow tables, and an aggregate over what that gives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.local.aggregate import LocalAggregate
from slackwater.local.bounded import BoundedOutput
from slackwater.pipeline.chained import check_all_used, fed_rows, results_schema
from slackwater.plan.explain_chain import explain_chain

if TYPE_CHECKING:
    from slackwater.local.join import LocalStreams
    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import AggregateNode


@dataclass(frozen=True)
class LocalChain(BoundedOutput):
    """The outputs of a chain over bounded tables; it runs when the first of them is asked for."""

    first: LocalStreams
    then: AggregateNode
    feed: Feed

    def with_aggregate(self, node: AggregateNode) -> LocalChain:
        """Return another aggregate over the same rows."""
        return replace(self, then=node)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows that are aggregated."""
        return self.feed.schema(results_schema(self.first.node, [table.schema for table in self.first.tables]))

    def __repr__(self) -> str:
        return f"<LocalChain: {self.first!r}, then {self.then.operator}>"

    @property
    def results(self) -> pa.Table:
        """One row for each window and group that has results of the first operator."""
        return self._second.results

    @property
    def late(self) -> pa.Table:
        """Every row that came too late for the first operator; none of its results is late."""
        return self.first.late

    @cached_property
    def decisions(self) -> pa.Table:
        """One row per adaptation of each operator: those of the first, then those of the aggregate."""
        return pa.concat_tables([self.first.decisions, self._second.decisions])

    def explain(self) -> str:
        """Describe what runs."""
        return f"{self.first.explain()}\n{explain_chain(self.then)}"

    @cached_property
    def _second(self) -> LocalAggregate:
        outcome, _ = self.first._run
        rows = fed_rows(self.first.node, self.feed, self.first.tables, [outcome])
        until = int(outcome.watermark[-1]) if len(outcome.watermark) else None
        second = LocalAggregate(self.then, rows, self.first.processing_time, until)
        check_all_used(rows.num_rows, second.late.num_rows)
        return second
