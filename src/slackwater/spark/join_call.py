"""One call of a join for one bucket: state and rows in, state and packets out. No engine in sight."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from slackwater.control.choose import controller_for
from slackwater.control.following import FollowingController, Told
from slackwater.core.work import Work
from slackwater.events import Events, Late
from slackwater.pipeline.columns import read_batch
from slackwater.pipeline.guard import Incoming, batches_together
from slackwater.pipeline.join import JoinPipeline, StreamsPipeline
from slackwater.pipeline.join_outcome import JoinOutcome
from slackwater.pipeline.predicates import bind
from slackwater.pipeline.rows import decided_join, late_rows, result_rows
from slackwater.spark.call import (
    DECISIONS,
    LATE,
    RESULTS,
    STATISTICS,
    Call,
    Saved,
    columns_of,
    packets_of,
    times_of,
    together,
)
from slackwater.spark.held import HeldChunk, HeldRows, HeldStore
from slackwater.spark.latency import Left
from slackwater.spark.statistics import report_table
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.measurement import Counts
    from slackwater.plan.nodes import JoinNode, StreamsNode
    from slackwater.spark.buckets import Spread

_PART_ROWS = 250_000  # of all streams together, of a bounded run


@dataclass(frozen=True, slots=True)
class JoinSaved(Saved):
    """Everything small that a bucket of a join remembers from call to call."""

    chunk_type: ClassVar[type[Any]] = HeldChunk

    spoke: Sequence[int | None] = ()  # for each stream, the processing time of its last rows; None: it stepped aside
    told: Sequence[int] | None = None  # the slack that the driver decided last for all buckets, and when in event time

    def hearing(self, told: Sequence[Told]) -> JoinSaved:
        """Return the same after some records of the driver; of several, the one that was decided last counts."""
        known = [Told(*self.told)] if self.told else []
        latest = max([*known, *told], key=lambda each: each.at, default=None)
        return self if latest is None else replace(self, told=(latest.slack, latest.at))


def identity_of_join(node: JoinNode, schemas: Sequence[pa.Schema]) -> str:
    """Return what saved state depends on: with another it would be misread. The contract may change.

    Of a Python function only the name is known: whoever changes what it says changes the results from then on.
    """
    streams = [
        f"{stream.name} within {window} {times_of(stream)} {columns_of(schema)}"
        for stream, window, schema in zip(node.streams, node.windows, schemas, strict=True)
    ]
    how = f"windows closed {node.closed}, release by {node.release}"
    how += "" if node.synchronize else ", not synchronized"
    how += ", with situation 2" if node.situation2 else ""
    return f"join of {'; '.join(streams)}; where {condition_of(node)} in {node.buckets} buckets; {how}"


def condition_of(node: JoinNode) -> str:
    """Return what combinations must fulfill, in words."""
    condition, names = node.condition, [stream.name for stream in node.streams]
    keys = (" = ".join(f"{names[c.stream]}.{c.column}" for c in each.columns) for each in condition.key_classes)
    called = [f"{condition.function.name}()"] if condition.function else []
    texts = (part.sql for part in (*condition.filters, *condition.residuals))
    return " and ".join([*keys, *texts, *called]) or "anything"


@dataclass(frozen=True, slots=True)
class Driven:
    """A call under way: what has been run, and is not saved yet."""

    rows: HeldRows
    pipeline: StreamsPipeline
    follower: FollowingController | None
    before: Counts
    incoming: Sequence[Incoming]
    outcomes: tuple[JoinOutcome, ...]
    spoke: tuple[int | None, ...]


@dataclass(frozen=True)
class StreamsBucket(ABC):
    """One bucket of an operator over several streams: what is the same for all its calls."""

    node: StreamsNode
    spread: Spread
    number: int

    def on_batch(
        self,
        saved: JoinSaved,
        store: HeldStore,
        tables: Sequence[pa.Table],
        *,
        processing_time: int,
        drain: bool,
    ) -> Call:
        """Restore the pipeline, run a batch through it, let silent streams step aside, and save it."""
        started = time.perf_counter_ns()
        driven = self.drive(saved, store, tables, processing_time=processing_time, drain=drain)
        kept = JoinSaved(**self.commit(saved, driven))
        took = Duration((time.perf_counter_ns() - started) // 1_000)
        results = packets_of(self.number, self.results(driven.rows.tables, driven.outcomes))
        return self.called(driven, kept, [*results, *self.packets(driven, took)])

    def drive(
        self, saved: JoinSaved, store: HeldStore, tables: Sequence[pa.Table], *, processing_time: int, drain: bool
    ) -> Driven:
        """Restore the pipeline, run a batch through it, and let silent streams step aside; nothing is saved yet."""
        rows = HeldRows(store, saved.chunks, saved.next_chunk, tables)
        incoming = rows.place(self._arriving(tables, saved.calls, processing_time))
        follower = self._follower(saved)
        pipeline = self._pipeline(rows.tables, rows.delays, held=rows.held(), state=saved.pipeline, controller=follower)
        before = pipeline.counts
        outcomes = [pipeline.on_batch(incoming)] if any(map(len, tables)) else []
        spoke = self._spoke(saved.spoke, tables, processing_time)
        idle = self._idle(spoke, processing_time)
        outcomes += [pipeline.on_idle(stream) for stream in idle]
        if drain:
            outcomes.append(pipeline.on_end())
        spoke = [None if stream in idle else at for stream, at in enumerate(spoke)]
        return Driven(rows, pipeline, follower, before, incoming, tuple(outcomes), tuple(spoke))

    def commit(self, saved: JoinSaved, driven: Driven) -> dict[str, Any]:
        """Write what is held; return what a `JoinSaved` is made of."""
        chunks, next_chunk = driven.rows.commit(driven.pipeline.held)
        return {
            "pipeline": driven.pipeline.snapshot(),
            "chunks": tuple(chunks),
            "next_chunk": next_chunk,
            "calls": saved.calls + 1,
            "timer": self._wake_at(driven.spoke),
            "spoke": driven.spoke,
            "told": saved.told,
        }

    def called(self, driven: Driven, saved: Saved, packets: list[dict[str, Any]]) -> Call:
        """Return what a call led to."""
        return Call(
            bucket=self.number,
            saved=saved,
            packets=packets,
            before=driven.before,
            counts=driven.pipeline.counts,
            slack=driven.pipeline.slack,
            left=self._left(driven),
            delays=driven.pipeline.delays,
            notes=self._notes(),
        )

    def on_all(self, tables: Sequence[pa.Table], *, processing_time: int) -> Iterator[dict[str, Any]]:
        """Run all rows there are, then drain. Without arrival columns every stream comes in order of event time."""
        started = time.perf_counter_ns()
        tables = [table.combine_chunks() for table in tables]
        for outcome, *_ in self.drive_all(tables, processing_time=processing_time):
            took = Duration((time.perf_counter_ns() - started) // 1_000)
            yield from packets_of(self.number, [*self.results(tables, [outcome]), *self.sides(tables, [outcome], took)])

    def drive_all(
        self, tables: Sequence[pa.Table], *, processing_time: int
    ) -> Iterator[tuple[JoinOutcome, StreamsPipeline, bool]]:
        """Run all rows there are, part by part, then drain; say what each led to, who did it, and which is the last."""
        pipeline = self._pipeline(tables, [np.zeros(table.num_rows, np.int64) for table in tables])
        incoming = self._read(tables, processing_time)
        incoming = incoming if self._by_arrival else [_by_time(own) for own in incoming]
        for part in batches_together(incoming, _PART_ROWS):  # so that not all results are in memory at once
            yield pipeline.on_batch(part), pipeline, False
        yield pipeline.on_end(), pipeline, True

    def results(self, tables: Sequence[pa.Table], outcomes: Iterable[JoinOutcome]) -> Iterator[tuple[int, pa.Table]]:
        """Return what was asked for."""
        yield from ((RESULTS, self._results(tables, outcome)) for outcome in outcomes)

    def packets(self, driven: Driven, took: Duration) -> Iterator[dict[str, Any]]:
        """Return everything of a call but the results."""
        follows = driven.follower is not None
        sides = self.sides(driven.rows.tables, driven.outcomes, took, follows=follows)
        yield from packets_of(self.number, sides)
        yield from self._report(driven.follower)

    def sides(
        self, tables: Sequence[pa.Table], outcomes: Iterable[JoinOutcome], took: Duration, *, follows: bool = False
    ) -> Iterator[tuple[int, pa.Table]]:
        """Return late rows and decisions."""
        for outcome in outcomes:
            late = [Late.none() if self._leaves_to_first(stream) else own for stream, own in enumerate(outcome.late)]
            yield LATE, self._late(tables, late)
            decided = decided_join(self.node, outcome.decisions, bucket=self.number, took=took, follows=follows)
            yield DECISIONS, decided

    @property
    def _by_arrival(self) -> bool:
        return self.node.streams[0].arrival is not None  # all streams say it, or none does

    @abstractmethod
    def _pipeline(self, tables: Sequence[pa.Table], delays: Sequence[Any], **kept: Any) -> StreamsPipeline:
        """Make the pipeline, anew or from what was kept."""

    @abstractmethod
    def _results(self, tables: Sequence[pa.Table], outcome: JoinOutcome) -> pa.Table:
        """Gather the results."""

    @abstractmethod
    def _late(self, tables: Sequence[pa.Table], late: Sequence[Late]) -> pa.Table:
        """Gather the rows that could not be used in time."""

    def _left(self, driven: Driven) -> Left:
        """Return the rows that were passed on in order, whether or not they gave results, and what came."""
        left = [each.events[each.in_order] for outcome in driven.outcomes for each in outcome.processed]
        clock, buffered = driven.pipeline.clock, driven.pipeline.counts.buffered
        tables = driven.rows.tables
        return Left.rows(left, driven.incoming, self.node.streams, tables, clock=clock, buffered=buffered)

    def _notes(self) -> bytes | None:
        """Return what people may want to know of the call."""
        return None

    def _read(self, tables: Sequence[pa.Table], processing_time: int) -> list[Incoming]:
        streams = zip(self.node.streams, tables, strict=True)
        return [read_batch(stream, table, processing_time=processing_time) for stream, table in streams]

    def _arriving(self, tables: Sequence[pa.Table], call: int, processing_time: int) -> list[Incoming]:
        incoming = self._read(tables, processing_time)
        return incoming if self._by_arrival else [together(own, call) for own in incoming]

    def _spoke(self, before: Sequence[int | None], tables: Sequence[pa.Table], now: int) -> list[int | None]:
        """Return when each stream last brought rows; the patience with one that never did begins at the first call."""
        known = before or [now] * len(tables)
        return [now if table.num_rows else at for table, at in zip(tables, known, strict=True)]

    def _idle(self, spoke: Sequence[int | None], now: int) -> list[int]:
        """Return the streams that have just been silent for too long."""
        patience = enumerate(zip(self.node.streams, spoke, strict=True))
        return [
            number
            for number, (stream, at) in patience
            if stream.idle_after and at is not None and now - at >= stream.idle_after.microseconds
        ]

    def _wake_at(self, spoke: Sequence[int | None]) -> int | None:
        """Return the processing time, in ms, at which the next stream will have been silent for too long."""
        patience = zip(self.node.streams, spoke, strict=True)
        ends = [at + each.idle_after.microseconds for each, at in patience if each.idle_after and at is not None]
        return -(-min(ends) // 1_000) if ends else None

    def _follower(self, saved: JoinSaved) -> FollowingController | None:
        if not self.node.is_pooled and not (self.node.is_told and saved.told):
            return None
        windows = tuple(window.microseconds for window in self.node.windows)
        kept = (saved.pipeline or {}).get("controller")
        inner = controller_for(self.node.contract, kept, windows=windows)
        told = Told(*saved.told) if saved.told else None
        return FollowingController(inner, self.node.contract.goal(windows), told, kept)

    def _report(self, follower: FollowingController | None) -> Iterator[dict[str, Any]]:
        """Tell the driver what was seen, if it is the one who decides."""
        seen = None if follower is None or not self.node.is_pooled else follower.report()
        if seen is not None:
            yield from packets_of(self.number, [(STATISTICS, report_table(*seen))])

    def _leaves_to_first(self, stream: int) -> bool:
        """Whether only the first bucket reports late rows of a stream, since every bucket has all of them."""
        return self.number > 0 and self.spread.replicates(stream)


@dataclass(frozen=True)
class JoinBucket(StreamsBucket):
    """One bucket of a join, for one call or one bounded run."""

    node: JoinNode
    work: Work = field(default_factory=Work)  # how partners were found

    def _pipeline(self, tables: Sequence[pa.Table], delays: Sequence[Any], **kept: Any) -> JoinPipeline:
        return JoinPipeline(self.node, bind(self.node.condition, tables), delays, work=self.work, **kept)

    def _notes(self) -> bytes | None:
        return json.dumps(self.work.snapshot()).encode()

    def _results(self, tables: Sequence[pa.Table], outcome: JoinOutcome) -> pa.Table:
        return result_rows(self.node, tables, outcome.results)

    def _late(self, tables: Sequence[pa.Table], late: Sequence[Late]) -> pa.Table:
        return late_rows(self.node, tables, late)


def _by_time(incoming: Incoming) -> Incoming:
    """Let rows come in the order of their event times, each at its own; those without one come first."""
    events = incoming.events
    time = events.time if incoming.has_time is None else np.where(incoming.has_time, events.time, events.time.min())
    order = np.argsort(time, kind="stable")
    ordered = incoming[order]
    return Incoming(
        Events(ordered.events.time, time[order], ordered.events.row), ordered.has_time, ordered.processing_time
    )
