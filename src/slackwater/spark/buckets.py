"""Which bucket a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

from slackwater.plan.keys import family
from slackwater.spark.packets import PACKETS_IN, packer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from slackwater.plan.conjuncts import KeyClass
    from slackwater.plan.nodes import AggregateNode, JoinNode, ReorderNode

BUCKET = "__slackwater_bucket"


def with_bucket(node: ReorderNode | AggregateNode, frame: DataFrame) -> tuple[DataFrame, str | None]:
    """Add the number of its bucket to every row, by the hash of its keys; None where there is only one bucket."""
    if node.buckets == 1:
        return frame, None
    bucket = bucket_of_keys(frame, node.by, node.buckets)
    if node.stream.marker is not None:
        bucket = F.explode(F.when(_is_for_all(node), _everywhere(node.buckets)).otherwise(F.array(bucket)))
    return frame.withColumn(BUCKET, bucket), BUCKET


def bucket_of_keys(frame: DataFrame, by: Sequence[str], buckets: int) -> Column:
    """Return the bucket of each row of one stream: by the hash of its keys."""
    kinds = dict(frame.dtypes)
    return _bucket_by([_key(name, kinds[name]) for name in by], buckets)


def _is_for_all(node: ReorderNode | AggregateNode) -> Column:
    """Whether a row is a prod or a punctuation for groups of several buckets."""
    marked = F.col(_quoted(str(node.stream.marker))).isin("prod", "punctuation")
    return marked & reduce(lambda a, b: a | b, [F.col(_quoted(name)).isNull() for name in node.by])


def _everywhere(buckets: int) -> Column:
    return F.sequence(F.lit(0), F.lit(buckets - 1))


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _key(name: str, kind: str) -> Column:
    """Return a column such that equal keys have equal bits: there are two zeros."""
    column = F.col(_quoted(name))
    return (column + F.lit(0.0)).cast(kind) if kind in ("float", "double") else column


@dataclass(frozen=True, slots=True)
class Spread:
    """How the rows of a join go to buckets, so that every result is found in exactly one.

    The streams of one key class are spread by its hash, and all others are replicated: partners share the key, so
    they share the bucket. Without any key the first stream is split by a hash of its columns and all others are
    replicated: a result has exactly one row of it.
    """

    buckets: int
    columns: tuple[tuple[str, ...], ...]  # for each stream, what it is spread by; empty: it goes to every bucket
    key: str | None = None  # the Spark type that keys are compared in; "" for their own, None without a key

    @classmethod
    def of(cls, node: JoinNode, schemas: Sequence[pa.Schema]) -> Spread:
        """Choose the key class that covers most streams; of equals, the first."""
        best = node.condition.widest_class
        if best is not None:
            columns = (best.column_of(stream) for stream in range(len(schemas)))
            return cls(node.buckets, tuple(() if name is None else (name,) for name in columns), _type(best, schemas))
        hashed = tuple(field.name for field in schemas[0] if not pa.types.is_nested(field.type))
        return cls(node.buckets, (hashed, *((),) * (len(schemas) - 1)))

    def replicates(self, stream: int) -> bool:
        """Whether every bucket has all rows of a stream."""
        return self.buckets > 1 and not self.columns[stream]

    def packets(self, frames: Sequence[DataFrame], schemas: Sequence[pa.Schema]) -> DataFrame:
        """Pack the rows of all streams for their buckets. What is replicated is packed once."""
        parts = [self._packed(stream, *pair) for stream, pair in enumerate(zip(frames, schemas, strict=True))]
        return reduce(lambda left, right: left.unionByName(right), parts)

    def words(self, names: Sequence[str]) -> str:
        """Say which streams are spread by what, and which are replicated."""
        if self.buckets == 1:
            return "spread      not at all (1 bucket)"
        spread = [
            f"{name} by {'a hash of its columns' if self.key is None else columns[0]}"
            for name, columns in zip(names, self.columns, strict=True)
            if columns
        ]
        copied = [name for stream, name in enumerate(names) if self.replicates(stream)]
        rest = f", {', '.join(copied)} replicated" if copied else ""
        return f"spread      {', '.join(spread)}{rest} ({self.buckets} buckets, each with its own clocks)"

    def _packed(self, stream: int, frame: DataFrame, schema: pa.Schema) -> DataFrame:
        if self.buckets == 1:
            return frame.mapInArrow(packer(schema, None, stream), PACKETS_IN)
        if self.replicates(stream):
            everywhere = F.explode(_everywhere(self.buckets))
            return frame.mapInArrow(packer(schema, None, stream), PACKETS_IN).withColumn("bucket", everywhere)
        placed = frame.withColumn(BUCKET, self.bucket(stream))
        return placed.mapInArrow(packer(schema, BUCKET, stream), PACKETS_IN)

    def bucket(self, stream: int) -> Column:
        """Return the bucket of each row of a stream that is spread."""
        columns = [F.col(_quoted(name)) for name in self.columns[stream]]
        if self.key is None:
            return _bucket_by(columns, self.buckets)
        value = columns[0].cast(self.key) if self.key else columns[0]
        value = value + F.lit(0.0) if self.key == "double" else value  # there are two zeros
        return F.when(columns[0].isNull(), F.lit(0)).otherwise(_bucket_by([value], self.buckets))


def _bucket_by(columns: Sequence[Column], buckets: int) -> Column:
    return F.pmod(F.xxhash64(*columns), F.lit(buckets)).cast("int")


def _type(key_class: KeyClass, schemas: Sequence[pa.Schema]) -> str:
    """Return a type in which equal keys are the same bits: numbers may have several widths and kinds."""
    types = [schemas[column.stream].field(column.column).type for column in key_class.columns]
    types = [each for each in types if not pa.types.is_null(each)]
    if {family(each) for each in types} != {"number"}:
        return ""
    return "bigint" if all(map(pa.types.is_integer, types)) else "double"
