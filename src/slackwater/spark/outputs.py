"""Where the three outputs of a query go: written once per batch, whatever happens in between.

A batch that is replayed after a crash overwrites its own folder, so that the union of all folders has every row
exactly once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.util import inheritable_thread_target

from slackwater.errors import ColumnError, ParameterError
from slackwater.paths import local_folder
from slackwater.spark.call import DECISIONS, HORIZON, INPUT, LATE, LATENCY, REPORT, RESULTS, STATISTICS, SUMMARY
from slackwater.spark.horizons import Horizons
from slackwater.spark.kafka_sink import KafkaSink
from slackwater.spark.output_folders import check_apart, check_batches
from slackwater.spark.packets import to_bytes
from slackwater.spark.staged import CODECS, Output, Staging, is_plain
from slackwater.spark.ui_names import described

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A folder for Parquet files, or a function of (rows, batch number) that must give the same when called again.
Write: TypeAlias = "Callable[[DataFrame, int], object]"
Destination: TypeAlias = "str | os.PathLike[str] | Write"
Unpack: TypeAlias = "Callable[[DataFrame, int], DataFrame]"
Notice: TypeAlias = "Callable[[list[bytes]], None]"  # of what the calls of a batch say of their work
# of statistics, the batch number and what else buckets said; the same when repeated
Decide: TypeAlias = "Callable[[list[bytes], int, list[bytes]], pa.Table]"

BYTES_OF_A_TASK = 16 * 1024 * 1024

KIND_OF: Mapping[str, int] = {"results": RESULTS, "late": LATE, "decisions": DECISIONS}


def checked_destinations(
    given: Mapping[str, Destination | None],
    *,
    checkpoint: str,
    columns: Mapping[str, Sequence[str]],
    reads: Sequence[tuple[str, str]],
) -> dict[str, Write]:
    """Return how each output is written; refuse folders that are not its own, or that another run has filled.

    `reads` has the folders that streams are read from: what was written there would come back as input.
    """
    _check_names([where for where in given.values() if isinstance(where, KafkaSink)])
    writers: dict[str, Write] = {}
    check_apart("checkpoint", checkpoint, reads)
    taken = [*reads, ("checkpoint", checkpoint)]
    for name, where in given.items():
        if where is None:
            continue
        if callable(where):
            writers[name] = where.for_output(name) if isinstance(where, KafkaSink) else where
            continue
        folder = _folder(name, where)
        check_apart(name, folder, taken)
        taken.append((name, folder))
        if "batch" in map(str.lower, columns[name]):  # for Spark's readers case makes no difference
            raise ColumnError(
                name, "batch", problem="has the name of the batch folders", remedy="rename it, or write with a function"
            )
        check_batches(name, folder, checkpoint)
        writers[name] = ParquetFolder(folder)
    return writers


def _check_names(sinks: Sequence[KafkaSink]) -> None:
    """Refuse two outputs that Kafka would take for one writer: the batches of the second would pass as written."""
    known = set()
    for sink in sinks:
        if sink.name is not None and (sink.name, sink.topic) in known:
            remedy = "leave it out, or give each output its own"
            raise ParameterError("name", sink.name, must=f"be of one output to topic {sink.topic!r}", remedy=remedy)
        known.add((sink.name, sink.topic))


def _folder(name: str, where: object) -> str:
    if not isinstance(where, str | os.PathLike):
        raise ParameterError(name, where, must="be a folder or a function of (rows, batch)", remedy="give a path")
    return os.fspath(where).rstrip("/")


def staging_of(writers: Mapping[str, Write], schemas: Mapping[int, pa.Schema], spark: SparkSession) -> Staging:
    """Return the outputs that buckets write themselves: folders of this file system, of columns that Arrow writes."""
    codec = CODECS.get((spark.conf.get("spark.sql.parquet.compression.codec") or "").lower())
    outputs = {}
    for name, writer in writers.items():
        kind = KIND_OF[name]
        folder = local_folder(writer.path) if isinstance(writer, ParquetFolder) else None
        if folder is not None and codec is not None and all(is_plain(column.type) for column in schemas[kind]):
            outputs[kind] = Output(os.path.abspath(folder), schemas[kind], codec)
    return Staging(outputs)


def left_to_spark(writers: Mapping[str, Write], staging: Staging) -> dict[int, Write]:
    """Return how the outputs that buckets do not write themselves are written, by the kind of their packets."""
    return {KIND_OF[name]: write for name, write in writers.items() if KIND_OF[name] not in staging.outputs}


def batch_writer(
    unpack: Unpack,
    writers: Mapping[str, Write],
    staging: Staging,
    notice: Notice | None = None,
    decide: Decide | None = None,
    *,
    begin: Callable[[], object] | None = None,
    check: Callable[[list[bytes], int], object] | None = None,
    measure: Callable[[list[bytes], int], object] | None = None,
    reports: Callable[[list[bytes], int], object] | None = None,
) -> Callable[[DataFrame, int], None]:
    """Return the function for `foreachBatch`: it runs the operator once and writes every output.

    What buckets stage themselves is put in place; other outputs are written by Spark. Where there are none of these, it
    is given packets `without_rows`: they are part of the query's plan then, and not planned again in every batch.

    `decide` adds decisions to those of the buckets, from what they report; `notice` sees what they say of their work.
    `begin` is called once, before the first batch of a run; `check` before anything of a batch is put in place, with
    what buckets say of the rows that they were given; `measure` when a batch is written, with what buckets say of how
    long its rows had waited; `reports` likewise, with figures and what control records led to.
    """
    by_spark = left_to_spark(writers, staging)
    horizons = Horizons()
    may_be_a_replay = True  # the first batch after a start: another run may have written a part of it

    def write(packets: DataFrame, batch: int) -> None:
        nonlocal may_be_a_replay
        if may_be_a_replay:
            staging.clear()
            if begin is not None:
                begin()
        # the operator must not run again for each output that Spark writes
        packets = packets.persist() if by_spark else packets
        try:
            spark = packets.sparkSession
            with horizons.told(spark):
                small = without_rows(packets, staging) if by_spark else packets
                found = described(spark, "operator", small.toArrow)()
            horizons.hear(_said(found, HORIZON))
            if check is not None:
                check(_bodies(found, INPUT), batch)
            if notice is not None:
                notice(_bodies(found, SUMMARY))
            said = _bodies(found, REPORT)
            decided = None if decide is None else decide(_bodies(found, STATISTICS), batch, said)
            added = {} if decided is None or not decided.num_rows else {DECISIONS: to_bytes(decided)}
            present = {*found["kind"].to_pylist(), *added}
            wanted = {name: kind for name, kind in KIND_OF.items() if may_be_a_replay or kind in present}
            _put_in_place(staging, wanted.values(), found, added, batch)
            for_spark = {name: (kind, by_spark[kind]) for name, kind in wanted.items() if kind in by_spark}
            _run(list(_works(unpack, for_spark, packets, found, added, batch)), spark)
            if measure is not None:
                measure(_bodies(found, LATENCY), batch)
            if reports is not None:
                reports(said, batch)
        finally:
            if by_spark:
                packets.unpersist()
        may_be_a_replay = False

    return write


def _put_in_place(
    staging: Staging, wanted: Iterable[int], found: pa.Table, added: Mapping[int, bytes], batch: int
) -> None:
    """Give what buckets staged, or sent along, its place; with what the driver adds."""
    for kind in wanted:
        if kind in staging.outputs:
            bodies = [*_bodies(found, kind), *([added[kind]] if kind in added else [])]
            staging.outputs[kind].commit(batch, _files(found, kind), bodies)


def _works(
    unpack: Unpack,
    outputs: Mapping[str, tuple[int, Write]],
    packets: DataFrame,
    found: pa.Table,
    added: Mapping[int, bytes],
    batch: int,
) -> Iterator[tuple[Write, Callable[[], object]]]:
    """Return what writes each output of Spark's, by whom; with what the driver adds."""
    for name, (kind, write) in outputs.items():
        rows = unpack(_packets_of(packets, found, kind, added.get(kind)), kind)
        yield write, described(packets.sparkSession, name, partial(write, rows, batch))


def _run(works: Sequence[tuple[Write, Callable[[], object]]], spark: SparkSession) -> None:
    """Let Spark write folders at the same time: most of a small write is waiting. Functions of users take turns."""
    folders = [work for writer, work in works if isinstance(writer, ParquetFolder)]
    alone = [work for writer, work in works if not isinstance(writer, ParquetFolder)]
    if len(folders) > 1:
        with ThreadPoolExecutor(len(folders)) as threads:
            # jobs of other threads belong to the query too, so that stopping it stops them
            for done in [threads.submit(inheritable_thread_target(spark)(work)) for work in folders]:
                done.result()
        folders = []
    for work in [*folders, *alone]:
        work()


def without_rows(packets: DataFrame, staging: Staging) -> DataFrame:
    """Select a few numbers, what buckets report to the driver and small outputs, however many rows there are."""
    reported = (STATISTICS, SUMMARY, LATENCY, HORIZON, INPUT, REPORT, *staging.outputs)
    body = F.when(F.col("kind").isin(*reported), F.col("body"))
    bytes_ = F.octet_length("body").alias("bytes")
    return packets.select("kind", "bucket", "file", bytes_, body.alias("body"))


def _packets_of(packets: DataFrame, found: pa.Table, kind: int, added: bytes | None) -> DataFrame:
    """Return packets in as many tasks as an output is worth, with one of the driver's."""
    few = packets.coalesce(_tasks_for(found, kind))
    if added is None:
        return few
    packet = packets.sparkSession.createDataFrame([(kind, added)], "kind TINYINT, body BINARY")
    return few.select("kind", "body").unionByName(packet)


def _tasks_for(found: pa.Table, kind: int) -> int:
    """Return how many tasks an output is worth: each is a file, and takes longer to start than to write a few rows."""
    sizes = found.filter(pc.equal(found["kind"], pa.scalar(kind, pa.int8())))["bytes"]
    return min(max(len(sizes), 1), 1 + (pc.sum(sizes).as_py() or 0) // BYTES_OF_A_TASK)


def _bodies(found: pa.Table, kind: int) -> list[bytes]:
    """Return what was reported, bucket by bucket: sums must not depend on the order in which tasks end."""
    return [body for _, body in _said(found, kind)]


def _said(found: pa.Table, kind: int) -> list[tuple[int, bytes]]:
    """Return what buckets report, each with its number."""
    said: list[tuple[Any, Any]] = [(row["bucket"], row["body"]) for row in _of_kind(found, kind, "body").to_pylist()]
    return said


def _files(found: pa.Table, kind: int) -> list[str]:
    return [file.as_py().decode() for file in _of_kind(found, kind, "file")["file"]]


def _of_kind(found: pa.Table, kind: int, column: str) -> pa.Table:
    """Return the packets of a kind that have something in a column, bucket by bucket, otherwise in their order."""
    return found.filter(
        pc.and_(pc.equal(found["kind"], pa.scalar(kind, pa.int8())), pc.is_valid(found[column]))
    ).sort_by("bucket")


@dataclass(frozen=True, slots=True)
class ParquetFolder:
    """A destination with one subfolder `batch=N` per batch, which a replay replaces."""

    path: str

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write a batch."""
        rows.write.mode("overwrite").parquet(f"{self.path.rstrip('/')}/batch={batch}")
