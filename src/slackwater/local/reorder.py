"""Runs a reorder plan over an Arrow table."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from slackwater.core.buffer import MemoryBuffer
from slackwater.core.keyed_buffer import KeyedBuffer
from slackwater.local.bounded import BoundedOutput
from slackwater.pipeline.by_keys import check_keys, number_keys
from slackwater.pipeline.columns import check_types, decided_table, late_table, read_batch, released_table
from slackwater.pipeline.reorder import Outcome, ReorderPipeline, joined
from slackwater.plan.explain import explain_order, explain_reorder, in_a_line
from slackwater.plan.nodes import ReorderNode
from slackwater.time import Duration

BATCH_ROWS = 100_000  # the columns of a batch fit into the processor's cache; the results do not depend on it


@dataclass(frozen=True)
class LocalReorder(BoundedOutput):
    """The outputs of a reorder plan over a bounded table; it runs when the first of them is asked for."""

    node: ReorderNode
    table: pa.Table
    processing_time: int  # of the arrival of the table, for the guard against clocks from the future

    @classmethod
    def of(cls, node: ReorderNode, table: pa.Table, processing_time: int) -> LocalReorder:
        """Check the columns, and hold the plan."""
        check_types(node.stream, table.schema)
        check_keys(node, table.schema)
        return cls(node, table, processing_time)

    def __repr__(self) -> str:
        return in_a_line("LocalReorder", self.node, f"{self.table.num_rows:,} rows")

    @cached_property
    def results(self) -> pa.Table:
        """The rows in event-time order; with `by`, those of each key, as they were released."""
        return released_table(self.node, self.table, self._run[0].released)

    @cached_property
    def late(self) -> pa.Table:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return late_table(self.node, self.table, self._run[0].late)

    @cached_property
    def decisions(self) -> pa.Table:
        """One row per adaptation."""
        outcome, took = self._run
        return decided_table(self.node, outcome.decisions, bucket=0, took=took)

    def explain(self) -> str:
        """Describe what runs."""
        order = explain_order(self.node)
        return explain_reorder(self.node, engine=(order, f"runs        in process over {self.table.num_rows} rows"))

    @cached_property
    def _run(self) -> tuple[Outcome, Duration]:
        started = time.perf_counter_ns()
        pipeline = ReorderPipeline(self.node, self._buffer())
        incoming = read_batch(self.node.stream, self.table, processing_time=self.processing_time)
        outcomes = [pipeline.on_batch(batch) for batch in incoming.in_batches(BATCH_ROWS)]
        outcome = joined([*outcomes, pipeline.on_end()])
        return outcome, Duration((time.perf_counter_ns() - started) // 1_000)

    def _buffer(self) -> MemoryBuffer | KeyedBuffer:
        if not self.node.by:
            return MemoryBuffer()
        keys = self.table.select(list(self.node.by))
        numbers = number_keys(keys.slice(0, 0), keys)
        buffer = KeyedBuffer(key_of=lambda rows: numbers[rows])
        buffer.make_room(keys=int(numbers.max(initial=-1)) + 1)  # at once, rather than batch by batch
        return buffer
