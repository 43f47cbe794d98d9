"""What all plans on Spark have in common: the stateful operator, three outputs, one query that writes them."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, cast

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import ArrayType, LongType

from slackwater.displayed import Displayed, text_block
from slackwater.errors import ParameterError
from slackwater.pipeline.columns import check_types
from slackwater.plan.explain import in_a_line, in_words
from slackwater.spark.about_file import About
from slackwater.spark.call import DECISIONS, LATE, PACKETS_OUT, RESULTS
from slackwater.spark.checkpoint_files import check_files
from slackwater.spark.control_stream import control_packets, describe
from slackwater.spark.driver import check_same_scope
from slackwater.spark.ended import started
from slackwater.spark.hooks import Hooks
from slackwater.spark.latency import BatchLatency, Told
from slackwater.spark.noted import Noted
from slackwater.spark.observed import observed
from slackwater.spark.one_query import check_unused
from slackwater.spark.outputs import (
    KIND_OF,
    Destination,
    batch_writer,
    checked_destinations,
    left_to_spark,
    staging_of,
    without_rows,
)
from slackwater.spark.own_settings import own_settings
from slackwater.spark.pace import Pace
from slackwater.spark.packets import unpacker
from slackwater.spark.places import places
from slackwater.spark.plan_file import Begun
from slackwater.spark.plan_parameters import parameters_of
from slackwater.spark.replayed import InputCheck
from slackwater.spark.ruling import Ruling, has_timers
from slackwater.spark.session import arrow_schema, check_session
from slackwater.spark.shell import Shell
from slackwater.spark.source_folders import source_folders
from slackwater.spark.spread_file import SpreadFile
from slackwater.spark.staged import Staging
from slackwater.spark.ui_names import name_for, named

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from slackwater.plan.nodes import AggregateNode, ReorderNode, StreamNode, StreamsNode
    from slackwater.spark.buckets import Spread
    from slackwater.spark.driver import DriverSlack
    from slackwater.spark.outputs import Notice
    from slackwater.spark.processor import BucketProcessor

_OUTPUTS = {kind: name for name, kind in KIND_OF.items()}


@dataclass(frozen=True)
class SparkQuery(Displayed, ABC):
    """The outputs of a plan on Spark: DataFrames, streaming where the input is.

    Each output on its own is a query of its own; `start` runs one query that writes all three. A plan says what is
    sent to its buckets and what runs there.
    """

    frames: tuple[DataFrame, ...]
    schemas: tuple[pa.Schema, ...]
    node: ReorderNode | StreamsNode | AggregateNode
    # When a bounded frame arrived, for the guard against clocks from the future.
    processing_time: int = field(kw_only=True, default_factory=lambda: time.time_ns() // 1_000)
    # As the plan was given, and how its trigger lets it run; None: as it is.
    ruling: Ruling | None = field(kw_only=True, default=None)
    # Whether it has a part of a deadline that several queries share.
    is_shared: bool = field(kw_only=True, default=False)

    def __repr__(self) -> str:
        kind = "streaming" if self._streaming else "bounded"
        return in_a_line(type(self).__name__, self.node, f"{kind} DataFrames of Spark")

    def _shown(self) -> Iterable[str]:
        yield text_block(self.explain())

    @property
    def results(self) -> DataFrame:
        """What was asked for, in event-time order: within each micro-batch and bucket, and from one to the next."""
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
        latency: str | os.PathLike[str] | Told | None = None,
        trigger: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> StreamingQuery:
        """Start one query that writes the three outputs, each row exactly once.

        Args:
            results: a folder for Parquet files (one subfolder `batch=N` per micro-batch), or a function of
                (DataFrame, batch number) that may be called again for a batch and must then replace what it wrote.
            checkpoint: the folder that Spark goes on from after a stop or crash. The contract, the late policy, outputs
                and trigger may change, as far as timers stay (`Deadline`, `idle_after`, `availableNow`); streams,
                columns, condition, windows, buckets and whether there is a control stream may not. Its subfolder
                `slackwater` has what it was begun with, the figures of `sw.latency` and of the dashboard, and, with
                `scope="global"`, the driver's state. A contract that was changed while the query ran rules on, unless
                the plan has been given another one since.
            late: as `results`; left out, late rows are counted but not written.
            decisions: as `results`.
            control: a folder of control records (see `slackwater.spark.control_stream.send`), or a streaming
                DataFrame with one text column.
            latency: where else to say how long rows took: a folder, instead of the one in the checkpoint, or a function
                of one dict (see `sw.latency`), which is called when a batch has been written.
            trigger: as Spark's own, such as {"processingTime": "1 second"} or {"availableNow": True}.
            name: of the query, in Spark's UI, progress reports and metrics; such as "join of bus, scats" unless told.
        """
        self._check_streaming()
        check_files(checkpoint)
        check_unused(self.frames[0].sparkSession, checkpoint)
        destinations = checked_destinations(
            {"results": results, "late": late, "decisions": decisions},
            checkpoint=os.fspath(checkpoint),
            columns=self.columns_out,
            reads=self.reads,
        )
        check_same_scope(checkpoint, led=self._is_led)
        if control is not None:
            describe(control, {**self._plan_of_control, **({"shared": True} if self.is_shared else {})})
        driver, noted, spark = self._driver(checkpoint), Noted(), self.frames[0].sparkSession
        decide = None if driver is None else noted.decided(driver.on_batch)
        plan = self._within(trigger)
        begun = Begun(plan._processor().identity, plan._has_timers, control is not None, plan._parameters)
        begun.check(checkpoint)
        measured = BatchLatency.of(self.node.operator, checkpoint, latency, deadline=self.node.contract.deadline)
        folders = {"results": results, "late": late, "decisions": decisions, "control": control, "latency": latency}
        about = About.query(self.node, self._plan_of_control, name, **folders)
        check = InputCheck(tuple(stream.name for stream in self._streams), checkpoint)
        hooks = Hooks(checkpoint, begun, about, replace(measured, note=noted.measured), check, plan._spread_file)
        on_batch: Any = hooks.for_writer()
        staging = staging_of(destinations, self._schemas_out, spark)
        alone = not left_to_spark(destinations, staging)
        packets = plan._packets(control, driver, staging)
        writer = (
            (without_rows(packets, staging) if alone else packets)
            .writeStream.option("checkpointLocation", os.fspath(checkpoint))
            .foreachBatch(batch_writer(self._unpack, destinations, staging, self._notice, decide, **on_batch))
        )
        with (
            name_for(name, in_words(self.node), spark) as named_so,
            own_settings(spark, self.frames, buckets=self._buckets, alone=alone, checkpoint=checkpoint),
        ):
            writer = writer.queryName(named_so)
            query = cast("StreamingQuery", started(writer.trigger(**trigger).start() if trigger else writer.start()))
        hooks.ending.runs(query)
        noted.belong_to(query)
        return query

    def _check_streaming(self) -> None:
        if not self._streaming:
            raise ParameterError(
                "frame",
                "a bounded DataFrame",
                must="be streaming to be started",
                remedy="read .results, .late and .decisions, or use spark.readStream",
            )

    @property
    def _notice(self) -> Notice | None:
        """What hears how the calls of a batch worked, where somebody wants to know."""
        return None

    @abstractmethod
    def explain(self) -> str:
        """Describe the plan, and what Spark will run."""

    @property
    @abstractmethod
    def _streams(self) -> tuple[StreamNode, ...]:
        """The inputs, in the order of the frames."""

    @property
    @abstractmethod
    def _buckets(self) -> int:
        """How many buckets there are."""

    @property
    @abstractmethod
    def _schemas_out(self) -> Mapping[int, pa.Schema]:
        """The columns of each output, by the kind of its packets."""

    @abstractmethod
    def _packets_in(self) -> DataFrame:
        """Pack the rows of streaming frames for their buckets."""

    @abstractmethod
    def _processor(self) -> BucketProcessor:
        """Return what runs for each bucket and micro-batch."""

    @abstractmethod
    def _bounded(self) -> DataFrame:
        """Return the packets of a run over bounded frames, as a streaming run would give them over all its batches."""

    @property
    def results_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self._schemas_out[RESULTS]

    @property
    def columns_out(self) -> Mapping[str, Sequence[str]]:
        """The names of the columns of each output, by its name."""
        return {name: self._schemas_out[kind].names for name, kind in KIND_OF.items()}

    @property
    def reads(self) -> list[tuple[str, str]]:
        """The folders of files that streams are read from, each with what it is called."""
        frames = zip(self._streams, self.frames, strict=True)
        return [(f"stream {stream.name!r}", folder) for stream, frame in frames for folder in source_folders(frame)]

    @property
    def _streaming(self) -> bool:
        return bool(self.frames[0].isStreaming)

    @property
    def _has_timers(self) -> bool:
        """Whether buckets are called without rows, because streams have been silent for too long."""
        return has_timers(self.node)

    @property
    def _is_led(self) -> bool:
        """Whether the driver decides for all buckets."""
        return False

    @property
    def _plan_of_control(self) -> Mapping[str, Any]:
        """What those who send control records should know of the plan."""
        return {"operator": self.node.operator}

    @property
    def _parameters(self) -> Mapping[str, str]:
        """What the state depends on, in parts."""
        return parameters_of(self.node, self.schemas)

    @property
    def _spread_file(self) -> SpreadFile:
        """What of the plan depends on the number of its buckets."""
        return SpreadFile.of(self.node, self._spread, self._identity_with, chained=self._is_chain)

    @property
    def _spread(self) -> Spread | None:
        """How the rows of several streams go to buckets; those of one go by its keys."""
        return None

    @property
    def _is_chain(self) -> bool:
        """Whether results are aggregated before they leave."""
        return False

    def _identity_with(self, buckets: int) -> str:
        """Return what state would be written for with so many buckets."""
        return replace(self, node=replace(self.node, buckets=buckets))._processor().identity

    def _driver(self, checkpoint: str | os.PathLike[str]) -> DriverSlack | None:
        """Return what decides for all buckets, where something does."""
        return None

    def _packets(
        self,
        control: str | os.PathLike[str] | DataFrame | None = None,
        driver: DriverSlack | None = None,
        staging: Staging | None = None,
    ) -> DataFrame:
        if not self._streaming:
            return self._bounded()
        if self._is_led and driver is None:
            raise ParameterError(
                "scope", "global", must='be "bucket" where one output is read by itself', remedy="use start()"
            )
        packets, spark = self._packets_in(), self.frames[0].sparkSession
        if control is not None:
            packets = packets.unionByName(control_packets(spark, control, self._buckets))
        if driver is not None:
            packets = packets.unionByName(control_packets(spark, driver.records, self._buckets, clean=True))
        labels = F.lit(list(places(self._buckets))).cast(ArrayType(LongType()))
        place = F.get(labels, F.col("bucket"))
        placed = packets.withColumns({"processing_time": _batch_time(), "place": place})
        processor = self._ruled_processor()
        processor.staging = staging or processor.staging
        out = placed.groupBy("place").transformWithStateInPandas(
            statefulProcessor=Shell(processor),
            outputStructType=from_arrow_schema(PACKETS_OUT),
            outputMode="Append",
            timeMode="ProcessingTime" if self._has_timers else "None",
        )
        return observed(out, operator=self.node.operator)

    def _within(self, trigger: dict[str, Any] | None) -> Self:
        """Return the same plan as its trigger lets it run."""
        pace = Pace.of(trigger)
        node = pace.within(self.node)
        ruling = Ruling(self.node, self.schemas, pace, timers=has_timers(node), is_shared=self.is_shared)
        return replace(self, node=node, ruling=ruling)

    def _ruled_processor(self) -> BucketProcessor:
        """Return what runs, and by which contracts it may be ruled."""
        processor = self._processor()
        if self.ruling is not None:
            processor.ruling = self.ruling
        return processor

    def _unpack(self, packets: DataFrame, kind: int) -> DataFrame:
        schema = self._schemas_out[kind]
        bodies = packets.where(F.col("kind") == kind).select("body")
        unpack = named(unpacker(schema), "unpack", _OUTPUTS[kind])
        return bodies.mapInArrow(unpack, from_arrow_schema(schema))


def _batch_time() -> Column:
    """Return the time at which a batch began, the same when it is repeated.

    `array_sort` is a function that Spark does not compile: elsewhere the time would be part of the code of a stage, and
    Spark would compile it anew, twice, in every batch.
    """
    return F.array_sort(F.array(F.unix_micros(F.current_timestamp())))[0]


def checked_schemas(streams: Sequence[StreamNode], frames: Sequence[DataFrame]) -> tuple[pa.Schema, ...]:
    """Check the session and the columns; return those of each frame."""
    if len({frame.isStreaming for frame in frames}) > 1:
        raise ParameterError(
            "streams", "streaming and bounded frames", must="be of one kind", remedy="read all of them as streams"
        )
    if frames[0].isStreaming:
        check_session(frames[0].sparkSession)
    schemas = tuple(map(arrow_schema, frames))
    for stream, schema in zip(streams, schemas, strict=True):
        check_types(stream, schema)
    return schemas
