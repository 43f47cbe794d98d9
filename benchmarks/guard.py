"""A guard against regressions: cheap ratios, each held against what it was, within its noise.

Both sides of a ratio are processor time, of all threads, and on Spark of all processes of the query, so that other
work on the machine hardly counts. `baseline.json` has the ratio of every case and how far its repeats were apart.
`slackwater bench --quick` fails where a median has become worse than that; `python -m benchmarks.guard` writes it anew,
all of it or one part: `in-process`, `on-spark`.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.growth.on_spark import BATCHES, ROWS
from benchmarks.harness import Case, run_case
from benchmarks.join_local import NOTHING_LOST, arrival_order, duck_keys, keyed, ours_keys
from benchmarks.processor_time import of_tree
from benchmarks.reorder_local import reordering, sorting
from benchmarks.spark_files import read, run_ours, run_rival, scratch, write_files

BASELINE = Path(__file__).parent / "baseline.json"
LEAST_NOISE = 0.2  # what two runs of the same code differ by on a machine with other work
REPEAT = 5
VALUES = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}

Work = Callable[[], object]


@dataclass(frozen=True)
class Watched:
    """Two ways to do the same work: how much processor time of one is that of the other?"""

    name: str
    ours: Work
    rival: Work
    rival_name: str
    clock: Callable[[], float] = time.process_time

    def case(self, limit: float) -> Case:
        """Return what the harness can run."""
        ours, rival = (_timed(work, self.clock) for work in (self.ours, self.rival))
        return Case(self.name, ours, rival, limit, self.rival_name)


def cases(*, quick: bool) -> Iterator[Case]:
    """All that is watched, with the limits of the baseline; the sizes are the same, quick or not."""
    limits = {name: limit_of(entry) for name, entry in _baseline().items()}
    for part in PARTS.values():
        for watched in part():
            if watched.name not in limits:
                raise KeyError(f"the baseline does not have {watched.name!r}: python -m benchmarks.guard")
            yield watched.case(limits[watched.name])


def limit_of(entry: dict[str, float]) -> float:
    """Return the largest ratio that is no regression.

    >>> limit_of({"median": 2.0, "noise": 0.25})
    2.5
    """
    return entry["median"] * (1 + entry["noise"])


def entry_of(row: dict[str, Any]) -> dict[str, float]:
    """Return what the baseline remembers of a measured case: its ratio, and how far repeats were above it.

    >>> entry_of({"median": 2.0, "highest": 2.6})
    {'median': 2.0, 'noise': 0.3}
    """
    above = round(row["highest"] / row["median"] - 1, 3)
    return {"median": round(row["median"], 3), "noise": max(LEAST_NOISE, above)}


def in_process() -> Iterator[Watched]:
    """Reorder, join and aggregate in process."""
    table = out_of_order(500_000)
    yield Watched("reorder", reordering(table, sw.FixedSlack("1 second")), sorting(table), "np.argsort")
    ordered = [keyed(200_000, seed) for seed in (1, 2)]
    arrived = [arrival_order(each, seed) for seed, each in enumerate(ordered)]
    fixed, recall = (lambda: ours_keys(arrived, NOTHING_LOST)), (lambda: ours_keys(arrived, sw.Recall(0.99)))
    yield Watched("join", fixed, lambda: duck_keys(ordered), "DuckDB, sorted")
    yield Watched("join under a recall", recall, fixed, "a fixed slack")
    yield Watched("aggregate", lambda: _aggregate(table), lambda: _polars(pl.DataFrame(table)), "Polars, by pane")


def on_spark() -> Iterator[Watched]:
    """A reorder and an aggregate, against a query that reads and writes the same rows."""
    with scratch() as (spark, folder):
        write_files(folder / "in", out_of_order(BATCHES * ROWS), BATCHES)
        rows = read(spark, folder / "in")
        clock = _of_all_processes
        yield Watched(
            "reorder on Spark", lambda: _reorder(rows, folder), lambda: run_rival(rows, folder), "copy", clock
        )
        yield Watched(
            "aggregate on Spark", lambda: _windows(rows, folder), lambda: run_rival(rows, folder), "copy", clock
        )


PARTS = {"in-process": in_process, "on-spark": on_spark}


def renew(*parts: str, repeat: int = REPEAT) -> None:
    """Measure parts, or all, and write what the baseline says of them anew."""
    console, found = Console(), _baseline()
    for watched in (watched for part in parts or PARTS for watched in PARTS[part]()):
        found[watched.name] = entry_of(run_case(watched.case(math.inf), repeat, console))
        console.print(f"{watched.name}: {found[watched.name]}")
    BASELINE.write_text(json.dumps(found, indent=2) + "\n")


def _baseline() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    return found


def _timed(work: Work, clock: Callable[[], float]) -> Callable[[], float]:
    def timed() -> float:
        started = clock()
        work()
        return clock() - started

    return timed


def _of_all_processes() -> float:
    return of_tree(os.getpid())


def _aggregate(table: Any) -> int:
    stream = sw.stream(table, event_time="event_time")
    windows = sw.aggregate(
        stream, by="key", size="1 second", slide="1 second", values=VALUES, contract=sw.FixedSlack("1 second")
    )
    return int(windows.results.num_rows)


def _polars(table: pl.DataFrame) -> int:
    pane = pl.col("event_time").dt.truncate("1s").alias("pane")
    return table.group_by(pane, "key").agg(pl.len(), pl.col("x").sum(), pl.col("y").max()).height


def _reorder(rows: Any, folder: Path) -> Path:
    stream = sw.stream(rows, event_time="event_time", arrival="seq")
    return run_ours(sw.reorder(stream, contract=sw.FixedSlack("1 second")), folder)


def _windows(rows: Any, folder: Path) -> Path:
    stream = sw.stream(rows, event_time="event_time", arrival="seq")
    contract = sw.FixedSlack("1 second")
    windows = sw.aggregate(
        stream, by="key", size="3 seconds", slide="1 second", values=VALUES, contract=contract, buckets=2
    )
    return run_ours(windows, folder)


if __name__ == "__main__":
    renew(*sys.argv[1:])
