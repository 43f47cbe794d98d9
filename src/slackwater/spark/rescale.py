"""Writes a checkpoint with more buckets out of one that was stopped: each bucket is split, and nothing else changes.

Buckets cannot be put together: rows that one of them holds are behind what another has passed on, so they would be late
or out of order. Fewer executors run several buckets each instead.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema

from slackwater.errors import ParameterError, StateError
from slackwater.paths import local_folder
from slackwater.plan.nodes import AggregateNode, ReorderNode
from slackwater.plan.validate import check_buckets
from slackwater.spark.buckets import Spread, bucket_of_keys
from slackwater.spark.checkpoint_files import check_files, read_id
from slackwater.spark.connect import check_driver_is_here
from slackwater.spark.control_stream import put
from slackwater.spark.offline_state import bucket_states, in_session, put_rows, read_state, write_state
from slackwater.spark.one_query import check_stopped
from slackwater.spark.own_settings import PARTITIONS, enough_for
from slackwater.spark.places import places
from slackwater.spark.plan_file import START_ANEW, begun_file, read_begun
from slackwater.spark.rescaled_files import StoppedQuery, set_place
from slackwater.spark.split import BucketState, children_of
from slackwater.spark.split_held import split_held
from slackwater.spark.split_keys import split_keys
from slackwater.spark.split_panes import split_panes
from slackwater.spark.spread_file import SpreadFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from slackwater.events import Rows

_PREFIX = "spark.sql.streaming."
_SETTINGS = {  # of the session that reads and writes state
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",  # chunks are large
    f"{_PREFIX}stateStore.rocksdb.changelogCheckpointing.enabled": "false",  # whole snapshots
    f"{_PREFIX}stateStore.checkpointFormatVersion": "1",
    f"{_PREFIX}noDataMicroBatches.enabled": "false",  # timers would ask for more batches than one
    f"{_PREFIX}checkpoint.fileChecksum.enabled": "false",  # a second file beside each, which names it
}


@dataclass(frozen=True, slots=True)
class Rescaled:
    """What became of a checkpoint."""

    checkpoint: Path
    operator: str  # which has the buckets, by the name of its function
    before: int  # buckets
    after: int
    partitions: int  # of the stateful operator
    batch: int  # the last one that is done


def rescale(
    spark: SparkSession, checkpoint: str | os.PathLike[str], *, to: str | os.PathLike[str], buckets: int
) -> Rescaled:
    """Write a checkpoint with more buckets; the query goes on from it, and the old one stays as it is.

    Held rows, open windows and known keys are read once and written once; the driver holds one bucket at a time.

    Raises:
        ParameterError: the number is no multiple of the one before, or a folder is not what it must be.
        StateError: the checkpoint is damaged, not done with its last batch, or of a plan that cannot be split.
    """
    check_driver_is_here(spark, "rescaling")
    check_buckets(buckets)
    places(buckets)  # refuses more than there can be
    old, new = _checked_folders(checkpoint, to)
    check_files(old)
    check_stopped(spark, read_id(old), remedy="stop it first")  # of other sessions it shows when a batch comes
    stopped, spread = StoppedQuery.of(old), SpreadFile.read(old)
    _check_number(spread, buckets)
    partitions = max(stopped.partitions, enough_for(buckets))
    work = _Work(spark, stopped, spread, buckets, partitions)
    name = f".{new.name}-unfinished-"  # says what it is where it stays: who is killed cleans nothing up
    with tempfile.TemporaryDirectory(dir=new.parent, prefix=name, ignore_cleanup_errors=True) as scratch:
        work.run(Path(scratch), new)
    return Rescaled(new, spread.operator, spread.buckets, buckets, partitions, stopped.batch)


def _checked_folders(checkpoint: str | os.PathLike[str], to: str | os.PathLike[str]) -> tuple[Path, Path]:
    folders = []
    for name, where in (("checkpoint", checkpoint), ("to", to)):
        folder = local_folder(where)
        if folder is None:
            must, remedy = "be on a file system that is mounted here", f"mount it; or {START_ANEW}"
            raise ParameterError(name, os.fspath(where), must=must, remedy=remedy)
        folders.append(folder.absolute())
    old, new = folders
    if not (old / "offsets").is_dir():
        must, remedy = "be the checkpoint of a query that has begun", "give that of start(checkpoint=)"
        raise ParameterError("checkpoint", str(checkpoint), must=must, remedy=remedy)
    if new.exists() or not new.parent.is_dir():
        must, remedy = "be a folder that is not there yet, in one that is", "name another one, or delete it"
        raise ParameterError("to", str(to), must=must, remedy=remedy)
    if new.resolve().is_relative_to(old.resolve()):
        must, remedy = "be outside the checkpoint, which stays as it is", "name a folder beside it"
        raise ParameterError("to", str(to), must=must, remedy=remedy)
    return old, new


def _check_number(spread: SpreadFile, buckets: int) -> None:
    if spread.refused is not None:
        raise StateError(
            f"buckets that cannot be split: {spread.refused}", expected="buckets that are alone", remedy=START_ANEW
        )
    if buckets < spread.buckets:
        raise ParameterError(
            "buckets",
            buckets,
            must=f"be more than the {spread.buckets} there are: rows that one bucket holds are behind what another has "
            "passed on, so together they would be out of order",
            remedy="keep them; fewer executors run several buckets each",
        )
    if buckets == spread.buckets or buckets % spread.buckets:
        must = f"be a multiple of the {spread.buckets} there are, so that each is split and none is mixed"
        raise ParameterError("buckets", buckets, must=must, remedy=f"use {2 * spread.buckets}")


@dataclass(frozen=True, slots=True)
class _Work:
    """One rescaling; `scratch` of its methods is a folder that goes with it."""

    spark: SparkSession
    stopped: StoppedQuery
    spread: SpreadFile
    buckets: int
    partitions: int

    def run(self, scratch: Path, to: Path) -> None:
        """Read, split and write state; the checkpoint gets its name last, when it was checked."""
        settings = {**self.stopped.settings, **_SETTINGS, PARTITIONS: str(self.partitions)}
        spark, maps = in_session(self.spark, settings), self.stopped.maps()
        begun = read_begun(begun_file(self.stopped.folder), remedy=f"restore it; without it, {START_ANEW}")
        read = read_state(spark, self.stopped.folder, self.stopped.batch, maps)
        read.write.partitionBy("place").parquet(str(scratch / "old"))
        (scratch / "rows").mkdir()
        states = bucket_states(scratch / "old", self.spread.buckets, maps)
        for bucket, state in refused_if_none(states):
            for child, own in self._split(spark, bucket, state):
                put_rows(scratch / "rows", child, own, buckets=self.buckets)
        write_state(spark, scratch / "rows", scratch / "query", maps, timers=begun.timers)
        made = scratch / "new"
        self.stopped.copied(made, scratch / "query" / "state", partitions=self.partitions)
        parameters = {**begun.parameters, **({"buckets": str(self.buckets)} if begun.parameters else {})}
        plan = replace(begun, plan=self.spread.identity_with(self.buckets), parameters=parameters)
        put(begun_file(made), json.dumps(asdict(plan)) + "\n")
        replace(self.spread, buckets=self.buckets).keep(made)
        _check_written(spark, made, self.stopped.batch, maps, scratch / "rows")
        set_place(made, to)
        self.stopped.check_unchanged()
        made.rename(to)

    def _split(self, spark: SparkSession, bucket: int, state: BucketState) -> Iterator[tuple[int, BucketState]]:
        children = children_of(bucket, self.spread.buckets, self.buckets)
        identities = self.spread.identity_with(self.spread.buckets), self.spread.identity_with(self.buckets)
        where = Hashed(spark, self.spread, bucket, self.buckets)
        splits: dict[str, Callable[..., Iterator[BucketState]]] = {
            ReorderNode.operator: partial(split_keys, by=self.spread.columns[0]),
            AggregateNode.operator: split_panes,
        }
        split = splits.get(self.spread.operator, split_held)
        yield from zip(children, split(state, identities, where, children), strict=True)


@dataclass(frozen=True, slots=True)
class Hashed:
    """Asks Spark for the new bucket of rows of an old one: by the very expression that sends rows there."""

    spark: SparkSession
    spread: SpreadFile
    parent: int
    buckets: int

    def __call__(self, tables: Sequence[pa.Table], stream: int) -> list[Rows] | None:
        """Return the bucket of each row; None: every bucket has all of them."""
        names = list(self.spread.columns[stream])
        if not names or not tables:
            return None if not names else []
        keys = pa.concat_tables([table.select(names) for table in tables])
        found = self._buckets(keys, stream)
        if (found % self.spread.buckets != self.parent).any():
            raise StateError(
                f"rows in bucket {self.parent} that belong to others",
                expected="those that are spread to it",
                remedy=f"do not rescale it; {START_ANEW}",
            )
        return np.split(found, np.cumsum([table.num_rows for table in tables])[:-1])

    def _buckets(self, keys: pa.Table, stream: int) -> Rows:
        frame: DataFrame = self.spark.createDataFrame(keys, from_arrow_schema(keys.schema, prefer_timestamp_ntz=True))
        if self.spread.by_keys:
            bucket = bucket_of_keys(frame, self.spread.columns[stream], self.buckets)
        else:
            columns = tuple(map(tuple, self.spread.columns))
            bucket = Spread(self.buckets, columns, self.spread.key).bucket(stream)
        return frame.select(bucket.alias("bucket")).toArrow()["bucket"].to_numpy().astype(np.int64)


def refused_if_none(states: Iterator[tuple[int, BucketState]]) -> Iterator[tuple[int, BucketState]]:
    """Pass buckets on; `StateError` if there is none, as after batches without rows."""
    first = next(states, None)
    if first is None:
        raise StateError("no bucket that was ever called", expected="rows to have come", remedy="start anew with more")
    yield first
    yield from states


def _check_written(spark: SparkSession, made: Path, batch: int, maps: Sequence[str], rows: Path) -> None:
    """Read the state back as the query will: Spark must find, in its place, every chunk that was meant."""

    def chunks(frame: DataFrame) -> Any:
        return frame.selectExpr("place", "map", "number", "if(map = 'meta', 0, crc32(body)) AS sum")

    found, meant = chunks(read_state(spark, made, batch, maps)), chunks(spark.read.parquet(str(rows)))
    if found.exceptAll(meant).count() or meant.exceptAll(found).count():
        raise StateError(
            "other chunks than were written", expected="the same", remedy="report it: Spark stores it in another way"
        )
