"""What Python workers spend their time on: py-spy looks at the stacks of a whole query, from outside.

It sees kernels and libraries too, as the line of ours that has called them. A worker that waits for rows is left out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.budget.stages import stage_of
from benchmarks.budget.workers import environment

RATE = 200  # looks in a second
_WORKER = "pyspark/worker.py"
# The beginnings of paths; what none of them fits is asked of the stages of the budget.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "state store": ("pyspark/sql/streaming/", "slackwater/spark/sealed", "google/protobuf"),
    "pandas": ("pandas/",),
    "to and from the JVM": ("pyspark/sql/pandas/", "pyspark/sql/conversion", "pyspark/serializers", "socket.py"),
    "packets": ("slackwater/spark/packets",),
    "outputs written": ("slackwater/spark/staged",),
    "imports": ("<frozen importlib",),
    "our wiring to Spark": ("slackwater/spark/",),  # last: what has a name of its own counts there
}
_FRAME = re.compile(r"\((?P<file>[^()]+?)(?::\d+)?\)$")


@dataclass(frozen=True)
class Sampled:
    """The share of each part in the time that workers were busy."""

    name: str
    rows: int  # of a batch
    shares: Mapping[str, float]
    looks: int


def missing() -> str:
    """Say why workers cannot be looked at; nothing if they can."""
    return "" if _spy() else "py-spy is not installed: make dev"


def sampled(*, quick: bool) -> Iterator[Sampled]:
    """Look at the workers of large batches of a reorder, an aggregate and a join."""
    rows = 20_000 if quick else 500_000
    for name in ("reorder", "aggregate", "join"):
        with tempfile.TemporaryDirectory(prefix="slackwater-sampled-") as folder:
            stacks = Path(folder) / "stacks"
            looking = [_spy(), "record", "--subprocesses", "--nonblocking", "--rate", str(RATE), "--format", "raw"]
            query = [sys.executable, "-m", "benchmarks.budget.watched_query", folder, name, str(rows)]
            done = subprocess.run(
                [*looking, "--output", str(stacks), "--", *query],
                env=environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(f"py-spy failed: {done.stderr[-2_000:]}")
            counts = counted(stacks.read_text().splitlines())
        looks = sum(counts.values())
        shares = {part: count / max(looks, 1) for part, count in counts.most_common()}
        yield Sampled(name, rows * (2 if name == "join" else 1), shares, looks)


def counted(stacks: Iterable[str]) -> Counter[str]:
    """Return how many looks found workers at each part; a line is a stack, outermost first, and how often it was seen.

    >>> counted(["main (pyspark/worker.py:9);_merge (slackwater/core/merge.py:7) 3", "select (selectors.py:1) 5"])
    Counter({'synchronize': 3})
    """
    found: Counter[str] = Counter()
    for line in stacks:
        stack, _, times = line.rpartition(" ")
        files = [match["file"] for match in map(_FRAME.search, stack.split(";")) if match]
        if _WORKER in files[:-1]:  # a worker alone waits for its next task
            found[_part_of(files)] += int(times)
    return found


def table(runs: Iterable[Sampled]) -> Table:
    """Return a line for each part, a column for each run."""
    runs = list(runs)
    shown = Table(title="Python workers, all batches: share of the time that they were busy, as py-spy sees it")
    shown.add_column("part")
    for run in runs:
        shown.add_column(f"{run.name}, {run.rows:,} rows", justify="right")
    for part in sorted({part for run in runs for part in run.shares}):
        shown.add_row(part, *(f"{run.shares.get(part, 0):.1%}" for run in runs))
    shown.add_row("looks", *(f"{run.looks:,}" for run in runs))
    return shown


def _part_of(files: list[str]) -> str:
    """Return what the innermost function that says it is for."""
    for file in reversed(files):
        own = next((part for part, begins in _PARTS.items() if file.startswith(begins)), None)
        part = own or stage_of(f"/{file}")
        if part:
            return part
    return "rest"


def _spy() -> str:
    beside = Path(sys.executable).parent / "py-spy"
    return str(beside) if beside.exists() else shutil.which("py-spy") or ""
