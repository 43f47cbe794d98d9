"""The stateful operator that Spark runs for each bucket: it moves bytes between Spark and the reorder pipeline.

The state store is the only memory: a call reads the state, runs the pipeline, and writes the state back. Replaying a
batch gives the same rows and the same bytes (only `took_us` of decisions may differ).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from slackwater.decisions import decisions_table
from slackwater.spark.call import DECISIONS, Saved, frame_of, identity_of, run_call
from slackwater.spark.control_stream import ControlRecord, read_record
from slackwater.spark.packets import CONTROL, from_bytes, to_bytes

if TYPE_CHECKING:
    from slackwater.plan.nodes import ReorderNode


class ReorderProcessor(StatefulProcessor):
    """Reorders the rows of one bucket. `schema` is that of the payload: state of another one is refused."""

    def __init__(self, node: ReorderNode, schema: pa.Schema) -> None:
        self._node = node
        self._schema = schema
        self._identity = identity_of(node, schema)

    def init(self, handle: Any) -> None:
        """Open the state: one value with everything small, one map with the chunks of waiting rows."""
        self._handle = handle
        self._meta = handle.getValueState("meta", "body STRING")
        self._chunks = _MapChunks(handle.getMapState("chunks", "number BIGINT", "body BINARY"))

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Run the packets of a micro-batch through the pipeline."""
        packets: pd.DataFrame = pd.concat(list(rows)).sort_values(["source", "position"], kind="stable")
        control = [read_record(body) for body in packets.loc[packets["kind"] == CONTROL, "body"]]
        bodies = packets.loc[packets["kind"] != CONTROL, "body"]
        table = pa.concat_tables([self._schema.empty_table(), *(from_bytes(body) for body in bodies)])
        yield self._call(int(key[0]), table, int(packets["processing_time"].iloc[0]), control)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """Release what an idle bucket holds."""
        processing_time = int(timerValues.getCurrentProcessingTimeInMs()) * 1_000
        yield self._call(int(key[0]), self._schema.empty_table(), processing_time, [ControlRecord("drain")])

    def close(self) -> None:
        """Nothing to close."""

    def _call(self, bucket: int, table: pa.Table, processing_time: int, control: list[ControlRecord]) -> pd.DataFrame:
        saved = Saved.load(self._meta.get(), self._identity)
        self._chunks.written = 0
        drain = any(record.kind == "drain" for record in control)
        call = run_call(self._node, bucket, saved, self._chunks, table, processing_time=processing_time, drain=drain)
        timer = saved.timer
        if table.num_rows or not call.counts.buffered:  # a control record alone does not end the patience
            timer = self._renew_timer(saved.timer, processing_time, waiting=call.counts.buffered > 0)
        meta = replace(call.saved, timer=timer).dump(self._identity)
        self._meta.update((meta,))
        return frame_of([*call.packets, *_ignored(control, bucket), call.summary(self._chunks.written + len(meta))])

    def _renew_timer(self, old: int | None, processing_time: int, *, waiting: bool) -> int | None:
        """Set the timer that ends the patience with an idle bucket; ms, as Spark counts them."""
        idle_after = self._node.stream.idle_after
        if idle_after is None:
            return None
        if old is not None:
            self._handle.deleteTimer(old)
        if not waiting:
            return None
        expires = processing_time // 1_000 + max(1, idle_after.microseconds // 1_000)
        self._handle.registerTimer(expires)
        return expires


class _MapChunks:
    """Chunks as values of a Spark state map; counts what it writes."""

    def __init__(self, values: Any) -> None:
        self._values = values
        self.written = 0

    def read(self, number: int) -> bytes:
        body: bytes = self._values.getValue((number,))[0]
        return body

    def write(self, number: int, body: bytes) -> None:
        self.written += len(body)
        self._values.updateValue((number,), (body,))

    def delete(self, number: int) -> None:
        self._values.removeKey((number,))


def _ignored(control: list[ControlRecord], bucket: int) -> Iterator[dict[str, Any]]:
    """Report control records that mean nothing to us, once: in the decisions of the first bucket."""
    for record in control:
        if bucket == 0 and not record.known:
            table = decisions_table({"operator": "control", "stream": f"ignored: {record.kind}"}, 1)
            yield {"kind": DECISIONS, "bucket": bucket, "body": to_bytes(table)}
