"""How long micro-batches take at half of the rows that our query sustains, against a query that reads and writes them.

Both have the same trigger and get a file of each stream whenever it fires, which has the events of that time. Ours
must keep up: batches that take longer than the trigger are counted, and too many of them are said.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from pyspark.sql import SparkSession
from rich.console import Console

import slackwater as sw
from benchmarks.harness import Case
from benchmarks.micro_batches import STARTING, Latencies, Start, Started, at_once, followed
from benchmarks.sustained import Blocks
from benchmarks.timed_streams import Draw, write_stream

LIMIT = 1.3
TURNS = 1  # each of them many batches
RIVAL = "pass-through, same trigger"
_OVER = 4  # a query that takes longer than its trigger in more than one batch of so many does not sustain its load

Query: TypeAlias = Callable[[SparkSession, Path, dict[str, Any]], Started]


@dataclass(frozen=True)
class Compared:
    """Ours, and the query that reads and writes the same rows."""

    name: str  # with its article
    ours: Query
    passed: Query
    draw: Draw
    sizes: tuple[int, int]  # rows of each stream that find the load, for each second of the trigger


@dataclass(frozen=True)
class HalfLoad:
    """A trigger; how many batches let windows fill, and how many count, of each size that finds the load and of it."""

    seconds: int
    filling: int
    alike: int
    batches: int

    def cases(self, spark: SparkSession, folder: Path, compared: Compared) -> Iterator[Case]:
        """Yield half of the micro-batches, and 99 %; nothing, and say so, where the fixed price takes half the time."""
        own = Path(tempfile.mkdtemp(dir=folder))
        warm, config = self._found(spark, own / "trial", compared)
        if config["sustained"] is None:
            text = f"an empty batch of {compared.name} takes {config['fixed_ms']} ms, so there is no half load"
            Console().print(f"[yellow]{text} at {self.seconds} s[/yellow]", soft_wrap=True)
            return
        load = own / "load"
        files = STARTING + self.filling + self.batches
        write_stream(load, compared.draw, [config["rows"]] * files, self.seconds * 1_000_000)
        yield from self._of_load(spark, load, compared, warm, config)
        shutil.rmtree(own)

    def _found(self, spark: SparkSession, folder: Path, compared: Compared) -> tuple[list[list[int]], dict[str, Any]]:
        """Return what batches of both took when the next followed at once, and the load with what it came from."""
        small, large = compared.sizes
        blocks = Blocks((small * self.seconds, large * self.seconds), self.filling, self.alike)
        rows = blocks.rows()
        write_stream(folder, compared.draw, rows, self.seconds * 1_000_000)
        starts = [partial(query, spark, folder) for query in (compared.ours, compared.passed)]
        took = [at_once(start, len(rows)) for start in reversed(starts)][::-1]  # ours in a machine that is warm
        cost = blocks.cost(took[0])
        sustained = cost.sustained(1_000 * self.seconds)
        shutil.rmtree(folder)
        return took, {
            "rows": (sustained or 0) // 2,  # of each stream, in each trigger
            "sustained": sustained,
            "fixed_ms": round(cost.fixed),
            "us_per_row": round(1_000 * cost.each, 3),
            "batches": self.batches,
            "processingTime": f"{self.seconds} seconds",
        }

    def _of_load(
        self, spark: SparkSession, folder: Path, compared: Compared, warm: list[list[int]], config: dict[str, Any]
    ) -> Iterator[Case]:
        own, other = (partial(query, spark, folder) for query in (compared.ours, compared.passed))
        ours = Latencies(lambda: self._counted(own, config), warm[0])
        passed = Latencies(lambda: self._counted(other), warm[1])
        name = f"micro-batch of {compared.name} at half load, trigger {self.seconds} s"
        yield Case(f"{name}, 50 %", ours.median, passed.median, LIMIT, RIVAL, config, turns=TURNS)
        yield Case(f"{name}, 99 % of {self.batches}", ours.slow, passed.slow, LIMIT, RIVAL, config, turns=TURNS)

    def _counted(self, start: Start, config: dict[str, Any] | None = None) -> list[int]:
        """Return the milliseconds of the batches that count; with a config, say there how ours kept up."""
        trigger = {"processingTime": f"{self.seconds} seconds"}
        took, out = followed(start, STARTING + self.filling + self.batches, trigger)
        counted = took[-self.batches :]
        if config is not None:
            over = over_trigger(1_000 * self.seconds, counted)
            config.setdefault("batches_over_trigger", []).append(over)
            config.setdefault("result_latency_ms", []).append(_latency(out / "checkpoint", self.batches))
        shutil.rmtree(out)  # a run may write a gigabyte
        return counted


def cases_of(
    spark: SparkSession, folder: Path, compared: Compared, loads: Sequence[HalfLoad], enough: int
) -> Generator[Case, None, int]:
    """Yield the cases of the first triggers, so many, that have a half load; return how many are missing."""
    for load in loads:
        cases = load.cases(spark, folder, compared)
        first = next(cases, None)
        if first is not None:
            yield first
            yield from cases
            enough -= 1
        if not enough:
            break
    return enough


def over_trigger(trigger_ms: int, took: Sequence[int]) -> int:
    """Return how many batches took longer than the trigger; say so where they are more than one of four.

    That is no error, as it would end the cases after it too: a query that falls behind has a ratio that says so.

    >>> over_trigger(1_000, [500, 1_200, 600, 700])
    1
    """
    over = sum(each > trigger_ms for each in took)
    if over * _OVER > len(took):
        text = f"half load is not sustained: {over} of {len(took)} batches took more than {trigger_ms} ms"
        Console().print(f"[red]{text}[/red]", soft_wrap=True)
    return over


def _latency(checkpoint: Path, batches: int) -> dict[str, float]:
    """Return what half of the results of a usual batch took at most, and 99 % of those of the slowest batch."""
    log = sw.latency(checkpoint)
    half, most = (log[f"latency_{name}"].drop_null().to_numpy()[-batches:] for name in ("p50", "p99"))
    return {"p50": round(float(np.median(half)) / 1_000), "p99": round(float(most.max()) / 1_000)}
