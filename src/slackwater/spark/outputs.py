"""Where the three outputs of a query go: written once per batch, whatever happens in between.

A batch that is replayed after a crash overwrites its own folder, so that the union of all folders has every row
exactly once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.util import inheritable_thread_target

from slackwater.errors import ColumnError, ParameterError
from slackwater.spark.call import DECISIONS, LATE, LATENCY, RESULTS, STATISTICS, SUMMARY
from slackwater.spark.kafka_sink import KafkaSink
from slackwater.spark.packets import to_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A folder for Parquet files, or a function of (rows, batch number) that must give the same when called again.
Write: TypeAlias = "Callable[[DataFrame, int], object]"
Destination: TypeAlias = "str | os.PathLike[str] | Write"
Unpack: TypeAlias = "Callable[[DataFrame, int], DataFrame]"
Notice: TypeAlias = "Callable[[list[bytes]], None]"  # of what the calls of a batch say of their work
Decide: TypeAlias = "Callable[[list[bytes], int], pa.Table]"  # of reports and the batch number, the same when repeated

BYTES_OF_A_TASK = 16 * 1024 * 1024

KIND_OF: Mapping[str, int] = {"results": RESULTS, "late": LATE, "decisions": DECISIONS}


def checked_destinations(
    given: Mapping[str, Destination | None], *, checkpoint: str, columns: Sequence[str]
) -> dict[str, Write]:
    """Return how each output is written; refuse folders that an earlier run with another checkpoint has filled."""
    writers: dict[str, Write] = {}
    folders = {"checkpoint": checkpoint.rstrip("/")}
    for name, where in given.items():
        if where is None:
            continue
        if callable(where):
            writers[name] = where.for_output(name) if isinstance(where, KafkaSink) else where
            continue
        folder = _folder(name, where)
        for other, taken in folders.items():
            if folder == taken:
                raise ParameterError(name, folder, must=f"not be that of {other}", remedy="give each its own folder")
        folders[name] = folder
        if "batch" in columns and name != "decisions":
            raise ColumnError(
                name, "batch", problem="has the name of the batch folders", remedy="rename it, or write with a function"
            )
        if not _began(checkpoint) and any(Path(folder).glob("batch=*")):
            remedy = "give a new folder, or the checkpoint that belongs to it"
            raise ParameterError(name, folder, must="be empty when the checkpoint is new", remedy=remedy)
        writers[name] = ParquetFolder(folder)
    return writers


def _folder(name: str, where: object) -> str:
    if not isinstance(where, str | os.PathLike):
        raise ParameterError(name, where, must="be a folder or a function of (rows, batch)", remedy="give a path")
    return os.fspath(where).rstrip("/")


def _began(checkpoint: str) -> bool:
    """Whether a query has run with this checkpoint; a remote one cannot be looked into and is taken on trust."""
    return "://" in checkpoint or (Path(checkpoint) / "offsets").exists()


def batch_writer(
    unpack: Unpack,
    writers: Mapping[str, Write],
    notice: Notice | None = None,
    decide: Decide | None = None,
    *,
    begin: Callable[[], object] | None = None,
    measure: Callable[[list[bytes], int], object] | None = None,
) -> Callable[[DataFrame, int], None]:
    """Return the function for `foreachBatch`: it runs the operator once and writes every output.

    `decide` adds decisions to those of the buckets, from what they report; `notice` sees what they say of their work.
    `begin` is called once, before the first batch of a run; `measure` when a batch is written, with what buckets say of
    how long its rows had waited.
    """
    may_be_a_replay = True  # the first batch after a start: another run may have written a part of it

    def write(packets: DataFrame, batch: int) -> None:
        nonlocal may_be_a_replay
        if may_be_a_replay and begin is not None:
            begin()
        packets = packets.persist()
        try:
            found = _without_rows(packets)
            present = set(found["kind"].to_pylist())
            if notice is not None:
                notice(_bodies(found, SUMMARY))
            decided = None if decide is None else decide(_bodies(found, STATISTICS), batch)
            works = []
            for name, write_rows in writers.items():
                kind = KIND_OF[name]
                added = decided if kind == DECISIONS and decided is not None and decided.num_rows else None
                if may_be_a_replay or kind in present or added is not None:
                    few = packets.coalesce(_tasks_for(found, kind))
                    rows = unpack(few if added is None else _with(few, kind, added), kind)
                    works.append((write_rows, partial(write_rows, rows, batch)))
            _run([work for write_rows, work in works if isinstance(write_rows, ParquetFolder)], packets.sparkSession)
            for write_rows, work in works:
                if not isinstance(write_rows, ParquetFolder):
                    work()
            if measure is not None:
                measure(_bodies(found, LATENCY), batch)
        finally:
            packets.unpersist()
        may_be_a_replay = False

    return write


def _run(works: Sequence[Callable[[], object]], spark: SparkSession) -> None:
    """Let Spark write folders at the same time: most of a small write is waiting. Functions of users take turns."""
    if len(works) < 2:
        for work in works:
            work()
        return
    with ThreadPoolExecutor(len(works)) as threads:
        # jobs of other threads belong to the query too, so that stopping it stops them
        for done in [threads.submit(inheritable_thread_target(spark)(work)) for work in works]:
            done.result()


def _without_rows(packets: DataFrame) -> pa.Table:
    """Return a few numbers and what buckets report to the driver, however many rows there are."""
    body = F.when(F.col("kind").isin(STATISTICS, SUMMARY, LATENCY), F.col("body"))
    return packets.select("kind", "bucket", F.octet_length("body").alias("bytes"), body.alias("body")).toArrow()


def _tasks_for(found: pa.Table, kind: int) -> int:
    """Return how many tasks an output is worth: each is a file, and takes longer to start than to write a few rows."""
    sizes = found.filter(pc.equal(found["kind"], pa.scalar(kind, pa.int8())))["bytes"]
    return min(max(len(sizes), 1), 1 + (pc.sum(sizes).as_py() or 0) // BYTES_OF_A_TASK)


def _bodies(found: pa.Table, kind: int) -> list[bytes]:
    """Return what was reported, bucket by bucket: sums must not depend on the order in which tasks end."""
    reports = found.filter(
        pc.and_(pc.equal(found["kind"], pa.scalar(kind, pa.int8())), pc.is_valid(found["body"]))
    ).sort_by("bucket")
    return [body.as_py() for body in reports["body"]]


def _with(packets: DataFrame, kind: int, table: pa.Table) -> DataFrame:
    """Add a packet of the driver's."""
    packet = packets.sparkSession.createDataFrame([(kind, to_bytes(table))], "kind TINYINT, body BINARY")
    return packets.select("kind", "body").unionByName(packet)


@dataclass(frozen=True, slots=True)
class ParquetFolder:
    """A destination with one subfolder `batch=N` per batch, which a replay replaces."""

    path: str

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write a batch."""
        rows.write.mode("overwrite").parquet(f"{self.path.rstrip('/')}/batch={batch}")
