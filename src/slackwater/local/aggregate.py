"""Runs an aggregate plan over an Arrow table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from slackwater.core.cells import Cells
from slackwater.events import Late
from slackwater.local.bounded import BoundedOutput
from slackwater.pipeline.aggregate import AggregateOutcome, AggregatePipeline
from slackwater.pipeline.aggregate_columns import read_inputs, results_table
from slackwater.pipeline.boundaries import Decisions
from slackwater.pipeline.columns import check_types, decided_table, late_table, read_batch
from slackwater.pipeline.groups import Groups
from slackwater.plan.explain import in_a_line
from slackwater.plan.explain_aggregate import explain_aggregate
from slackwater.plan.nodes import AggregateNode
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.events import Rows

BATCH_ROWS = 1_000_000  # closing windows reads all open panes, so that few large batches are better; results are equal


@dataclass(frozen=True, repr=False)
class LocalAggregate(BoundedOutput):
    """The outputs of an aggregate plan over a bounded table; it runs when the first of them is asked for."""

    node: AggregateNode
    table: pa.Table
    processing_time: int  # of the arrival of the table, for the guard against clocks from the future

    @classmethod
    def of(cls, node: AggregateNode, table: pa.Table, processing_time: int) -> LocalAggregate:
        """Check the columns, and hold the plan."""
        check_types(node.stream, table.schema)
        return cls(node, table, processing_time)

    def __repr__(self) -> str:
        return in_a_line("LocalAggregate", self.node, f"{self.table.num_rows:,} rows")

    @cached_property
    def results(self) -> pa.Table:
        """One row for each window and group that has events: the window, the group, the values."""
        keys = self.table.select(list(self.node.by)).take(self._groups.row)
        return results_table(self.node, self.table.schema, keys, self._run[0].windows)

    @property
    def windows(self) -> Cells | None:
        """The results as states of their functions, for those who compare runs: by (window, group)."""
        return self._run[0].windows

    @property
    def groups(self) -> Rows:
        """The group of each row, as in `windows`."""
        return self._groups.code

    @cached_property
    def late(self) -> pa.Table:
        """Every row whose windows were all closed when it came, with the reason and by how much it was late."""
        return late_table(self.node, self.table, self._run[0].late)

    @cached_property
    def decisions(self) -> pa.Table:
        """One row per adaptation."""
        outcome, took = self._run
        return decided_table(self.node, outcome.decisions, bucket=0, took=took)

    def explain(self) -> str:
        """Describe what runs."""
        groups = "groups      all together, with one clock"
        return explain_aggregate(self.node, engine=(groups, f"runs        in process over {self.table.num_rows} rows"))

    @cached_property
    def _groups(self) -> Groups:
        return Groups.of([self.table[column] for column in self.node.by], self.table.num_rows)

    @cached_property
    def _run(self) -> tuple[AggregateOutcome, Duration]:
        started = time.perf_counter_ns()
        pipeline = AggregatePipeline(self.node)
        incoming = read_batch(self.node.stream, self.table, processing_time=self.processing_time)
        code, inputs = self._groups.code, read_inputs(self.node, self.table)
        outcomes = [pipeline.on_batch(batch, code, inputs) for batch in incoming.in_batches(BATCH_ROWS)]
        outcome = _joined([*outcomes, pipeline.on_end()])
        return outcome, Duration((time.perf_counter_ns() - started) // 1_000)


def _joined(outcomes: list[AggregateOutcome]) -> AggregateOutcome:
    windows = [outcome.windows for outcome in outcomes if outcome.windows is not None]
    return AggregateOutcome(
        Cells.concat(windows) if windows else None,
        Late.concat([outcome.late for outcome in outcomes]),
        Decisions.concat([outcome.decisions for outcome in outcomes]),
    )
