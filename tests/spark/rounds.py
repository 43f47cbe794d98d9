"""Buckets of a join called batch by batch, and the driver's controller between them; no Spark needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import slackwater as sw
from slackwater.control.following import Told
from slackwater.pipeline.pooling import PooledSlack, pooled_table
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS, STATISTICS
from slackwater.spark.held import HeldStore
from slackwater.spark.join_call import JoinBucket, JoinSaved
from slackwater.spark.packets import from_bytes
from slackwater.spark.statistics import read_reports
from tests.spark.test_call import DictChunks

SCHEMA = pa.schema([("ts", pa.int64()), ("seq", pa.int64()), ("key", pa.int64())])


def thin_streams(*, seconds: int, per_second: int, keys: int, seed: int = 1) -> list[pa.Table]:
    """Make two streams in ms with one arrival order: most events come in time, some up to several seconds behind."""
    random = np.random.default_rng(seed)
    count = seconds * per_second
    came = np.sort(random.uniform(0, seconds * 1_000, count))
    delays = np.where(random.random(count) < 0.7, 0, np.minimum(random.exponential(800, count), 10_000))
    columns = [np.floor(came - delays).astype(np.int64), np.arange(count), random.integers(0, keys, count)]
    whole = pa.table(columns, SCHEMA)
    dealt = random.integers(0, 2, count)
    return [whole.filter(pa.array(dealt == stream)) for stream in range(2)]


def join_of(frames: list[Any], contract: sw.contracts.Contract, **options: Any) -> Any:
    """Join two streams by key within a second."""
    streams = [
        sw.stream(frame, name=f"s{number}", event_time="ts", unit="ms", arrival="seq", max_ahead=None)
        for number, frame in enumerate(frames)
    ]
    return sw.join(*streams, on="key", within="1 second", contract=contract, **options)


def batches(tables: list[pa.Table], count: int) -> Iterator[list[pa.Table]]:
    """Cut all streams at the same arrivals."""
    edges = np.linspace(0, max(pc.max(table["seq"]).as_py() for table in tables) + 1, count + 1).astype(np.int64)
    for start, stop in pairwise(edges.tolist()):
        yield [table.filter((pc.field("seq") >= start) & (pc.field("seq") < stop)) for table in tables]


@dataclass
class Rounds:
    """Calls every bucket with its rows of a batch; where the driver decides, buckets hear of it in the next batch.

    All state goes through its text form, as it would with Spark. `bucket_of` says where keys go.
    """

    node: Any
    bucket_of: Callable[[np.ndarray], np.ndarray] = lambda keys: keys % 4
    states: dict[int, tuple[JoinSaved, HeldStore]] = field(default_factory=dict)
    driver: str = "{}"
    told: list[Told] = field(default_factory=list)
    tables: dict[int, list[pa.Table]] = field(default_factory=lambda: {RESULTS: [], LATE: [], DECISIONS: []})

    def run(self, tables: list[pa.Table], *, count: int) -> Rounds:
        """Run all rows in so many batches, then drain."""
        for batch in batches(tables, count):
            self.on_batch(batch)
        self.on_batch([SCHEMA.empty_table()] * 2, drain=True)
        return self

    def on_batch(self, tables: list[pa.Table], *, drain: bool = False) -> None:
        """Call the buckets that have rows, or all of them to drain; then decide."""
        reports = []
        for number in range(self.node.buckets):
            own = [table.filter(pa.array(self.bucket_of(table["key"].to_numpy()) == number)) for table in tables]
            if drain or any(map(len, own)):
                reports += self._call(number, own, drain=drain)
        pooled = PooledSlack(self.node, json.loads(self.driver))
        decided = pooled.on_batch(reports)
        self.driver = json.dumps(pooled.snapshot())
        if self.node.is_pooled and decided:
            self.tables[DECISIONS].append(pooled_table(self.node, decided))
            self.told.append(Told(decided[-1].slack, decided[-1].at))

    def _call(self, number: int, tables: list[pa.Table], *, drain: bool) -> list[Any]:
        saved, store = self.states.get(number, (JoinSaved(), HeldStore(DictChunks(), DictChunks())))
        bucket = JoinBucket(self.node, Spread.of(self.node, [SCHEMA] * 2), number)
        call = bucket.on_batch(saved.hearing(self.told[-1:]), store, tables, processing_time=0, drain=drain)
        self.states[number] = (JoinSaved.load((call.saved.dump(""),), ""), store)
        for packet in call.packets:
            if packet["kind"] in self.tables:
                self.tables[packet["kind"]].append(from_bytes(packet["body"]))
        return read_reports(packet["body"] for packet in call.packets if packet["kind"] == STATISTICS)

    def output(self, kind: int) -> pa.Table:
        """Return all rows of an output."""
        return pa.concat_tables(self.tables[kind])

    def mean_slack(self, *, after: int) -> float:
        """Return the mean slack that was in force in buckets after so many seconds, in seconds."""
        late_enough = (pc.field("at") > pa.scalar(after * 1_000_000, pa.timestamp("us", tz="UTC"))) & pc.field(
            "bucket"
        ).is_valid()
        return float(pc.mean(self.output(DECISIONS).filter(late_enough)["slack"]).as_py()) / 1e6


def recall_by_minute(found: pa.Table, truth: pa.Table, *, seconds: range) -> np.ndarray:
    """Return which share of the true results was found, minute by minute."""
    edges = np.arange(seconds.start, seconds.stop + 1, 60) * 1_000_000
    counts = [np.histogram(each["event_time"].cast(pa.int64()).to_numpy(), edges)[0] for each in (found, truth)]
    return counts[0] / counts[1]
