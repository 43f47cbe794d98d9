"""A profile of a bounded DataFrame: rows are cut into chunks by arrival, and each chunk is counted by a worker.

A first pass finds where each chunk leaves the clocks, a second counts every chunk from there; the counts are added up
in the driver, which sees no rows. Rows with equal arrival are in one chunk, so the answer is that of one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - as everyone writes it

from slackwater.disorder import kernels
from slackwater.disorder.columns import Question, Reader, guessed_unit, is_text
from slackwater.disorder.parts import MOST_PARTS, PartNames
from slackwater.disorder.result import Subject
from slackwater.disorder.run import profile_of
from slackwater.disorder.tally import Tally, packed, unpacked
from slackwater.disorder.text_times import TextTimes
from slackwater.errors import ColumnError, ParameterError
from slackwater.pipeline.columns import check_types
from slackwater.plan.nodes import StreamNode
from slackwater.spark.session import arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from slackwater.disorder.result import DisorderProfile
    from slackwater.time import Times

CHUNK_ROWS = 1_000_000  # that a worker holds at a time, about
MOST_CHUNKS = 200
_CHUNK = "__chunk"
_SOURCE = "DataFrame"
Clocks: TypeAlias = tuple[int | None, Mapping[str, "Times"]]  # of all, and of the parts of each kind


@dataclass(frozen=True)
class _Counting:
    """What a worker needs to know to count a chunk."""

    question: Question
    names: Mapping[str, Sequence[str | None]]
    present: int

    def of(self, rows: pa.Table, clocks: Clocks) -> Tally:
        """Return the tally of a chunk that begins with these clocks."""
        clock, part_clocks = clocks
        names = {kind: PartNames(each, most=0) for kind, each in self.names.items()}
        tally = Tally(self.question.kinds, clock=clock, part_clocks=part_clocks)
        reader = Reader(self.question, present=self.present, names=names, tally=tally)
        reader.on_batch(_SOURCE, rows.sort_by(str(self.question.arrival)))
        return reader.tally


def profile_dataframe(question: Question, frame: DataFrame, *, present: int) -> DisorderProfile:
    """Profile a bounded DataFrame by its arrival column. The source is read once, and kept where Spark finds room."""
    _check(question, frame)
    with _chosen_columns(question, frame) as rows:
        first, count = _first_and_count(question, rows)
        asked = _with_unit(question, first, arrow_schema(frame))
        names = {kind: _names(str(question.arrival), str(column), rows) for kind, column in _parts(asked)}
        chunked = rows.withColumn(_CHUNK, _chunk_of(question, rows, count))
        tally = _counted(_Counting(asked, names, present), chunked)
    subject = Subject(
        source=_SOURCE,
        event_time=asked.event_time,
        unit=asked.unit,
        unit_is_guessed=asked.unit != question.unit,
        arrival=asked.arrival,
        by=asked.by,
        stream=asked.stream,
    )
    return profile_of(subject, tally, names, present=present)


def _check(question: Question, frame: DataFrame) -> None:
    if frame.isStreaming:
        remedy = "read the same source with spark.read"
        raise ParameterError("frame", "a streaming DataFrame", must="be bounded to be profiled", remedy=remedy)
    if question.arrival is None:
        remedy = "Spark keeps no order of rows: name a column such as an offset or an ingestion time"
        raise ParameterError("arrival", None, must="be given for a Spark DataFrame", remedy=remedy)
    question.check(_SOURCE, frame.columns)


@contextmanager
def _chosen_columns(question: Question, frame: DataFrame) -> Iterator[DataFrame]:
    """Keep the columns that are needed; keys as text, so that their names are the same everywhere."""
    keys = {column for _, column in _parts(question)} - {question.event_time, question.arrival}
    names = [F.col(_quoted(column)) for column in question.columns]
    chosen = frame.select(
        [each.cast("string") if column in keys else each for each, column in zip(names, question.columns, strict=True)]
    ).toDF(*question.columns)
    chosen.persist()
    try:
        yield chosen
    finally:
        chosen.unpersist()


def _first_and_count(question: Question, rows: DataFrame) -> tuple[Any, int]:
    """Return the first event time that is not null, in arrival order, and how many rows there are."""
    time, arrival = F.col(_quoted(question.event_time)), F.col(_quoted(str(question.arrival)))
    known = F.when(time.isNotNull(), arrival)
    found = rows.agg(F.min_by(time, known), F.count("*"), F.count(arrival)).collect()[0]
    if found[1] != found[2]:
        remedy = "every row must say when it arrived"
        raise ColumnError(_SOURCE, str(question.arrival), problem="has nulls", remedy=remedy)
    return found[0], int(found[1])


def _with_unit(question: Question, first: Any, schema: pa.Schema) -> Question:
    """Check the types before anything runs, and settle the unit of integers."""
    node = StreamNode(name=_SOURCE, event_time=question.event_time, unit=question.unit, arrival=question.arrival)
    kind = schema.field(question.event_time).type
    if is_text(kind):
        TextTimes().read(node, pa.chunked_array([[first]], pa.string()), parse=question.parse)
        return question
    if pa.types.is_integer(kind) and question.unit is None and first is not None:
        node = replace(node, unit=guessed_unit(node, int(first)))
    if first is not None:
        check_types(node, schema)
    return replace(question, unit=node.unit)


def _names(arrival: str, column: str, rows: DataFrame) -> list[str | None]:
    """Return the parts that are followed: the first ones to arrive."""
    name = F.col(_quoted(column)).cast("string").alias("name")
    found = rows.groupBy(name).agg(F.min(F.col(_quoted(arrival))).alias("first"))
    return [row["name"] for row in found.orderBy("first", "name").limit(MOST_PARTS).collect()]


def _chunk_of(question: Question, rows: DataFrame, count: int) -> Column:
    """Return the number of the chunk that a row is in, about `CHUNK_ROWS` rows each, in the order of arrival."""
    chunks = min(MOST_CHUNKS, -(-count // CHUNK_ROWS))
    position = _as_number(str(question.arrival), rows)
    if chunks <= 1:
        return F.lit(0)
    shares = [number / chunks for number in range(1, chunks)]
    bounds = rows.select(position.alias("at")).approxQuantile("at", shares, 0.1 / chunks)
    return F.size(F.filter(F.array(*map(F.lit, sorted(set(bounds)))), lambda bound: bound < position))


def _as_number(column: str, rows: DataFrame) -> Column:
    """Return a column as numbers in the same order; what is too close for a float is in the same chunk."""
    if dict(rows.dtypes)[column] == "timestamp_ntz":
        since = f"timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01 00:00:00', {_quoted(column)})"
        return F.expr(since).cast("double")
    return F.col(_quoted(column)).cast("double")


def _counted(counting: _Counting, chunked: DataFrame) -> Tally:
    clocks = _clocks_before(_each_chunk(chunked, lambda rows, _: _clocks_after(counting, rows)), counting)
    total = Tally(counting.question.kinds)
    for _, data in _each_chunk(chunked, lambda rows, chunk: packed(counting.of(rows, clocks[chunk]))):
        total.merge(unpacked(data, counting.question.kinds))
    return total


def _each_chunk(chunked: DataFrame, work: Callable[[pa.Table, int], bytes]) -> list[tuple[int, bytes]]:
    """Return what a worker makes of each chunk, in the order of arrival."""

    def run(rows: pa.Table) -> pa.Table:
        chunk = int(rows[_CHUNK][0].as_py())
        return pa.table({"chunk": pa.array([chunk], pa.int32()), "data": pa.array([work(rows, chunk)], pa.binary())})

    found = chunked.groupBy(_CHUNK).applyInArrow(run, "chunk int, data binary").collect()
    return sorted((int(row["chunk"]), bytes(row["data"])) for row in found)


def _clocks_after(counting: _Counting, rows: pa.Table) -> bytes:
    return packed(counting.of(rows, (None, {})), clocks_only=True)


def _clocks_before(after: Sequence[tuple[int, bytes]], counting: _Counting) -> dict[int, Clocks]:
    """Return the clocks before each chunk: the largest event times of all chunks before it."""
    clock: int | None = None
    parts = {kind: np.full(len(names), kernels.NONE) for kind, names in counting.names.items()}
    found: dict[int, Clocks] = {}
    for chunk, data in after:
        found[chunk] = (clock, {kind: each.copy() for kind, each in parts.items()})
        tally = unpacked(data, counting.question.kinds)
        clock = max((each for each in (clock, tally.clock) if each is not None), default=None)
        for kind, each in parts.items():
            seen = tally.parts[kind].numbers[:, kernels.P_CLOCK]
            np.maximum(each[: len(seen)], seen, out=each[: len(seen)])
    return found


def _parts(question: Question) -> list[tuple[str, str]]:
    return [(kind, column) for kind, column in question.parts.items() if column is not None]


def _quoted(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"
