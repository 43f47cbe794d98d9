"""The state of a query that does not run: read and written by Spark itself, whatever its files look like.

It is read with Spark's own source for state. It is written by a stateful query of one batch, which has the variables of
ours and puts into them what it is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from slackwater.spark.places import places
from slackwater.spark.sealed import sealed_text, unsealed_text
from slackwater.spark.shell import open_state
from slackwater.spark.split import BucketState
from slackwater.spark.state import MemoryChunks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ENTRY = "meta"  # the variable with everything small
_FIELDS: list[pa.Field[Any]] = [
    pa.field("place", pa.int64()),
    pa.field("map", pa.string()),
    pa.field("number", pa.int64()),
    pa.field("body", pa.binary()),
]
_ROWS = pa.schema(_FIELDS)
_ROWS_OF_SPARK = "place BIGINT, map STRING, number BIGINT, body BINARY"


def read_state(spark: SparkSession, checkpoint: Path, batch: int, maps: Sequence[str]) -> DataFrame:
    """Return all variables of all buckets as they were after a batch: place, map, number and body."""

    def variable(name: str) -> DataFrame:
        reader = spark.read.format("statestore").option("batchId", batch).option("stateVarName", name)
        return reader.load(str(checkpoint))

    entry = variable(_ENTRY).select(
        "key.place",
        F.lit(_ENTRY).alias("map"),
        F.lit(0).cast("bigint").alias("number"),
        F.col("value.body").cast("binary").alias("body"),
    )
    for name in maps:
        chunks = variable(name).select(
            "key.place", F.lit(name).alias("map"), F.col("user_map_key.number"), F.col("user_map_value.body")
        )
        entry = entry.unionByName(chunks)
    return entry


def bucket_states(folder: Path, buckets: int, maps: Sequence[str]) -> Iterator[tuple[int, BucketState]]:
    """Return each bucket that was ever called, from files that `read_state` was written to, by place."""
    for bucket, place in enumerate(places(buckets)):
        files = sorted((folder / f"place={place}").glob("*.parquet"))
        if files:
            rows = pa.concat_tables([pq.ParquetFile(file).read() for file in files])
            yield bucket, _bucket_state(rows, maps)


def _bucket_state(rows: pa.Table, maps: Sequence[str]) -> BucketState:
    stores = {name: MemoryChunks() for name in maps}
    entry = ""
    for name, number, body in zip(*(rows[column].to_pylist() for column in ("map", "number", "body")), strict=True):
        if name == _ENTRY:
            entry = body.decode()
        else:
            stores[name].write(number, body)
    return BucketState(entry, stores)


def put_rows(folder: Path, bucket: int, state: BucketState, *, buckets: int) -> None:
    """Write the state of a bucket as rows for `write_state`."""
    place = places(buckets)[bucket]
    rows = [(place, _ENTRY, 0, state.entry.encode())]
    rows += [(place, name, number, body) for name, store in state.maps.items() for number, body in store.bodies.items()]
    columns = zip(*rows, strict=True)
    table = pa.Table.from_arrays([pa.array(c, f.type) for c, f in zip(columns, _ROWS, strict=True)], schema=_ROWS)
    pq.write_table(table, folder / f"{bucket}.parquet", row_group_size=64)


def write_state(spark: SparkSession, rows: Path, checkpoint: Path, maps: Sequence[str], *, timers: bool) -> None:
    """Run a query that keeps rows as the state of their buckets; it is version 1 of the state in its checkpoint."""
    frame = spark.readStream.schema(_ROWS_OF_SPARK).parquet(str(rows))
    kept = frame.groupBy("place").transformWithStateInPandas(
        statefulProcessor=_Keeper(tuple(maps), timers=timers),
        outputStructType="place BIGINT",
        outputMode="Append",
        timeMode="ProcessingTime" if timers else "None",
    )
    writer = kept.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()


class _Keeper(StatefulProcessor):
    """Puts rows into state as they are; a timer that was due is due again as soon as the state is used."""

    def __init__(self, maps: Sequence[str], *, timers: bool) -> None:
        self._names, self._timers = maps, timers

    def init(self, handle: Any) -> None:
        """Open the state."""
        self._handle = handle
        self._meta, maps = open_state(handle, self._names)
        self._maps = dict(zip(self._names, maps, strict=True))

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Keep the rows of a bucket."""
        for frame in rows:
            for name, number, body in zip(frame["map"], frame["number"], frame["body"], strict=True):
                if name == _ENTRY:
                    self._meta.update((self._timed(bytes(body).decode(), timerValues),))
                else:
                    self._maps[name].updateValue((int(number),), (bytes(body),))
        yield pd.DataFrame({"place": [key[0]]})

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """None is due in the one batch that there is."""
        yield pd.DataFrame({"place": pd.Series([], dtype="int64")})

    def close(self) -> None:
        """Nothing to close."""

    def _timed(self, entry: str, timer_values: Any) -> str:
        """Register the timer of a bucket, not before the next ms: Spark would call for those that are due at once."""
        found: dict[str, Any] = json.loads(unsealed_text(entry))
        if not self._timers or found.get("timer") is None:
            return entry
        found["timer"] = max(int(found["timer"]), int(timer_values.getCurrentProcessingTimeInMs()) + 1)
        self._handle.registerTimer(found["timer"])
        return sealed_text(json.dumps(found))


def in_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """Return a session with settings of its own."""
    own = spark.newSession()
    for name, value in settings.items():
        own.conf.set(name, value)
    return own
