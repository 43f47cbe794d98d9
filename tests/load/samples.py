"""What a driver and all that it has started take of the machine: read from /proc and from its folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rivals.watch import proportional

from tests.chaos.processes import children, command
from tests.load.queries import OUTPUTS

MB = 1024 * 1024


def sample(pid: int, folder: Path) -> dict[str, float]:
    """Return memory and file handles of the processes, size and files of the folders of a query."""
    return {**processes(pid), **folders(folder)}


def memory(pid: int) -> float:
    """Return the MB that a process and all that it has started have in memory; pages that they share count once."""
    return sum(map(proportional, _tree(pid))) / MB


def forget_peak() -> None:
    """Let the peak of this process begin anew with what it has now."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> float:
    """Return the most MB that this process had in memory since the peak was forgotten."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1_024


def processes(pid: int) -> dict[str, float]:
    """Return memory, threads and file handles of a driver and all that it has started."""
    java, python = [], []
    for each in _tree(pid):
        (java if "java" in command(each).partition(" ")[0] else python).append(each)
    return {
        "java_mb": sum(map(proportional, java)) / MB,
        "python_mb": sum(map(proportional, python)) / MB,
        "java_threads": sum(_count(Path(f"/proc/{each}/task")) for each in java),
        "processes": len(java) + len(python),
        "java_handles": sum(_count(Path(f"/proc/{each}/fd")) for each in java),
        "python_handles": sum(_count(Path(f"/proc/{each}/fd")) for each in python),
    }


def folders(folder: Path) -> dict[str, float]:
    """Return the size and the number of files of parts of the checkpoint, and how many files outputs have."""
    checkpoint = folder / "checkpoint"
    found = {}
    for name in ("state", "sources", "slackwater"):
        sizes = list(_sizes(checkpoint / name))
        found |= {f"{name}_mb": sum(sizes) / MB, f"{name}_files": len(sizes)}
    found["log_files"] = sum(_count(checkpoint / name) for name in ("offsets", "commits"))
    found["waiting_files"] = waiting_files(folder)
    found["output_batches"] = sum(_count(folder / name) for name in OUTPUTS)
    found["staged_files"] = sum(len(list(_sizes(folder / name / "_staged"))) for name in OUTPUTS)
    return found


def waiting_files(folder: Path) -> int:
    """Return how many files of all streams were not read yet, or not yet moved away."""
    return sum(_count(each) for each in (folder / "in").iterdir())


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for child in children(pid):
        yield from _tree(child)


def _count(folder: Path) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0  # the process has ended meanwhile, or nothing was written yet


def _sizes(folder: Path) -> Iterator[int]:
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                yield os.stat(os.path.join(where, name)).st_size
            except OSError:
                continue  # deleted meanwhile
