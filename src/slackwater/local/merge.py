"""Runs a merge plan over Arrow tables."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from slackwater.lanes import Lanes
from slackwater.local.join import LocalStreams, batches_of
from slackwater.pipeline.join_outcome import JoinOutcome, joined
from slackwater.pipeline.merge import MergePipeline
from slackwater.pipeline.merged_rows import late_merge_rows, merged_rows
from slackwater.plan.explain_merge import explain_merge
from slackwater.plan.nodes import MergeNode
from slackwater.time import Duration


@dataclass(frozen=True, repr=False)
class LocalMerge(LocalStreams):
    """The outputs of a merge plan over bounded tables; it runs when the first of them is asked for."""

    node: MergeNode

    @cached_property
    def results(self) -> pa.Table:
        """The rows of all streams in one order: `event_time`, `stream`, then the payload."""
        return merged_rows(self.node, self.tables, self._run[0])

    @cached_property
    def late(self) -> pa.Table:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return late_merge_rows(self.node, self.tables, self._run[0].late)

    def explain(self) -> str:
        """Describe what runs."""
        rows = sum(table.num_rows for table in self.tables)
        return explain_merge(self.node, engine=(f"runs        in process over {rows} rows",))

    @cached_property
    def _run(self) -> tuple[JoinOutcome, Duration]:
        started = time.perf_counter_ns()
        delays = [np.zeros(table.num_rows, np.int64) for table in self.tables]
        lanes = Lanes.of_cores()
        pipeline = MergePipeline(self.node, delays, lanes=lanes)
        batches = batches_of(self.node, self.tables, self.processing_time, lanes)
        outcome = joined([*map(pipeline.on_batch, batches), pipeline.on_end()])
        return outcome, Duration((time.perf_counter_ns() - started) // 1_000)
