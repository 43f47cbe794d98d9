"""One call for one bucket: state and rows in, state and packets out. No engine in sight."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from slackwater.errors import AnotherQueryError, StateError
from slackwater.events import Events, Tagged
from slackwater.measurement import Counts
from slackwater.pipeline.columns import decided_table, late_table, read_batch, released_table
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.reorder import STATE_VERSION, Outcome, ReorderPipeline, check_version
from slackwater.spark.latency import Left, Waits
from slackwater.spark.observed import COUNTED, QUALITY, figures_of, measure_of
from slackwater.spark.packets import split, to_bytes
from slackwater.spark.plan_file import START_ANEW
from slackwater.spark.read_back import read_back
from slackwater.spark.sealed import sealed_text, unsealed_text
from slackwater.spark.state import Chunk, ChunkedBuffer, ChunkStore, Payload
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.events import Rows
    from slackwater.plan.nodes import ReorderNode, StreamNode
    from slackwater.time import Times

RESULTS, LATE, DECISIONS, SUMMARY, STATISTICS, LATENCY, HORIZON, INPUT = range(8)  # kinds of packets on the way out
REPORT = 8  # likewise: figures for people, and what control records led to
_COUNTS = ("arrived", "released", "late", "buffered", "slack", "state_bytes", "held", "stall")  # of the summary alone
_FIELDS: list[pa.Field[Any]] = [
    pa.field("kind", pa.int8()),
    pa.field("bucket", pa.int32()),
    pa.field("body", pa.binary()),
    *(pa.field(name, pa.int64()) for name in (*_COUNTS, *COUNTED)),
    *(pa.field(name, pa.float64()) for name in QUALITY),
    pa.field("measure", pa.string()),  # of the summary alone: what these are about
    pa.field("file", pa.binary()),  # instead of a body: the name of what a bucket wrote itself
]
PACKETS_OUT = pa.schema(_FIELDS)


@dataclass(frozen=True, slots=True)
class Saved:
    """Everything small that a bucket remembers from call to call."""

    chunk_type: ClassVar[type[Any]] = Chunk

    pipeline: dict[str, Any] | None = None
    chunks: tuple[Any, ...] = ()
    next_chunk: int = 0
    calls: int = 0
    timer: int | None = None
    recent: Sequence[Sequence[int]] = field(default=(), kw_only=True)  # when recent calls were
    contract: Sequence[str] | None = field(default=None, kw_only=True)  # the plan's, and what rules instead; None: that

    @classmethod
    def load(cls, value: Any, identity: str) -> Self:
        """Read what `dump` wrote for the same plan; None is a bucket that was never called."""
        if value is None:
            return cls()
        try:
            check_version(json.loads(value[0])["version"])  # first: another version may have other seals
            found = json.loads(unsealed_text(value[0]))
            del found["version"]
            written_for = found.pop("plan")
            chunks = tuple(read_back(cls.chunk_type, chunk) for chunk in found["chunks"])
            saved = read_back(cls, {**found, "chunks": chunks})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise StateError(
                "an unreadable entry", expected="one written by slackwater", remedy="restore the checkpoint from a copy"
            ) from error
        if written_for != identity:
            raise AnotherQueryError(
                f"been written for {written_for}",
                expected=identity,
                remedy=f"change it back; or {START_ANEW}",
            )
        return saved

    def dump(self, identity: str) -> str:
        """Return text from which `load` gives the same, for the same plan."""
        kept = asdict(self)
        if kept["contract"] is None:
            del kept["contract"]  # as it was before a contract could change
        return sealed_text(json.dumps({"version": STATE_VERSION, "plan": identity, **kept}))

    @property
    def clock(self) -> int | None:
        """The largest event time seen; None: no row came yet."""
        kept = self.pipeline or {}
        clocks = [clock for clock, _ in kept.get("streams", ())]
        return max((clock for clock in [kept.get("clock"), *clocks] if clock is not None), default=None)


def identity_of(node: ReorderNode, schema: pa.Schema) -> str:
    """Return what saved state depends on: with another it would be misread. The contract may change."""
    by = f" by ({', '.join(node.by)}) in {node.buckets} buckets with a clock per key" if node.by else ""
    return f"{times_of(node.stream)}{by} {columns_of(schema)}"


def times_of(stream: StreamNode) -> str:
    """Return in words which columns say when a row happened and came."""
    arrival = f" arrival {stream.arrival}" if stream.arrival else ""
    unit = f" in {stream.unit}" if stream.unit else ""
    return f"event_time {stream.event_time}{unit}{arrival}"


def columns_of(schema: pa.Schema) -> str:
    """Return columns in words."""
    return f"of columns ({', '.join(f'{field.name} {field.type}' for field in schema)})"


@dataclass(frozen=True, slots=True)
class Call:
    """What a call led to."""

    bucket: int
    saved: Saved
    packets: list[dict[str, Any]]
    before: Counts
    counts: Counts
    slack: int
    left: Left
    delays: Sequence[tuple[Times, Rows | None]] = ()  # of the rows that came, stream by stream, and of how many each is
    notes: bytes | None = None  # for people who ask the driver how the operator works; nothing depends on them

    def summary(self, state_bytes: int, waits: Waits, contract: Contract) -> dict[str, Any]:
        """Return the packet that Spark's progress reports are made from: counts of this call, under its contract."""
        return {
            "measure": measure_of(contract),
            "kind": SUMMARY,
            "bucket": self.bucket,
            "body": self.notes,
            "arrived": self.counts.arrived - self.before.arrived,
            "released": self.counts.released - self.before.released,
            "late": self.counts.late - self.before.late,
            "buffered": self.counts.buffered,
            "slack": self.slack,
            "state_bytes": state_bytes,
            "held": waits.held.quantiles()["max"],
            "stall": waits.stall.quantiles()["max"],
        }

    def latency(self, waits: Waits) -> dict[str, Any]:
        """Return the packet that the driver makes the figures of the batch from."""
        return {"kind": LATENCY, "bucket": self.bucket, "body": waits.body()}


def run_call(
    node: ReorderNode,
    bucket: int,
    saved: Saved,
    store: ChunkStore,
    table: pa.Table,
    *,
    processing_time: int,
    drain: bool,
) -> Call:
    """Restore the pipeline, run a batch through it, and save it."""
    started = time.perf_counter_ns()
    payload = Payload(table)
    buffer = ChunkedBuffer(store, payload, saved.chunks, saved.next_chunk)
    pipeline = ReorderPipeline(node, buffer, saved.pipeline)
    before = pipeline.counts
    incoming = read_batch(node.stream, table, processing_time=processing_time)
    incoming = incoming if node.stream.arrival else together(incoming, saved.calls)
    outcomes = [pipeline.on_batch(incoming)]
    if drain:
        outcomes.append(pipeline.on_end())
    chunks, next_chunk = buffer.commit()
    took = Duration((time.perf_counter_ns() - started) // 1_000)
    return Call(
        bucket=bucket,
        saved=Saved(pipeline.snapshot(), tuple(chunks), next_chunk, saved.calls + 1),
        packets=list(packets_of(bucket, tables_of_outcomes(node, payload.table, bucket, outcomes, took))),
        before=before,
        counts=pipeline.counts,
        slack=pipeline.slack,
        left=left_of(node, outcomes, incoming, payload.table, pipeline),
        delays=pipeline.delays,
    )


def left_of(
    node: ReorderNode, outcomes: Sequence[Outcome], incoming: Incoming, payload: pa.Table, pipeline: ReorderPipeline
) -> Left:
    """Return the rows that left in order, and what came."""
    left = [Tagged.from_stream(0, outcome.released) for outcome in outcomes]
    clock, buffered = pipeline.clock, pipeline.counts.buffered
    return Left.rows(left, [incoming], [node.stream], [payload], clock=clock, buffered=buffered)


def frame_of(packets: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return packets as the frame that Spark expects: one block of objects, from which Arrow makes the types."""
    names = PACKETS_OUT.names
    rows = [[packet.get(name) for name in names] for packet in packets]
    return pd.DataFrame(np.array(rows, dtype=object).reshape(len(rows), len(names)), columns=names)


def together(incoming: Incoming, call: int) -> Incoming:
    """Let the rows of a micro-batch arrive together: Spark gives them no order."""
    events = incoming.events
    arrival = np.full(len(events), call, np.int64)
    return Incoming(Events(events.time, arrival, events.row), incoming.has_time, incoming.processing_time)


def packets_of(bucket: int, tables: Iterable[tuple[int, pa.Table]]) -> Iterator[dict[str, Any]]:
    """Pack tables, each given with its kind, on their way out."""
    for kind, table in tables:
        figures = figures_of(table) if kind in (LATE, DECISIONS) and table.num_rows else {}
        for piece in split(table):
            yield {"kind": kind, "bucket": bucket, "body": to_bytes(piece), **figures}
            figures = {}  # once for the whole table


def tables_of_outcomes(
    node: ReorderNode, payload: pa.Table, bucket: int, outcomes: Iterable[Outcome], took: Duration
) -> Iterator[tuple[int, pa.Table]]:
    """Return what goes out, each table with its kind."""
    for outcome in outcomes:
        yield RESULTS, released_table(node, payload, outcome.released)
        yield LATE, late_table(node, payload, outcome.late)
        yield DECISIONS, decided_table(node, outcome.decisions, bucket=bucket, took=took)
