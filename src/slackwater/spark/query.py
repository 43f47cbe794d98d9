"""A plan as Spark queries."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from slackwater.decisions import DECISIONS as DECISIONS_SCHEMA
from slackwater.decisions import late_schema
from slackwater.errors import ParameterError
from slackwater.pipeline.columns import check_types
from slackwater.plan.explain import explain_buckets, explain_reorder
from slackwater.spark.bounded import bounded_packets
from slackwater.spark.buckets import with_bucket
from slackwater.spark.call import DECISIONS, LATE, PACKETS_OUT, RESULTS, SUMMARY
from slackwater.spark.control_stream import control_packets
from slackwater.spark.outputs import Destination, batch_writer, checked_destinations
from slackwater.spark.packets import PACKETS_IN, packer, unpacker
from slackwater.spark.processor import ReorderProcessor
from slackwater.spark.session import check_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from slackwater.plan.nodes import ReorderNode


@dataclass(frozen=True)
class SparkReorder:
    """The outputs of a reorder plan on Spark: DataFrames, streaming where the input is.

    Each output on its own is a query of its own; `start` runs one query that writes all three.
    """

    node: ReorderNode
    frame: DataFrame
    schema: pa.Schema
    processing_time: int  # of the arrival of a bounded frame, for the guard against clocks from the future

    @classmethod
    def of(cls, node: ReorderNode, frame: DataFrame) -> SparkReorder:
        """Check the session and the columns, and hold the plan."""
        if frame.isStreaming:
            check_session(frame.sparkSession)
        schema = to_arrow_schema(frame.schema, timezone="UTC")
        check_types(node.stream, schema)
        return cls(node, frame, schema, time.time_ns() // 1_000)

    @property
    def results(self) -> DataFrame:
        """The rows in event-time order: within each micro-batch and bucket, and from one to the next."""
        return self._unpack(self._packets(), RESULTS)

    @property
    def late(self) -> DataFrame:
        """Every row that could not be used in time, with the reason and by how much it was late."""
        return self._unpack(self._packets(), LATE)

    @property
    def decisions(self) -> DataFrame:
        """One row per adaptation."""
        return self._unpack(self._packets(), DECISIONS)

    def start(
        self,
        *,
        results: Destination,
        checkpoint: str | os.PathLike[str],
        late: Destination | None = None,
        decisions: Destination | None = None,
        control: str | os.PathLike[str] | DataFrame | None = None,
        trigger: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> StreamingQuery:
        """Start one query that writes the three outputs, each row exactly once.

        Args:
            results: a folder for Parquet files (one subfolder `batch=N` per micro-batch), or a function of
                (DataFrame, batch number) that may be called again for a batch and must then replace what it wrote.
            checkpoint: the folder that Spark goes on from after a stop or crash.
            late: as `results`; left out, late rows are counted but not written.
            decisions: as `results`.
            control: a folder of control records (see `slackwater.spark.control_stream.send`), or a streaming
                DataFrame with one text column.
            trigger: as Spark's own, such as {"processingTime": "1 second"} or {"availableNow": True}.
            name: of the query, in Spark's UI and progress reports.
        """
        if not self.frame.isStreaming:
            raise ParameterError(
                "frame",
                "a bounded DataFrame",
                must="be streaming to be started",
                remedy="read .results, .late and .decisions, or use spark.readStream",
            )
        destinations = checked_destinations(
            {"results": results, "late": late, "decisions": decisions},
            checkpoint=os.fspath(checkpoint),
            columns=self.schema.names,
        )
        writer = (
            self._packets(control)
            .writeStream.option("checkpointLocation", os.fspath(checkpoint))
            .foreachBatch(batch_writer(self._unpack, destinations))
        )
        writer = writer.queryName(name) if name else writer
        return writer.trigger(**trigger).start() if trigger else writer.start()

    def explain(self) -> str:
        """Describe the plan, and what Spark will run."""
        if self.frame.isStreaming:
            runs = "runs        packets -> transformWithStateInPandas, one call per bucket and micro-batch"
            state = "state       RocksDB: one entry and the waiting rows as Arrow chunks, per bucket"
            return explain_reorder(self.node, engine=(explain_buckets(self.node), runs, state))
        runs = "runs        mapInArrow over sorted partitions, no state"
        return explain_reorder(self.node, engine=(explain_buckets(self.node), runs))

    def _packets(self, control: str | os.PathLike[str] | DataFrame | None = None) -> DataFrame:
        rows, bucket = with_bucket(self.node, self.frame)
        if not self.frame.isStreaming:
            return bounded_packets(self.node, rows, self.schema, bucket, processing_time=self.processing_time)
        packets = rows.mapInArrow(packer(self.schema, bucket), PACKETS_IN)
        if control is not None:
            packets = packets.unionByName(control_packets(self.frame.sparkSession, control, self.node.buckets))
        stamped = packets.withColumn("processing_time", F.expr("unix_micros(current_timestamp())"))
        out = stamped.groupBy("bucket").transformWithStateInPandas(
            statefulProcessor=ReorderProcessor(self.node, self.schema),
            outputStructType=from_arrow_schema(PACKETS_OUT),
            outputMode="Append",
            timeMode="ProcessingTime" if self.node.stream.idle_after else "None",
        )
        return _observed(out)

    def _unpack(self, packets: DataFrame, kind: int) -> DataFrame:
        schemas = {RESULTS: self.schema, LATE: late_schema(self.schema), DECISIONS: DECISIONS_SCHEMA}
        schema = schemas[kind]
        bodies = packets.where(F.col("kind") == kind).select("body")
        return bodies.mapInArrow(unpacker(schema), from_arrow_schema(schema))


def _observed(packets: DataFrame) -> DataFrame:
    """Show the summary of each batch in Spark's progress reports, under the name slackwater."""
    summary = F.col("kind") == SUMMARY
    return packets.observe(
        "slackwater",
        *(F.sum(F.when(summary, F.col(column))).alias(column) for column in ("arrived", "released", "late")),
        F.sum(F.when(summary, F.col("buffered"))).alias("buffered"),
        F.max(F.when(summary, F.col("slack"))).alias("slack"),
        F.sum(F.when(summary, F.col("state_bytes"))).alias("state_bytes"),
    )
