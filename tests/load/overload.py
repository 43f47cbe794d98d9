"""Ten times as many rows as a query can take: its batches stay bounded, and so does its memory; nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from slackwater.time import Duration
from tests.load.backlog import COLLECTED, COUNTED, Followed, memory_of
from tests.load.driver import add_line
from tests.load.queries import CAP, QUERIES
from tests.load.running import Process, lines_of, rates_of, running, say_stop
from tests.load.samples import processes, waiting_files
from tests.load.saturation import Bound, saturate
from tests.load.verify import Verdict, verify

TIMES = 10
_ENOUGH = 3  # times as many rows as are taken: with less nothing is overloaded
_ALIKE = 1.2  # times the memory of batches of the same bound, of which few wait: twice as long a run has more code
BOUND = Bound(rows=2_000, chunks=5)
_CATCH_UP = 50  # times as many files in a batch when the source is quiet again
_LIMIT = 1_800.0  # seconds


@dataclass(frozen=True)
class Overload:
    """How a query fared while far too much was offered, and what came of all of it afterwards."""

    query: str
    saturation: float  # rows a second
    offered: float  # likewise
    taken: float  # likewise
    minutes: float
    most_in_a_batch: int
    bound: int
    python: Followed  # memory of Python
    heap: Followed  # what is live in that of the JVM
    most_memory_mb: float  # of all processes
    bound_memory_mb: float
    waiting_files: int  # at the end of the overload
    most_slack_us: int
    cap_us: int
    verdict: Verdict

    @property
    def is_good(self) -> bool:
        """Whether it was overloaded, nothing was lost, and batches, slack and memory kept their bounds."""
        bounded = self.most_in_a_batch <= self.bound and self.most_slack_us <= self.cap_us
        return bounded and self.verdict.is_good and self.is_bounded and self.offered >= _ENOUGH * self.taken

    @property
    def is_bounded(self) -> bool:
        """Whether memory has to do with the size of batches, and not with what waits on disk."""
        grows = not (self.python.is_bounded and self.heap.is_bounded)
        return not grows and self.most_memory_mb <= self.bound_memory_mb


def overload(name: str, folder: Path, *, minutes: float, tell: Callable[[str], None]) -> Overload:
    """Measure what a query takes, offer ten times that, then let it work off the rest in larger batches."""
    alone = saturate(name, folder / "saturation", batches=20, bound=BOUND)
    most = alone.rows_per_second
    tell(f"{name}: saturated by {most:,.0f} rows/s, {alone.memory_mb:,.0f} MB")
    place = folder / "overload"
    _offer(name, place, TIMES * most, minutes)
    during, samples = lines_of(place / "progress.jsonl"), lines_of(place / "samples.jsonl")
    fed, waiting = int((place / "fed").read_text()), int(samples[-1]["waiting_files"])
    tell(f"{name}: {waiting:,} files are left of {fed:,} rows")
    _work_off(name, place)
    python, heap = memory_of(place, BOUND.rows / QUERIES[name].streams)
    return Overload(
        query=name,
        saturation=most,
        offered=fed / (60 * minutes),
        taken=float(np.median(rates_of(during, len(during) // 4))),
        minutes=minutes,
        most_in_a_batch=max(batch["rows"] for batch in during),
        bound=BOUND.batch,
        python=python,
        heap=heap,
        most_memory_mb=max(each["java_mb"] + each["python_mb"] for each in samples),
        bound_memory_mb=_ALIKE * alone.memory_mb,
        waiting_files=waiting,
        most_slack_us=_most_slack(place),
        cap_us=Duration.of(CAP).microseconds,
        verdict=verify(name, place),
    )


def _offer(name: str, place: Path, rate: float, minutes: float) -> None:
    """Run a query while so many rows a second come, and halt it with the rest unread."""
    source = running("feeder", place, QUERIES[name].streams, rate, BOUND.rows / rate)
    with source as feeder, running("driver", place, name, BOUND.chunks, 1, 60 * minutes / COLLECTED) as driver:
        _watch(driver, place, minutes)
        (place / "fed").touch()
        feeder.wait(60)
        say_stop(place, "halt")
        driver.wait(_LIMIT)


def _work_off(name: str, place: Path) -> None:
    """Go on with what was left, until all is read and released."""
    say_stop(place, "drain")
    with running("driver", place, name, BOUND.chunks * _CATCH_UP, 1) as driver:
        driver.wait(_LIMIT)


def _watch(driver: Process, folder: Path, minutes: float) -> None:
    """Sample what a driver takes, from its first batch on."""
    while not lines_of(folder / "progress.jsonl"):
        driver.check()
        time.sleep(0.5)
    until = time.monotonic() + 60 * minutes
    while time.monotonic() < until:
        time.sleep(60 * minutes / COUNTED)
        driver.check()
        found = {**processes(driver.pid), "waiting_files": waiting_files(folder)}
        add_line(folder / "samples.jsonl", found)


def _most_slack(folder: Path) -> int:
    with duckdb.connect() as base:
        rows = base.execute(f"SELECT max(slack) FROM read_parquet('{folder}/decisions/batch=*/*.parquet')").fetchone()
    return int(rows[0])
