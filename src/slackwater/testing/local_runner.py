"""Plays transcripts in process: the reorder pipeline over tables, one batch per step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.core.buffer import MemoryBuffer
from slackwater.errors import LateEventError
from slackwater.events import Events
from slackwater.pipeline.columns import decided_table, late_table, read_batch, released_table
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.reorder import Outcome, ReorderPipeline
from slackwater.testing.check import Seen
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.testing.transcripts import Seconds, Step, Transcript

SECOND = 1_000_000


def play_in_process(transcript: Transcript) -> Iterator[Seen]:
    """Play a transcript on the reorder pipeline with its buffer in memory."""
    payload = step_tables(transcript)
    table, buffer = pa.concat_tables(payload), MemoryBuffer()
    pipeline, first = ReorderPipeline(transcript.node, buffer), 0
    for step, rows in zip(transcript.steps, payload, strict=True):
        incoming = _numbered(read_batch(transcript.node.stream, rows, processing_time=0), first)
        first += rows.num_rows
        try:
            outcomes = [pipeline.on_batch(incoming), *([pipeline.on_end()] if step.drain else [])]
        except LateEventError as error:
            yield Seen(error=error.reason)
            return
        yield _seen(transcript, table, outcomes, pipeline, buffer)


def step_tables(transcript: Transcript) -> list[pa.Table]:
    """Return the rows of each step: event time, order and processing time of arrival, all integers."""
    tables, arrival = [], 0
    for step in transcript.steps:
        times, arrivals = [], []
        for time, together in step.arrivals():
            arrival += not together
            times.append(None if time is None else round(time * SECOND))
            arrivals.append(arrival)
        tables.append(_table(step, times, arrivals))
    return tables


def seconds(micros: int | None) -> Seconds:
    """Return microseconds as the seconds of a transcript."""
    return None if micros is None else micros / SECOND


def _table(step: Step, times: list[int | None], arrivals: list[int]) -> pa.Table:
    now = [round(step.now * SECOND)] * len(times)
    return pa.table(
        {
            "event_time": pa.array(times, pa.int64()),
            "arrival": pa.array(arrivals, pa.int64()),
            "arrival_time": pa.array(now, pa.int64()),
        }
    )


def _numbered(incoming: Incoming, first: int) -> Incoming:
    """Let rows count on from those of earlier steps."""
    events = incoming.events
    moved = Events(events.time, events.arrival, events.row + first)
    return Incoming(moved, incoming.has_time, incoming.processing_time)


def _seen(
    transcript: Transcript, table: pa.Table, outcomes: list[Outcome], pipeline: ReorderPipeline, buffer: MemoryBuffer
) -> Seen:
    node, held = transcript.node, buffer.snapshot()
    released = pa.concat_tables([released_table(node, table, each.released) for each in outcomes])
    late = pa.concat_tables([late_table(node, table, each.late) for each in outcomes])
    decided = [decided_table(node, each.decisions, bucket=0, took=Duration.ZERO) for each in outcomes]
    return Seen(
        **seen_in_tables(released, late, pa.concat_tables(decided)),
        buffered=tuple(map(seconds, held.time.tolist())),
        clock=seconds(pipeline.clock),
        slack=seconds(pipeline.slack),
        counts=pipeline.counts,
    )


def seen_in_tables(released: pa.Table, late: pa.Table, decisions: pa.Table) -> dict[str, Any]:
    """Return the part of `Seen` that the three outputs show."""
    rows = zip(late["event_time"].to_pylist(), late["reason"].to_pylist(), late["late_by"].to_pylist(), strict=True)
    return {
        "released": tuple(map(seconds, released["event_time"].to_pylist())),
        "late": tuple((seconds(time), reason, seconds(by)) for time, reason, by in rows),
        "decided": tuple(map(seconds, decisions["slack"].to_pylist())),
    }
