"""Who runs on a cluster: found in /proc, from a worker or a driver downwards."""

from __future__ import annotations

import os
import signal
from pathlib import Path

_EXECUTOR = "CoarseGrainedExecutorBackend"
_DAEMON = "spark.daemon"  # pyspark.daemon, or ours: slackwater.spark.daemon


def executors(worker: int) -> list[int]:
    """Return the executors that a worker has started."""
    return [pid for pid in children(worker) if _EXECUTOR in command(pid)]


def daemons(worker: int) -> list[int]:
    """Return the processes that Python workers are forked from: one for each executor."""
    return [pid for executor in executors(worker) for pid in children(executor) if _DAEMON in command(pid)]


def python_workers(worker: int) -> list[int]:
    """Return the Python processes that run tasks."""
    return [pid for daemon in daemons(worker) for pid in children(daemon)]


def children(parent: int) -> list[int]:
    """Return the processes that another has started and that have not ended."""
    return [pid for pid in _processes() if _stat(pid)[1:2] == [str(parent)] and _stat(pid)[0] != "Z"]


def command(pid: int) -> str:
    """Return the command line; nothing for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def processor_time(pid: int) -> int:
    """Return the ticks that a process has used."""
    return sum(map(int, _stat(pid)[11:13]))


def kill(pid: int, *, group: bool = False) -> bool:
    """End a process, or its whole group, without a chance to tidy up; return whether it was there."""
    try:
        (os.killpg if group else os.kill)(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _stat(pid: int) -> list[str]:
    """Return what /proc/PID/stat says behind the name: state, parent, ...; nothing for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
