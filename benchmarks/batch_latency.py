"""How long a micro-batch takes, against a query that only reads and writes the same rows with the same trigger.

At half load, both get half of the rows that ours sustains. With small batches, of a few per cent of those rows, the
trigger is one at which ours is busy half of the time: that is its fixed price. Ours writes three outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.half_load import LIMIT, RIVAL, TURNS, Compared, HalfLoad, cases_of
from benchmarks.harness import Case
from benchmarks.micro_batches import STARTING, Latencies, Started, at_once, busy_half, durations, started
from benchmarks.spark_files import read, scratch, start_rival, write_files
from benchmarks.timed_streams import one, two

SLACK = sw.FixedSlack("100 ms")
JOINED_SLACK = sw.FixedSlack("1 second")
VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}


def cases(*, quick: bool) -> Iterator[Case]:
    """Half of the micro-batches, and 99 %, at half load and of small ones: quick, too few for more than a glance."""
    with scratch() as (spark, folder):
        missing = 0
        for name, enough in ENOUGH.items():
            wanted = 1 if quick else enough
            missing += yield from cases_of(spark, folder, OPERATORS[name], QUICK if quick else FULL, wanted)
        rows, files = (2_000, 8) if quick else (20_000, 24)
        write_files(folder / "in", out_of_order(rows * files), files)
        for name in ("reorder", "aggregate"):
            yield from _small(spark, folder, OPERATORS[name], rows, files)
        if missing and not quick:  # last, so that nothing else is lost
            raise RuntimeError(
                f"{missing} cases of half load are missing: batches without rows took half of the trigger"
            )


def _small(spark: SparkSession, folder: Path, compared: Compared, rows: int, files: int) -> Iterator[Case]:
    starts = [partial(query, spark, folder) for query in (compared.ours, compared.passed)]
    warm = [at_once(start, files) for start in starts]
    trigger = busy_half(warm[0])
    ours, passed = (
        Latencies(partial(durations, start, files, trigger), took) for start, took in zip(starts, warm, strict=True)
    )
    config = {"rows": rows, "batches": files - STARTING, **trigger}
    name = f"small micro-batch of {compared.name}, busy half of the time"
    yield Case(f"{name}, 50 %", ours.median, passed.median, LIMIT, RIVAL, config, turns=TURNS)
    yield Case(f"{name}, 99 % of {files - STARTING}", ours.slow, passed.slow, LIMIT, RIVAL, config, turns=TURNS)


def _reorder(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    return started(sw.reorder(stream, contract=SLACK), folder, trigger)


def _aggregate(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    stream = sw.stream(read(spark, folder / "in"), event_time="event_time", arrival="seq")
    windows = sw.aggregate(
        stream, by="key", size="3 seconds", slide="1 second", values=VALUES, contract=SLACK, buckets=2
    )
    return started(windows, folder, trigger)


def _passed(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    return start_rival(read(spark, folder / "in"), folder, trigger)


def _join(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    a, b = (sw.stream(read(spark, folder / name), name=name, event_time="ts") for name in "ab")
    return started(sw.join(a, b, on="key", within="5 seconds", contract=JOINED_SLACK, buckets=2), folder, trigger)


def _both_passed(spark: SparkSession, folder: Path, trigger: dict[str, Any]) -> Started:
    a, b = (read(spark, folder / name) for name in "ab")
    return start_rival(a.unionByName(b), folder, trigger)


OPERATORS = {
    "reorder": Compared("a reorder", _reorder, _passed, one, (40_000, 240_000)),
    "aggregate": Compared("an aggregate", _aggregate, _passed, one, (40_000, 240_000)),
    "join": Compared("a join", _join, _both_passed, two, (10_000, 40_000)),
}
ENOUGH = {"reorder": 2, "aggregate": 1, "join": 1}  # triggers, of those below at which there is a half load
QUICK = [HalfLoad(seconds, filling=4, alike=3, batches=4) for seconds in (1, 2, 4)]
FULL = [
    HalfLoad(1, filling=5, alike=5, batches=32),
    HalfLoad(2, filling=3, alike=5, batches=16),
    HalfLoad(4, filling=2, alike=3, batches=10),  # of a busy machine only
]
