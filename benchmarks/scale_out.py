"""A join by key in several buckets on a real cluster of separate processes: two executors against one.

Two drivers are connected to one cluster, with one executor and with two, of one core each, and take turns; results must
be equal. On a machine of two cores the driver, two executors and all else share them, so that the ratio says little
about larger clusters; benchmarks/scale_model.py therefore also says whose processor time it was.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.cluster import Cluster, cluster, end_with_parent, python_path
from benchmarks.harness import Case
from benchmarks.join_local import arrival_order, keyed
from benchmarks.scale_driver import ANSWER, CONTRACTS
from benchmarks.spark_files import write_files

EXECUTORS = (1, 2)
BUCKETS = (2, 4)
FILES = 4
LIMIT = 1.1  # a second executor must not make it slower


@dataclass
class Drivers:
    """A process for each number of executors, and the files that they read."""

    folder: Path
    cluster: Cluster
    processes: dict[int, subprocess.Popen[str]]
    results: dict[tuple[int, str, int], list[int]] = field(default_factory=dict)

    def run(self, executors: int, rows: int, contract: str, buckets: int) -> dict[str, Any]:
        """Let a driver join `rows` rows per batch; its results must be those of the others."""
        request = {"folder": str(self._files(rows)), "contract": contract, "buckets": buckets}
        answer = _asked(self.processes[executors], request)
        assert executors == answer["at_work"], answer
        expected = self.results.setdefault((rows, contract, buckets), answer["results"])
        assert expected == answer["results"], (expected, answer["results"])
        return {"executors": executors, "rows": rows, "contract": contract, "buckets": buckets, **answer}

    def _files(self, rows: int) -> Path:
        folder = self.folder / str(rows)
        for name, seed in (("a", 1), ("b", 2)):
            if not (folder / name).exists():
                table = arrival_order(keyed(rows * FILES // 2, seed), seed)
                times = table["ts"].cast(pa.timestamp("us", tz="UTC"))
                write_files(folder / name, table.set_column(0, "ts", times), FILES)
        return folder


@contextmanager
def drivers(numbers: Sequence[int] = EXECUTORS) -> Iterator[Drivers]:
    """Start a driver for each number of executors, and a cluster that has room for all of them at a time."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="slackwater-bench-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        running = stack.enter_context(cluster(sum(numbers)))
        processes = {executors: _driver(running.master, executors) for executors in numbers}
        for process in processes.values():
            stack.callback(_end, process)
        yield Drivers(folder, running, processes)


def cases(*, quick: bool) -> Iterator[Case]:
    """Both contracts in both numbers of buckets; `config` gets what each run took."""
    rows = 20_000 if quick else 200_000
    with drivers() as running:
        for contract in CONTRACTS:
            for buckets in BUCKETS:
                runs: list[dict[str, Any]] = []
                two, one = (
                    partial(_seconds, running, runs, executors, rows, contract, buckets) for executors in (2, 1)
                )
                config = {"rows": rows * FILES, "runs": runs}
                yield Case(f"Spark join, {contract}, {buckets} buckets, 2 executors", two, one, LIMIT, "1", config)


def _seconds(
    running: Drivers, runs: list[dict[str, Any]], executors: int, rows: int, contract: str, buckets: int
) -> float:
    runs.append(running.run(executors, rows, contract, buckets))
    return float(runs[-1]["seconds"])


def _driver(master: str, executors: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.scale_driver", master, str(executors)]
    environment = {**os.environ, "PYTHONPATH": python_path()}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, text=True, preexec_fn=end_with_parent, stdin=pipe, stdout=pipe)


def _asked(process: subprocess.Popen[str], request: dict[str, Any]) -> dict[str, Any]:
    """Send a request and wait for the answer; what else is printed is passed over."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith(ANSWER):
            answer: dict[str, Any] = json.loads(line.removeprefix(ANSWER))
            return answer
    raise RuntimeError(f"a driver ended with {process.wait()} instead of an answer to {request}")


def _end(process: subprocess.Popen[str]) -> None:
    """Let a driver end with its input; make it, if it does not."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
