"""What Python workers do in the tasks of a micro-batch, and what kernels take to be compiled and to be loaded."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
_PARTS = (
    ("packing: the whole task, most of it a wait for rows", "packing", "task"),
    ("  processor time of it", "packing", "used"),
    ("stateful: the whole task", "stateful", "task"),
    ("  processor time of it", "stateful", "used"),
    ("  opening the state", "stateful", "init"),
    ("  our call", "stateful", "call"),
    ("  waiting for the state store, in both", "stateful", "state"),
    ("  questions to it (number)", "stateful", "questions"),
)


@dataclass(frozen=True)
class Worked:
    """The medians of the tasks of a query, by kind of task."""

    name: str
    rows: int  # of a batch
    tasks: Mapping[str, Mapping[str, float]]


def worked(*, quick: bool) -> Iterator[Worked]:
    """Watch the workers of small and large batches, each query in a session of its own."""
    for rows in (2_000,) if quick else (2_000, 500_000):
        for name in ("reorder", "aggregate", "join"):
            with tempfile.TemporaryDirectory(prefix="slackwater-watched-") as folder:
                _run("benchmarks.budget.watched_query", folder, name, str(rows), SLACKWATER_WATCHED=folder)
                yield Worked(name, rows * (2 if name == "join" else 1), medians(Path(folder)))


def medians(folder: Path) -> dict[str, dict[str, float]]:
    """Return the median of each part, for tasks that ask the state store and for those that do not."""
    lines = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    kinds: dict[str, list[dict[str, float]]] = {"packing": [], "stateful": []}
    for line in lines:
        kinds["stateful" if "call" in line else "packing"].append(line)
    return {
        kind: {part: statistics.median(each.get(part, 0) for each in own) for part in own[0]}
        for kind, own in kinds.items()
        if own
    }


def table(runs: Iterable[Worked]) -> Table:
    """Return a line for each part of a task, a column for each run."""
    runs = list(runs)
    shown = Table(title="Python workers: milliseconds of a task, median")
    shown.add_column("part")
    for run in runs:
        shown.add_column(f"{run.name}, {run.rows:,} rows", justify="right")
    for part, kind, name in _PARTS:
        shown.add_row(part, *(f"{run.tasks.get(kind, {}).get(name, 0):.1f}" for run in runs))
    return shown


@dataclass(frozen=True)
class Kernels:
    """Seconds of a process that runs every operator once over a few rows in process."""

    compiled: float  # all kernels of these
    loaded: float  # from the disk
    ready: float  # a second time in the same process


def kernels() -> Kernels:
    """Run it with an empty folder for machine code, then with what that has left there."""
    with tempfile.TemporaryDirectory(prefix="slackwater-kernels-") as folder:
        first, loaded = (_run("benchmarks.budget.first_kernels", NUMBA_CACHE_DIR=folder) for _ in range(2))
    return Kernels(float(first.split()[0]), *map(float, loaded.split()))


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that runs benchmarks."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]), **more}


def _run(module: str, *arguments: str, **more: str) -> str:
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{module} failed: {done.stderr[-2_000:]}")
    return done.stdout
