"""Outputs that are folders of this file system are written where their rows are made, and put in place by the driver.

A bucket writes what is large to a file in the folder's `_staged`, under a name that nobody else has, and sends only
that name; what is small it sends along, and the driver writes it. When all buckets of a batch are done, the driver
moves the files of the batch into a new folder and gives that its place in one step. So rows do not go back through
Spark, and a reader sees all of a batch or nothing. What tasks that were killed or repeated leave behind has no name
that counts.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as kinds_of

from slackwater.errors import QueryError
from slackwater.spark.packets import from_bytes

FOLDER = "_staged"  # Spark's readers skip names that begin so
SMALL = 256 * 1024  # bytes of an output that a bucket sends along: a file is not worth its while

# How Spark's setting names what Parquet files are compressed with, and how Arrow does.
Codec: TypeAlias = Literal["none", "snappy", "gzip", "zstd", "brotli"]
CODECS: Mapping[str, Codec] = {
    "none": "none",
    "uncompressed": "none",
    "snappy": "snappy",
    "gzip": "gzip",
    "zstd": "zstd",
    "brotli": "brotli",
}


def is_plain(kind: pa.DataType) -> bool:
    """Return whether Spark reads a type of column as it was from a file that Arrow has written.

    >>> is_plain(pa.struct([("a", pa.list_(pa.int64()))])), is_plain(pa.duration("us"))
    (True, False)
    """
    if kinds_of.is_nested(kind):
        return all(is_plain(kind.field(place).type) for place in range(kind.num_fields))
    return not (kinds_of.is_null(kind) or kinds_of.is_duration(kind) or kinds_of.is_interval(kind))


@dataclass(frozen=True, slots=True)
class Output:
    """A folder with one subfolder `batch=N` per batch, which a replay replaces."""

    folder: str
    schema: pa.Schema
    codec: Codec

    def stage(self, bucket: int, bodies: Iterable[bytes]) -> str:
        """Write rows of a bucket; return the name of the file."""
        name = f"part-{bucket:05}-{uuid.uuid4().hex}"
        staged = Path(self.folder) / FOLDER
        staged.mkdir(parents=True, exist_ok=True)
        self._write(staged / name, bodies)
        return name

    def commit(self, batch: int, files: Sequence[str], bodies: Sequence[bytes]) -> None:
        """Give a batch its place: staged files, and rows that buckets sent along; where there is nothing, no rows."""
        staged = Path(self.folder) / FOLDER
        new, old, place = staged / f"batch={batch}", staged / "replaced", Path(self.folder) / f"batch={batch}"
        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)
        new.mkdir(parents=True)
        for file in files:
            _move(staged / file, new / self._named(file))
        if bodies or not files:
            self._write(new / self._named("part-driver"), bodies)
        if place.exists():
            place.rename(old)
        new.rename(place)
        shutil.rmtree(old, ignore_errors=True)

    def clear(self) -> None:
        """Remove what an earlier run left behind."""
        shutil.rmtree(Path(self.folder) / FOLDER, ignore_errors=True)

    def _write(self, path: Path, bodies: Iterable[bytes]) -> None:
        rows = pa.concat_tables([self.schema.empty_table(), *(from_bytes(body).cast(self.schema) for body in bodies)])
        pq.write_table(rows, path, compression=self.codec)

    def _named(self, name: str) -> str:
        return f"{name}.parquet" if self.codec == "none" else f"{name}.{self.codec}.parquet"


@dataclass(frozen=True, slots=True)
class Staging:
    """What a bucket writes itself: outputs, by the kind of their packets."""

    outputs: Mapping[int, Output]

    def clear(self) -> None:
        """Remove what an earlier run left behind."""
        for output in self.outputs.values():
            output.clear()

    def packets(self, bucket: int, packets: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Return the packets of a call; one with the name of a file stands for those of a large output."""
        sizes = dict.fromkeys(self.outputs, 0)
        for packet in packets:
            if packet["kind"] in sizes:
                sizes[packet["kind"]] += len(packet["body"])
        large = {kind for kind, size in sizes.items() if size > SMALL}
        yield from (packet for packet in packets if packet["kind"] not in large)
        for kind in sorted(large):
            bodies = [packet["body"] for packet in packets if packet["kind"] == kind]
            yield {"kind": kind, "bucket": bucket, "file": self.outputs[kind].stage(bucket, bodies).encode()}


def _move(staged: Path, place: Path) -> None:
    try:
        staged.rename(place)
    except FileNotFoundError:
        raise QueryError(
            f"writing to {staged.parent.parent}",
            problem=f"the driver does not find {staged.name}, which an executor has written there",
            remedy="give a folder that driver and executors have all mounted, or one with a scheme, such as s3a://",
        ) from None
