"""The stateful operators that Spark runs for each bucket: they move bytes between Spark and a pipeline.

The state store is the only memory: a call reads the state, runs the pipeline, and writes the state back. Replaying a
batch gives the same rows and the same bytes (only `took_us` of decisions may differ and, where rows were added up
before they came, the last digits of sums of floats).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from slackwater.decisions import decisions_table
from slackwater.estimate.recent_calls import RecentCalls
from slackwater.plan.nodes import streams_of
from slackwater.spark.aggregate_call import run_aggregate_call
from slackwater.spark.batch_report import Heard, report_packets
from slackwater.spark.call import DECISIONS, HORIZON, INPUT, Call, Saved, frame_of, identity_of, run_call
from slackwater.spark.control_stream import ControlRecord, ignored_words, read_records
from slackwater.spark.given import fingerprint
from slackwater.spark.held import HeldStore
from slackwater.spark.horizons import horizon_of
from slackwater.spark.join_call import JoinBucket, JoinSaved, identity_of_join
from slackwater.spark.keyed_call import KeyedSaved, run_keyed_call
from slackwater.spark.latency import Waits
from slackwater.spark.merge_call import MergeBucket, identity_of_merge
from slackwater.spark.packets import CONTROL, Packet, cells_of, packets_in, tables_of, to_bytes
from slackwater.spark.places import bucket_at
from slackwater.spark.ruling import Changed, Ruling
from slackwater.spark.shell import open_state
from slackwater.spark.staged import Staging
from slackwater.spark.stored_aggregate import AggregateSaved, identity_of_aggregate

if TYPE_CHECKING:
    from slackwater.pipeline.prod import Prod
    from slackwater.plan.nodes import AggregateNode, JoinNode, MergeNode, ReorderNode, StreamNode, StreamsNode
    from slackwater.spark.buckets import Spread


_MOST_CHANGES = 20  # of the contract in one batch that are reported: the last ones


class BucketProcessor(StatefulProcessor):
    """Runs a pipeline on the rows of one bucket; state that was written for another `identity` is refused."""

    saved_type: ClassVar[type[Saved]] = Saved
    maps: tuple[str, ...] = ("chunks",)  # the names of the state maps
    heeds: tuple[str, ...] = ("drain", "contract")  # the kinds of control records that mean something to the plan

    def __init__(self, node: Any, schemas: Sequence[pa.Schema], identity: str) -> None:
        self._schemas = tuple(schemas)
        self.identity = identity
        self.staging = Staging({})
        self.ruling = Ruling(node, self._schemas)
        self._node = node  # under the contract that rules in the call under way

    def init(self, handle: Any) -> None:
        """Open the state."""
        self._handle = handle
        self._meta, maps = open_state(handle, self.maps)
        self._stores = tuple(map(MapChunks, maps))
        self._chunks = self._stores[0]

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Run the packets of a micro-batch through the pipeline."""
        frames: list[pd.DataFrame] = list(rows)
        packets = packets_in(frames)
        control = read_records(packet.body for packet in packets if packet.kind == CONTROL)
        processing_time: Any = next(frame["processing_time"].iat[0] for frame in frames if len(frame))
        yield self._call(bucket_at(key[0]), self._tables(packets), int(processing_time), control)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """Do what is due in a quiet bucket."""
        processing_time = int(timerValues.getCurrentProcessingTimeInMs()) * 1_000
        tables = [schema.empty_table() for schema in self._schemas]
        yield self._call(bucket_at(key[0]), tables, processing_time, [], expired=True)

    def close(self) -> None:
        """Nothing to close."""

    def _tables(self, packets: Sequence[Packet]) -> list[pa.Table]:
        """Return the rows of each stream."""
        return tables_of(packets, self._schemas)

    @abstractmethod
    def _run(
        self, bucket: int, saved: Any, tables: list[pa.Table], *, processing_time: int, drain: bool, expired: bool
    ) -> Call:
        """Run the rows of each stream through the pipeline; `expired` if a timer asks.

        What it saves says when the bucket is to be called even without rows: in ms, as Spark counts processing time.
        """

    def _call(
        self,
        bucket: int,
        tables: list[pa.Table],
        processing_time: int,
        control: list[ControlRecord],
        *,
        expired: bool = False,
    ) -> pd.DataFrame:
        saved = self.saved_type.load(self._meta.get(), self.identity)
        saved, changes = self._ruled(saved, control)
        saved = self._heard(saved, control)
        for each in self._stores:
            each.written = 0
        drain = any(record.kind == "drain" for record in control)
        heard = self._told(saved, control, changes)
        if control and not (drain or expired or any(map(len, tables)) or self._asks(control)):
            # nothing to run: what is held stays unread
            self._meta.update((saved.dump(self.identity),))
            return frame_of([*self._answers(saved, control, changes, bucket), *report_packets(bucket, heard)])
        call = self._run(bucket, saved, tables, processing_time=processing_time, drain=drain, expired=expired)
        self._renew_timer(saved.timer, call.saved.timer)
        recent = RecentCalls(saved.recent)
        waits = Waits.of(call.left, recent, processing_time)
        meta = replace(call.saved, recent=recent.snapshot(), contract=saved.contract).dump(self.identity)
        self._meta.update((meta,))
        written = len(meta) + sum(each.written for each in self._stores)
        given = {"kind": INPUT, "bucket": bucket, "body": fingerprint(streams_of(self._node), tables)}
        summary = call.summary(written, waits, self._node.contract)
        told = call.latency(waits), summary, *report_packets(bucket, heard, call, written)
        answers = self._answers(saved, control, changes, bucket)
        return frame_of([*self.staging.packets(bucket, [*call.packets, *answers]), *told, given])

    def _ruled(self, saved: Any, control: list[ControlRecord]) -> tuple[Any, list[Changed]]:
        """Let the contract rule that was asked for last; where it cannot, all stays as it is."""
        asked = [(record.sent, record.contract) for record in control if record.contract is not None]
        changes = []
        for _, text in sorted(asked):
            changed = self.ruling.change(saved.contract, text)
            if changed.after is not None:
                saved = replace(saved, contract=self.ruling.kept(changed.after))
            changes.append(changed)
        self._node = self.ruling.node(saved.contract)
        return saved, changes

    def _told(self, saved: Any, control: list[ControlRecord], changes: list[Changed]) -> Heard:
        """Return what the driver should know of control records."""
        rules = any(changed.after is not None for changed in changes)
        return Heard(tuple(saved.contract) if rules else None, any(record.stop for record in control))

    def _heard(self, saved: Any, control: list[ControlRecord]) -> Any:
        """Remember what the driver says, where it decides."""
        return saved

    def _asks(self, control: list[ControlRecord]) -> bool:
        """Whether records ask for something even where no row came."""
        return False

    def _answers(
        self, saved: Any, control: list[ControlRecord], changes: list[Changed], bucket: int
    ) -> Iterator[dict[str, Any]]:
        """Report changes of the contract, and records that mean nothing, in the decisions of the first bucket."""
        if bucket:
            return
        said: list[dict[str, Any]] = [{"stream": words} for words in ignored_words(control, self.heeds)]
        clock, target = saved.clock, self._node.contract.stated
        at = None if clock is None else np.array([clock], np.int64)
        said += [{"stream": change.words, "at": at, "target": target} for change in changes[-_MOST_CHANGES:]]
        for each in said:
            table = decisions_table({"operator": "control", **each}, 1)
            yield {"kind": DECISIONS, "bucket": bucket, "body": to_bytes(table)}

    def _renew_timer(self, old: int | None, wanted: int | None) -> None:
        if old is not None and old != wanted:
            self._handle.deleteTimer(old)
        if wanted is not None and old != wanted:
            self._handle.registerTimer(wanted)


class ReorderProcessor(BucketProcessor):
    """Reorders the rows of one bucket. An idle bucket releases what it holds."""

    def __init__(self, node: ReorderNode, schema: pa.Schema) -> None:
        super().__init__(node, [schema], identity_of(node, schema))

    def _run(
        self, bucket: int, saved: Any, tables: list[pa.Table], *, processing_time: int, drain: bool, expired: bool
    ) -> Call:
        rows, node = tables[0], self._node
        drain = drain or expired
        call = run_call(node, bucket, saved, self._chunks, rows, processing_time=processing_time, drain=drain)
        waits = bool(call.counts.buffered)
        return _renewed(call, node.stream, saved, processing_time, came=bool(len(rows)), waits=waits)


class AggregateProcessor(BucketProcessor):
    """Aggregates the rows of one bucket. An idle bucket closes all its windows."""

    saved_type = AggregateSaved

    def __init__(self, node: AggregateNode, schema: pa.Schema) -> None:
        super().__init__(node, [schema], identity_of_aggregate(node, schema))
        self._prods: list[Prod] = []  # of the call under way
        self.heeds = self.heeds if node.early is None else (*self.heeds, "prod")
        self.maps = ("chunks", *(f"level{number}" for number in range(1, len(node.levels))))

    def _heard(self, saved: Any, control: list[ControlRecord]) -> Any:
        self._prods = [record.prod for record in control if record.prod is not None and "prod" in self.heeds]
        return saved

    def _asks(self, control: list[ControlRecord]) -> bool:
        return bool(self._prods)

    def _tables(self, packets: Sequence[Packet]) -> list[pa.Table]:
        """Return the rows, and cells of rows that were added up before."""
        cells = cells_of(packets)
        return [*super()._tables(packets), *([] if cells is None else [cells])]

    def _run(
        self, bucket: int, saved: Any, tables: list[pa.Table], *, processing_time: int, drain: bool, expired: bool
    ) -> Call:
        (rows, *cells), node = tables, self._node
        drain = drain or expired
        store, *above = self._stores
        run = partial(run_aggregate_call, node, bucket, saved, store, rows, asked=self._prods, above=above)
        call = run(processing_time=processing_time, drain=drain, cells=cells[0] if cells else None)
        assert isinstance(call.saved, AggregateSaved)
        waits = call.saved.waits or bool(call.counts.buffered)
        horizon = horizon_of(node, call.saved, read=processing_time)
        call.packets.append({"kind": HORIZON, "bucket": bucket, "body": horizon})
        return _renewed(call, node.stream, saved, processing_time, came=any(map(len, tables)), waits=waits)


def _renewed(call: Call, stream: StreamNode, saved: Saved, processing_time: int, *, came: bool, waits: bool) -> Call:
    """Say until when to be patient, where something waits; a control record alone does not renew the patience."""
    timer = saved.timer
    if came or not waits:
        timer = None
        if waits and stream.idle_after is not None:
            timer = processing_time // 1_000 + max(1, stream.idle_after.microseconds // 1_000)
    return replace(call, saved=replace(call.saved, timer=timer))


class KeyedProcessor(BucketProcessor):
    """Reorders the rows of each key of one bucket. A key that is silent for too long releases what it holds."""

    saved_type = KeyedSaved

    def __init__(self, node: ReorderNode, schema: pa.Schema) -> None:
        super().__init__(node, [schema], identity_of(node, schema))

    def _run(
        self, bucket: int, saved: Any, tables: list[pa.Table], *, processing_time: int, drain: bool, expired: bool
    ) -> Call:
        return run_keyed_call(
            self._node, bucket, saved, self._chunks, tables[0], processing_time=processing_time, drain=drain
        )


class StreamsProcessor(BucketProcessor):
    """Runs an operator over the rows of several streams. A stream that is silent for too long steps aside."""

    saved_type = JoinSaved
    maps: tuple[str, ...] = ("chunks", "marks")  # the second says where the rows of each chunk are

    def __init__(
        self, node: StreamsNode, schemas: Sequence[pa.Schema], identity: str, bucket: Callable[[int], Any]
    ) -> None:
        super().__init__(node, schemas, identity)
        self._bucket = bucket
        self.heeds = (*self.heeds, "slack") if node.is_told else self.heeds

    def _heard(self, saved: Any, control: list[ControlRecord]) -> Any:
        told = [record.told for record in control if record.told is not None]
        return saved.hearing(told) if self._node.is_told else saved

    def _run(
        self, bucket: int, saved: Any, tables: list[pa.Table], *, processing_time: int, drain: bool, expired: bool
    ) -> Call:
        store = HeldStore(*self._stores)
        own = replace(self._bucket(bucket), node=self._node)
        call: Call = own.on_batch(saved, store, tables, processing_time=processing_time, drain=drain)
        return call


class JoinProcessor(StreamsProcessor):
    """Joins the rows of one bucket."""

    def __init__(self, node: JoinNode, schemas: Sequence[pa.Schema], spread: Spread) -> None:
        super().__init__(node, schemas, identity_of_join(node, schemas), partial(JoinBucket, node, spread))


class MergeProcessor(StreamsProcessor):
    """Merges the rows of all streams."""

    def __init__(self, node: MergeNode, schemas: Sequence[pa.Schema], spread: Spread) -> None:
        super().__init__(node, schemas, identity_of_merge(node, schemas), partial(MergeBucket, node, spread))


class MapChunks:
    """Chunks as values of a Spark state map; counts what it writes."""

    def __init__(self, values: Any) -> None:
        self._values = values
        self.written = 0

    def read(self, number: int) -> bytes:
        """Return a chunk."""
        body: bytes = self._values.getValue((number,))[0]
        return body

    def write(self, number: int, body: bytes) -> None:
        """Keep a chunk."""
        self.written += len(body)
        self._values.updateValue((number,), (body,))

    def delete(self, number: int) -> None:
        """Forget a chunk."""
        self._values.removeKey((number,))
