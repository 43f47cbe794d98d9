"""Runs a reorder plan over an Arrow table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from slackwater.core.buffer import MemoryBuffer
from slackwater.pipeline.columns import check_types, decided_table, late_table, read_batch, released_table
from slackwater.pipeline.reorder import ReorderPipeline, joined
from slackwater.plan.explain import explain_reorder
from slackwater.plan.nodes import ReorderNode
from slackwater.time import Duration

BATCH_ROWS = 100_000  # the columns of a batch fit into the processor's cache; the results do not depend on it


@dataclass(frozen=True)
class LocalReorder:
    """The outputs of a reorder plan over a bounded table; it runs when the first of them is asked for."""

    node: ReorderNode
    table: pa.Table
    processing_time: int  # of the arrival of the table, for the guard against clocks from the future

    @classmethod
    def of(cls, node: ReorderNode, table: pa.Table, processing_time: int) -> LocalReorder:
        """Check the columns, and hold the plan."""
        check_types(node.stream, table.schema)
        return cls(node, table, processing_time)

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
        batches = incoming.in_batches(BATCH_ROWS)
        outcome = joined([*(pipeline.on_batch(batch) for batch in batches), pipeline.on_end()])
        took = Duration((time.perf_counter_ns() - started) // 1_000)
        return (
            released_table(self.node, self.table, outcome.released),
            late_table(self.node, self.table, outcome.late),
            decided_table(self.node, outcome.decisions, bucket=0, took=took),
        )
