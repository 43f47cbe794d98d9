"""Runs a reorder plan over an Arrow table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from slackwater.core.buffer import MemoryBuffer
from slackwater.decisions import DECISIONS
from slackwater.pipeline.columns import decided_table, late_table, read_batch, released_table
from slackwater.pipeline.reorder import Outcome, ReorderPipeline
from slackwater.plan.explain import explain_reorder
from slackwater.plan.nodes import ReorderNode
from slackwater.time import Duration


@dataclass(frozen=True)
class LocalReorder:
    """The outputs of a reorder plan over a bounded table; it runs when the first of them is asked for."""

    node: ReorderNode
    table: pa.Table
    processing_time: int  # of the arrival of the table, for the guard against clocks from the future

    @property
    def results(self) -> pa.Table:
        """The rows in event-time order."""
        return self._outputs[0]

    @property
    def late(self) -> pa.Table:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return self._outputs[1]

    @property
    def decisions(self) -> pa.Table:
        """One row per adaptation."""
        return self._outputs[2]

    def explain(self) -> str:
        """Describe what runs."""
        return explain_reorder(self.node, engine=(f"runs        in process over {self.table.num_rows} rows",))

    @cached_property
    def _outputs(self) -> tuple[pa.Table, pa.Table, pa.Table]:
        started = time.perf_counter_ns()
        pipeline = ReorderPipeline(self.node, MemoryBuffer())
        incoming = read_batch(self.node.stream, self.table, processing_time=self.processing_time)
        outcomes = [pipeline.on_batch(incoming), pipeline.on_end()]
        took = Duration((time.perf_counter_ns() - started) // 1_000)
        return (
            _joined([released_table(self.node, self.table, each.released) for each in outcomes], self.table.schema),
            _joined([late_table(self.node, self.table, each.late) for each in outcomes]),
            _joined([_decisions(self.node, each, took) for each in outcomes], DECISIONS),
        )


def _decisions(node: ReorderNode, outcome: Outcome, took: Duration) -> pa.Table:
    return decided_table(node, outcome.decisions, bucket=0, took=took)


def _joined(tables: list[pa.Table], schema: pa.Schema | None = None) -> pa.Table:
    return pa.concat_tables([t for t in tables if t.num_rows] or tables[:1])
