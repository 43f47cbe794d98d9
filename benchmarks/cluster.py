"""A Spark cluster of separate processes on this machine: a standalone master and workers of one core each.

They are started by the launcher that comes with pyspark, listen on loopback only, on ports that the system chooses, and
end with the block: executors are children of their worker, in its group, and are ended with it. Where this process is
killed, the kernel asks master and workers to end (on Linux), and executors end when their worker does.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pyspark

import slackwater as sw
from slackwater.spark.java_start import java_options
from slackwater.spark.session import java_found

WORKER_MEMORY = "1536m"
EXECUTOR_MEMORY = "1g"
_LAUNCHER = Path(pyspark.__file__).parent / "bin" / "spark-class"
_PATIENCE = 180  # seconds until a process must have said that it is ready, on a busy machine
_REPLACED = "-Dspark.deploy.maxExecutorRetries=-1"  # executors are replaced as often as they end
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux


class ClusterError(RuntimeError):
    """A process of the cluster did not start; says what it wrote last."""


@dataclass
class Cluster:
    """A running cluster; applications connect to `master`."""

    master: str
    folder: Path
    first: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)  # all so far, to be ended

    @property
    def processes(self) -> tuple[int, ...]:
        """The master and its workers."""
        return tuple(each.pid for each in (self.first, *self.workers))

    def replace(self, number: int) -> None:
        """Start a worker in the place of one that has ended; what that one leaves behind has to notice by itself."""
        self.workers[number].wait(timeout=_PATIENCE)
        self.workers[number] = self.add(number)

    def add(self, number: int) -> subprocess.Popen[bytes]:
        """Start a worker."""
        options = ("--cores", "1", "--memory", WORKER_MEMORY, "--work-dir", str(self.folder / f"work-{number}"))
        process = _start(self.folder, f"worker-{number}", "worker", (*options, self.master))
        self.started.append(process)
        return process


@contextmanager
def cluster(workers: int) -> Iterator[Cluster]:
    """Start a master and workers of one core each, and end them and all that they started with the block.

    Raises:
        ClusterError: if a process ends or says nothing for three minutes.
    """
    folder = Path(tempfile.mkdtemp(prefix="slackwater-cluster-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        first = _start(folder, "master", "master", ())
        stack.callback(_end, first)
        master = _said(first, folder / "master.log", r"Starting Spark master at (spark://\S+)")
        running = Cluster(master, folder, first)
        stack.callback(_end_all, running.started)
        running.workers += [running.add(number) for number in range(workers)]
        for number, process in enumerate(running.workers):
            _said(process, folder / f"worker-{number}.log", r"Successfully registered with master (\S+)")
        yield running


def settings(executors: int) -> dict[str, str]:
    """Return settings of a session with that many executors of one core, which find slackwater and the benchmarks."""
    return {
        "spark__cores__max": str(executors),
        "spark__executor__cores": "1",
        "spark__executor__memory": EXECUTOR_MEMORY,
        "spark__executorEnv__PYTHONPATH": python_path(),
        "spark__driver__memory": "1g",
        "spark__scheduler__minRegisteredResourcesRatio": "1.0",  # no job before all executors are there
        "spark__scheduler__maxRegisteredResourcesWaitingTime": "120s",
    }


def python_path() -> str:
    """Return where this process finds slackwater and the benchmarks."""
    homes = [Path(sw.__file__).parent.parent, Path(__file__).parent.parent]
    return os.pathsep.join([*map(str, homes), os.environ.get("PYTHONPATH", "")])


def _start(folder: Path, name: str, kind: str, options: tuple[str, ...]) -> subprocess.Popen[bytes]:
    command = [str(_LAUNCHER), f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"]
    command += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *options]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command,
            env=_environment(folder),
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )


def end_with_parent() -> None:
    """Let the kernel ask this process to end when the one that started it does, however that ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM)


def _environment(folder: Path) -> Mapping[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": python_path(),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": _daemon_options(),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@cache
def _daemon_options() -> str:
    return java_options(java_found(), _REPLACED, short_lived=True)


def _said(process: subprocess.Popen[bytes], log: Path, pattern: str) -> str:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise ClusterError(f"{log.stem} is not ready; it said last: {log.read_text(errors='replace')[-500:]}")


def _end_all(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process and its children to end; make them, if they do not."""
    for request in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, request)  # it leads a session of its own, so nothing else is in the group
            process.wait(timeout=10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
