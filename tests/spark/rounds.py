"""Buckets of a join called batch by batch, and the driver's controller between them; no Spark needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater.control.following import Told
from slackwater.pipeline.pooling import PooledDecision, PooledSlack
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, RESULTS, STATISTICS
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


def join_of(frames: list[Any], contract: sw.Recall, **options: Any) -> Any:
    """Join two streams by key within a second."""
    streams = [
        sw.stream(frame, name=f"s{number}", event_time="ts", unit="ms", arrival="seq", max_ahead=None)
        for number, frame in enumerate(frames)
    ]
    return sw.join(*streams, on="key", within="1 second", contract=contract, **options)


def batches(tables: list[pa.Table], count: int) -> Iterator[list[pa.Table]]:
    """Cut all streams at the same arrivals."""
    edges = np.linspace(0, sum(map(len, tables)), count + 1).astype(np.int64)
    for start, stop in pairwise(edges.tolist()):
        yield [table.filter((pa.compute.field("seq") >= start) & (pa.compute.field("seq") < stop)) for table in tables]


@dataclass
class Rounds:
    """Calls every bucket with its rows of a batch; with scope "global", what the driver decides comes a batch later."""

    node: Any
    states: dict[int, tuple[JoinSaved, HeldStore]] = field(default_factory=dict)
    driver: str = "{}"
    told: Told | None = None
    decided: list[PooledDecision] = field(default_factory=list)
    rows: dict[int, list[pa.Table]] = field(default_factory=lambda: {RESULTS: [], DECISIONS: []})

    def on_batch(self, tables: list[pa.Table], *, drain: bool = False, buckets: set[int] | None = None) -> None:
        """Run a batch; only `buckets`, if not all, have rows in it."""
        reports = []
        for number in range(self.node.buckets):
            own = [_of_bucket(table, number, self.node.buckets) for table in tables]
            if buckets is not None and number not in buckets:
                continue
            saved, store = self.states.get(number, (JoinSaved(), HeldStore(DictChunks(), DictChunks())))
            saved = saved if self.told is None else saved.hearing([self.told])
            bucket = JoinBucket(self.node, Spread.of(self.node, [SCHEMA] * 2), number)
            call = bucket.on_batch(saved, store, own, processing_time=0, drain=drain)
            self.states[number] = (JoinSaved.load((call.saved.dump(""),), ""), store)
            for packet in call.packets:
                if packet["kind"] == STATISTICS:
                    reports += read_reports([packet["body"]])
                elif packet["kind"] in self.rows:
                    self.rows[packet["kind"]].append(from_bytes(packet["body"]))
        self._decide(reports)

    def _decide(self, reports: list[Any]) -> None:
        pooled = PooledSlack(self.node, json.loads(self.driver))
        decided = pooled.on_batch(reports)
        self.driver = json.dumps(pooled.snapshot())
        self.decided += decided
        if decided:
            self.told = Told(decided[-1].slack, decided[-1].at)

    def table(self, kind: int) -> pa.Table:
        """Return all rows of an output."""
        return pa.concat_tables(self.rows[kind])


def _of_bucket(table: pa.Table, number: int, buckets: int) -> pa.Table:
    return table.filter(pa.array(table["key"].to_numpy() % buckets == number))
