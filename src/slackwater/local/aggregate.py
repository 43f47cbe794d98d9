"""Runs an aggregate plan over an Arrow table."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.errors import ParameterError
from slackwater.events import Events, Late
from slackwater.local.bounded import BoundedOutput
from slackwater.local.live_aggregate import LiveAggregate
from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.aggregate_decisions import aggregate_decisions
from slackwater.pipeline.boundaries import Decisions
from slackwater.pipeline.chained import complete_until
from slackwater.pipeline.columns import check_types, late_table, read_batch
from slackwater.pipeline.emitted import Emitted
from slackwater.pipeline.groups import Groups
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.marks import Mark
from slackwater.pipeline.read_marks import KnownGroups, read_marks
from slackwater.plan.explain import in_a_line
from slackwater.plan.explain_aggregate import explain_aggregate
from slackwater.plan.nodes import AggregateNode
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.core.cells import Cells
    from slackwater.events import Rows

BATCH_ROWS = 1_000_000  # closing windows reads all open panes, so that few large batches are better; results are equal


@dataclass(frozen=True, repr=False)
class LocalAggregate(BoundedOutput):
    """The outputs of an aggregate plan over a bounded table; it runs when the first of them is asked for."""

    node: AggregateNode
    table: pa.Table
    processing_time: int  # of the arrival of the table, for the guard against clocks from the future
    until: int | None = None  # before this no row can come, where that is known

    @classmethod
    def of(cls, node: AggregateNode, table: pa.Table, processing_time: int) -> LocalAggregate:
        """Check the columns, and hold the plan."""
        check_types(node.stream, table.schema)
        return cls(node, table, processing_time)

    def with_aggregate(self, node: AggregateNode) -> LocalAggregate:
        """Return another plan over the same table."""
        return replace(self, node=node)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        return self.table.schema

    def __repr__(self) -> str:
        return in_a_line("LocalAggregate", self.node, f"{self.table.num_rows:,} rows")

    @cached_property
    def results(self) -> pa.Table:
        """One row for each window and group that has events: the window, the group, the values."""
        return results_table(self.node, self.table.schema, self._levels[-1].keys, self._run[0].emitted)

    @property
    def emitted(self) -> Emitted | None:
        """The results as they left, early ones included, for those who compare runs."""
        return self._run[0].emitted

    @property
    def windows(self) -> Cells | None:
        """The results as states of their functions, for those who compare runs: by (window, group)."""
        return self._run[0].windows

    @property
    def groups(self) -> Rows:
        """The group of each row, as in `windows`."""
        return self._levels[0].code

    @cached_property
    def late(self) -> pa.Table:
        """Every row whose windows were all closed when it came, with the reason and by how much it was late."""
        return late_table(self.node, self.table, self._run[0].late)

    @cached_property
    def decisions(self) -> pa.Table:
        """One row per adaptation, then one per prod that came with the stream: how many results it got.

        Then, where early results are compared, one per window that was shown early and value: `stream` is the value,
        -`slack` how long before its end it was shown, `measured` the running accuracy of early values.
        """
        outcome, took = self._run
        return aggregate_decisions(self.node, outcome, bucket=0, took=took)

    def live(self) -> LiveAggregate:
        """Return an operator to be fed bit by bit; the table of the plan says what columns there are, no more."""
        if self.node.below is not None:
            raise ParameterError(
                "live", "an aggregate of an aggregate", must="be of one level", remedy="mark prods in the rows: marker="
            )
        return LiveAggregate(self.node, self.table.schema)

    def explain(self) -> str:
        """Describe what runs."""
        groups = "groups      all together, with one clock"
        return explain_aggregate(self.node, engine=(groups, f"runs        in process over {self.table.num_rows} rows"))

    @cached_property
    def _levels(self) -> list[KnownGroups]:
        """The groups of each level: of the rows first, then of the groups of the level below."""
        levels, keys, rows = [], self.table, self.table.num_rows
        for level in self.node.levels:
            groups = Groups.of([keys[column] for column in level.by], rows)
            keys, rows = keys.select(list(level.by)).take(groups.row), len(groups.row)  # no columns, no rows in Arrow
            levels.append(KnownGroups(groups.code, keys))
        return levels

    @cached_property
    def _run(self) -> tuple[AggregateOutcome, Duration]:
        started = time.perf_counter_ns()
        first, bottom = self._levels[0], self.node.levels[0]
        at_once = replace(self.node, sideline=None)  # a table is there already: nothing comes in bursts
        pipeline = AggregatePipeline(at_once, regroup=[level.code for level in self._levels[1:]])
        incoming = read_batch(self.node.stream, self.table, processing_time=self.processing_time)
        incoming, marks = read_marks(self.node, self.table, incoming, first, self._levels[-1])
        marks += complete_until(self.until)
        inputs = read_inputs(bottom, self.table)
        outcomes = [
            pipeline.on_batch(batch, first.code, inputs, between)
            for batch, between in _with_marks(list(incoming.in_batches(BATCH_ROWS)), marks)
        ]
        outcome = _joined([*outcomes, pipeline.on_end()])
        return outcome, Duration((time.perf_counter_ns() - started) // 1_000)


def _with_marks(batches: list[Incoming], marks: list[Mark]) -> Iterator[tuple[Incoming, list[Mark]]]:
    """Give each batch the marks that came before the next one."""
    arrival, start = [mark.arrival for mark in marks], 0
    for batch, following in zip_longest(batches or [Incoming(Events.none())], batches[1:]):
        stop = len(marks) if following is None else bisect_left(arrival, int(following.events.arrival[0]))
        yield batch, marks[start:stop]
        start = stop


def _joined(outcomes: list[AggregateOutcome]) -> AggregateOutcome:
    return AggregateOutcome(
        Emitted.concat([outcome.emitted for outcome in outcomes if outcome.emitted is not None]),
        Late.concat([outcome.late for outcome in outcomes]),
        Decisions.concat([outcome.decisions for outcome in outcomes]),
        tuple(answer for outcome in outcomes for answer in outcome.answers),
        tuple(each for outcome in outcomes for each in outcome.compared),
    )
