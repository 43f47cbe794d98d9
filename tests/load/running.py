"""A query and its source as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.cluster import end_with_parent, python_path

from tests.chaos.processes import kill
from tests.load.samples import memory


class LoadError(AssertionError):
    """A process of a run ended before its time."""


class Process:
    """A program of this package, ended with its children when the block ends."""

    def __init__(self, program: str, folder: Path, *arguments: object) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._log = (folder / f"{program}.log").open("ab")
        words = [sys.executable, "-m", f"tests.load.{program}", str(folder), *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": python_path(), "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            words,
            stdout=self._log,
            stderr=self._log,
            env=environment,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self) -> None:
        """Raise if it has ended with an error."""
        if self._process.poll():
            said = (Path(self._log.name)).read_text(errors="replace")[-2_000:]
            raise LoadError(f"{self._process.args} ended: {said}")

    def wait(self, seconds: float) -> None:
        """Wait for its end, and raise if that was an error."""
        self._process.wait(seconds)
        self.check()

    def end(self) -> None:
        if self._process.poll() is None:
            kill(self.pid, group=True)
            self._process.wait()
        self._log.close()


@contextmanager
def running(program: str, folder: Path, *arguments: object) -> Iterator[Process]:
    """Start a program of this package."""
    process = Process(program, folder, *arguments)
    try:
        yield process
    finally:
        process.end()


def say_stop(folder: Path, how: str) -> None:
    """Ask a driver to end: "drain" when all is read and released, "halt" at once."""
    hidden = folder / "stop.new"
    hidden.write_text(how)
    hidden.rename(folder / "stop")


def lines_of(file: Path) -> list[dict[str, Any]]:
    """Return what was written down, line by line."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def wait_for_batches(process: Process, folder: Path, count: int, seconds: float) -> float:
    """Wait until so many batches were done; return the most MB that the process and its children had meanwhile."""
    until, most = time.monotonic() + seconds, 0.0
    while len(lines_of(folder / "progress.jsonl")) < count:
        process.check()
        if time.monotonic() > until:
            raise LoadError(f"fewer than {count} batches in {seconds:.0f} seconds")
        time.sleep(1)
        most = max(most, memory(process.pid))
    return most


def rates_of(batches: Sequence[dict[str, Any]], skipped: int) -> list[float]:
    """Return the rows a second of each batch but the first ones, which warm up, from one end to the next."""
    ends = [batch["at"] for batch in batches]
    rows = [batch["rows"] for batch in batches]
    return [rows[i] / (ends[i] - ends[i - 1]) for i in range(max(1, skipped), len(batches))]


def pin(cores: Sequence[int]) -> None:
    """Let this process, and all that it starts, run on these cores alone."""
    os.sched_setaffinity(0, cores)
