"""One call for one bucket whose keys have clocks of their own: state and rows in, state and packets out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from slackwater.core.keyed_kernels import HELD
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.reorder import ReorderPipeline
from slackwater.spark.call import Call, Saved, left_of, packets_of, tables_of_outcomes, together
from slackwater.spark.keyed_state import KeyedChunk, KeyedChunks
from slackwater.spark.known_keys import KnownKeys
from slackwater.spark.state import ChunkStore, Payload
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.plan.nodes import ReorderNode
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class KeyedSaved(Saved):
    """Everything small that a bucket with keys remembers from call to call."""

    chunk_type: ClassVar[type[Any]] = KeyedChunk

    pages: Sequence[int] = ()  # where it is written what is known of each key


def run_keyed_call(
    node: ReorderNode,
    bucket: int,
    saved: KeyedSaved,
    store: ChunkStore,
    table: pa.Table,
    *,
    processing_time: int,
    drain: bool,
) -> Call:
    """Restore the pipeline, run a batch through it, drain the keys that are quiet, and save it."""
    started = time.perf_counter_ns()
    payload = Payload(table)
    known = KnownKeys(store, saved.pages, table.select(list(node.by)).slice(0, 0))
    numbers = known.number(table, processing_time=processing_time)
    buffer = KeyedChunks(store, payload, saved.chunks, saved.next_chunk, numbers, known.values)
    pipeline = ReorderPipeline(node, buffer, saved.pipeline)
    before = pipeline.counts
    incoming = read_batch(node.stream, table, processing_time=processing_time)
    incoming = incoming if node.stream.arrival else together(incoming, saved.calls)
    outcomes = [pipeline.on_batch(incoming)]
    patience = _Patience(node, buffer.keys[:, HELD], known.spoke)
    quiet = patience.is_over(processing_time)
    if drain:
        outcomes.append(pipeline.on_end())
    elif quiet.any():
        outcomes.append(pipeline.on_quiet(quiet))
    chunks, next_chunk = buffer.commit()
    pages, next_chunk = known.commit(buffer.keys, next_chunk)
    took = Duration((time.perf_counter_ns() - started) // 1_000)
    calls, timer = saved.calls + 1, patience.ends_first()
    return Call(
        bucket=bucket,
        saved=KeyedSaved(pipeline.snapshot(), tuple(chunks), next_chunk, calls, timer, pages),
        packets=list(packets_of(bucket, tables_of_outcomes(node, payload.table, bucket, outcomes, took))),
        before=before,
        counts=pipeline.counts,
        slack=pipeline.slack,
        left=left_of(node, outcomes, incoming, payload.table, pipeline),
        delays=pipeline.delays,
    )


@dataclass(frozen=True, slots=True)
class _Patience:
    """Which keys have been silent for `idle_after`, and when the next one will have been; in ms of processing time."""

    node: ReorderNode
    held: Times  # how many rows each key holds: a view, so that it is always as of now
    spoke: Times

    def is_over(self, processing_time: int) -> Mask:
        if self._lasts is None:
            return np.zeros(len(self.held), np.bool_)
        return (self.held > 0) & (self.spoke + self._lasts <= processing_time // 1_000)

    def ends_first(self) -> int | None:
        holding = self.spoke[self.held > 0]
        return None if self._lasts is None or not len(holding) else int(holding.min()) + self._lasts

    @property
    def _lasts(self) -> int | None:
        idle_after = self.node.stream.idle_after
        return None if idle_after is None else max(1, idle_after.microseconds // 1_000)
