"""Runs one command and says what it and all its descendants took.

`python -m benchmarks.rivals.watch SECONDS OUT COMMAND`: `OUT` gets JSON, a command that takes longer is ended.

It adopts descendants whose parents have gone (a JVM outlives the Python that started it), so that the processor time of
every one is counted when it ends. Memory is looked at twice a second: the proportional set size of the whole tree,
in which a page that processes share counts once, divided among them. Resident bytes would count a JVM twice whenever it
forks to start a command, which Hadoop's local file system does dozens of times a batch.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

_SET_CHILD_SUBREAPER = 36
_EVERY = 0.5  # seconds between two looks at memory
_AFTERWARDS = 10.0  # seconds that descendants get to end by themselves


def main() -> None:
    """Run the command, write `OUT` as JSON, end with the command's own code, or 124 if it took too long."""
    limit, out, command = float(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    peak, over = [0], Event()
    watcher = Thread(target=_watch, args=(peak, over))
    watcher.start()
    spawned = time.time()
    process = subprocess.Popen(command)
    code = _wait(process, limit)
    ended = time.time()
    _end_descendants()
    over.set()
    watcher.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    most = max(peak[0], used.ru_maxrss * 1_024)  # of the largest process, which may have ended between two looks
    figures = {"spawned": spawned, "ended": ended, "cpu_s": used.ru_utime + used.ru_stime, "peak_bytes": most}
    out.write_text(json.dumps(figures))
    sys.exit(code)


def _wait(process: subprocess.Popen[bytes], limit: float) -> int:
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return 124


def _end_descendants() -> None:
    """Wait for those that are left, then end them: each of them was started by the command."""
    until = time.monotonic() + _AFTERWARDS
    while left := descendants(os.getpid()):
        if time.monotonic() > until:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
        while _reaped():
            pass
        time.sleep(0.02)


def _reaped() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] > 0
    except ChildProcessError:
        return False


def _watch(peak: list[int], over: Event) -> None:
    while not over.wait(_EVERY):
        peak[0] = max(peak[0], sum(proportional(pid) for pid in descendants(os.getpid())))


def proportional(pid: int) -> int:
    """Return the bytes of a process, shared pages divided by the processes that share them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0  # it has just ended
    return sum(int(line.split()[1]) * 1_024 for line in lines if line.startswith("Pss:"))


def descendants(root: int) -> list[int]:
    """Return the processes below `root`, nearest first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    found, below = [], children.get(root, [])
    while below:
        found.extend(below)
        below = [child for each in below for child in children.get(each, [])]
    return found


if __name__ == "__main__":
    main()
