"""Lets one of two streams fall silent for an hour, with `idle_after` and without, in process and on Spark."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.quality.batch_log import read_batches
from slackwater.spark.buckets import Spread
from slackwater.spark.call import DECISIONS, LATE, RESULTS, Call
from slackwater.spark.control_stream import put
from slackwater.spark.held import HeldStore
from slackwater.spark.join_call import JoinBucket, JoinSaved, identity_of_join
from slackwater.spark.merge_call import MergeBucket, identity_of_merge
from slackwater.spark.packets import from_bytes
from tests.load.patience import Patient
from tests.load.queries import OUTPUTS
from tests.load.rows import NAMES, SCHEMA, write_chunk
from tests.load.shaped import counted
from tests.load.shapes import IN_PROCESS, ON_SPARK
from tests.load.silent import Ruled, rule, silent_plan, silent_rows
from tests.load.verify import Verdict, verify
from tests.simulation.calls import Chunks

ROWS = {IN_PROCESS: 1_200_000, ON_SPARK: 120_000}
IDLE_AFTER = {IN_PROCESS: "10 minutes", ON_SPARK: "3 seconds"}
_CALLS = {"both": 10, "one": 60, "burst": 4, "again": 10}  # in process: the hour has a call each minute
_FILES = {"both": 2, "one": 6, "burst": 3, "again": 2}  # on Spark, a batch each
_PATIENCE, _LIMIT = 6.0, 1_800.0  # seconds
_KINDS = {RESULTS: "results", LATE: "late", DECISIONS: "decisions"}


@dataclass(frozen=True)
class Silence:
    """What became of two streams of which one was silent for an hour."""

    query: str
    engine: str
    idle_after: str | None
    rows: int
    seconds: float
    held: int  # rows at the end of the silence, as the query itself counts
    accounted: bool  # arrived = released + late + buffered in every decision, and nothing is held in the end
    ruled: Ruled
    verdict: Verdict

    @property
    def is_good(self) -> bool:
        holds = self.held == self.ruled.must_hold
        return holds and self.accounted and self.ruled.is_good and self.verdict.is_good


def silences_of(engine: str, folder: Path, *, spark: Any = None, tell: Callable[[str], None]) -> Iterator[Silence]:
    """Run a merge and a join, each with patience that ends and without end."""
    for query in ("merge", "join"):
        for idle_after in (None, IDLE_AFTER[engine]):
            found = run_silence(query, engine, folder / f"{query}-{bool(idle_after)}", idle_after, spark=spark)
            tell(f"{engine}: {found}")
            yield found


def run_silence(
    query: str, engine: str, folder: Path, idle_after: str | None, *, rows: int = 0, spark: Any = None
) -> Silence:
    """Run a query over both streams, and compare what it wrote with the rule."""
    phases = silent_rows(rows or ROWS[engine])
    total, burst = sum(each.num_rows for each in phases.values()), int(phases["burst"]["seq"][0].as_py())
    began = time.perf_counter()
    if engine == IN_PROCESS:
        batch, held = _in_process(query, folder, phases, idle_after)
    else:
        batch, held = _on_spark(spark, query, folder, phases, idle_after)
    seconds = time.perf_counter() - began
    accounted, _ = counted(folder, total)
    ruled = rule(query, folder, waits=idle_after is None, burst=burst, batch=batch)
    found = Silence(query, engine, idle_after, total, seconds, held, accounted, ruled, verify(query, folder))
    shutil.rmtree(folder)
    return found


def _in_process(query: str, folder: Path, phases: dict[str, pa.Table], idle_after: str | None) -> tuple[int, int]:
    """Call a bucket as Spark would; return the call that ends the silence, and how many rows are held then."""
    schema = phases["both"].drop("stream").schema
    bucket, number, ends = _Bucket(query, schema, idle_after), 0, (0, 0)
    for phase, rows in phases.items():
        for part in _cut(rows, _CALLS[phase]):
            write_chunk(folder, number, part.drop("stream"), 2, dealt=part["stream"])
            tables = [pq.read_table(folder / "in" / name / f"{number:07}.parquet") for name in NAMES]
            call = bucket.on_batch(tables, now=int(part["at"][-1].as_py()))
            bucket.write(call, folder, number)
            number += 1
        if phase == "one":
            ends = number - 1, call.counts.buffered
    now = int(phases["again"]["at"][-1].as_py())
    bucket.write(bucket.on_batch([schema.empty_table()] * 2, now=now, drain=True), folder, number)
    return ends


class _Bucket:
    """A bucket that is called as Spark would call it: between two calls its state is text and bytes."""

    def __init__(self, query: str, schema: pa.Schema, idle_after: str | None) -> None:
        schemas = [schema, schema]
        self._plan = silent_plan(query, [schema.empty_table()] * 2, idle_after)
        node = self._plan.node
        if query == "merge":
            self._bucket: Any = MergeBucket(node, Spread(1, (node.by,) * 2), 0)
            self._identity = identity_of_merge(node, schemas)
        else:
            self._bucket, self._identity = (
                JoinBucket(node, Spread.of(node, schemas), 0),
                identity_of_join(node, schemas),
            )
        self._store, self._text = HeldStore(Chunks(), Chunks()), None

    def on_batch(self, tables: Sequence[pa.Table], *, now: int, drain: bool = False) -> Call:
        saved = JoinSaved.load(None if self._text is None else (self._text,), self._identity)
        call: Call = self._bucket.on_batch(saved, self._store, tables, processing_time=now, drain=drain)
        self._text = call.saved.dump(self._identity)
        return call

    def write(self, call: Call, folder: Path, number: int) -> None:
        for kind, output in _KINDS.items():
            tables = [from_bytes(packet["body"]) for packet in call.packets if packet["kind"] == kind]
            place = folder / output / f"batch={number}"
            place.mkdir(parents=True)
            empty = getattr(self._plan, output).slice(0, 0)
            pq.write_table(pa.concat_tables(tables or [empty]), place / "part-0.parquet")


def _on_spark(
    spark: Any, query: str, folder: Path, phases: dict[str, pa.Table], idle_after: str | None
) -> tuple[int, int]:
    """Let files come phase by phase; the hour passes in event time, and stands still longer than the patience lasts."""
    numbers = iter(range(1_000))

    def put_in(phase: str, parts: slice = slice(None)) -> None:
        for part in list(_cut(phases[phase], _FILES[phase]))[parts]:
            write_chunk(folder, next(numbers), part.drop("stream"), 2, dealt=part["stream"])

    half = _FILES["one"] // 2
    put_in("both")
    put_in("one", slice(half))
    (folder / "control").mkdir()
    with Patient(lambda: _start(spark, query, folder, idle_after)) as running:
        _wait(running, folder)
        time.sleep(_PATIENCE)
        put_in("one", slice(half, None))
        last = _wait(running, folder)
        put_in("burst")
        put_in("again")
        _wait(running, folder)
        put(folder / "control" / "drain.json", '{"kind": "drain"}\n')
        _wait(running, folder, until=lambda line: not line["buffered"])
    return int(last["batch"]), int(last["buffered"])


def _start(spark: Any, query: str, folder: Path, idle_after: str | None) -> Any:
    reader = spark.readStream.schema(f"{SCHEMA}, at BIGINT").option("maxFilesPerTrigger", 1)
    frames = [reader.parquet(str(folder / "in" / name)) for name in NAMES]
    return silent_plan(query, frames, idle_after).start(
        **{each: str(folder / each) for each in OUTPUTS},
        checkpoint=str(folder / "checkpoint"),
        control=str(folder / "control"),
        trigger={"processingTime": "500 milliseconds"},
    )


def _wait(
    running: Patient, folder: Path, until: Callable[[dict[str, Any]], bool] = lambda line: True
) -> dict[str, Any]:
    """Wait until all rows that are there have arrived, and more is true; return the figures of the last batch."""
    rows = sum(pq.read_metadata(file).num_rows for file in (folder / "in").rglob("[0-9]*.parquet"))
    ends = time.monotonic() + _LIMIT
    while time.monotonic() < ends:
        running.check()
        lines = read_batches(folder / "checkpoint", 10_000)
        if lines and sum(line["arrived"] for line in lines) == rows and until(lines[-1]):
            return lines[-1]
        time.sleep(0.2)
    raise AssertionError(f"not all of {rows} rows arrived in {_LIMIT:.0f} seconds")


def _cut(rows: pa.Table, parts: int) -> Iterator[pa.Table]:
    edges = np.linspace(0, rows.num_rows, parts + 1).astype(np.int64)
    yield from (rows.slice(begin, end - begin) for begin, end in pairwise(edges))
