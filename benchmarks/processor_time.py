"""Where processor time goes: driver or executors, Java or Python; from /proc, so on Linux only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_EXECUTOR = "CoarseGrainedExecutorBackend"


def by_role(driver: int, application: str) -> dict[str, float]:
    """Return seconds of processor time so far of a driver's process, and of the executors of its application.

    The roles are driver_python, driver_java, executor_python and executor_java. Processes that have ended count for
    their parent.
    """
    roles = dict.fromkeys(("driver_python", "driver_java", "executor_python", "executor_java"), 0.0)
    executors = [pid for pid in _processes() if _is_executor(_command(pid), application)]
    for side, roots in (("driver", [driver]), ("executor", executors)):
        for pid in _with_children(roots):
            language = "java" if _command(pid)[:1] and "java" in Path(_command(pid)[0]).name else "python"
            roles[f"{side}_{language}"] += _seconds(pid)
    return roles


def of_tree(root: int) -> float:
    """Return seconds of processor time so far of a process and all below it."""
    return sum(map(_seconds, _with_children([root])))


def _is_executor(command: list[str], application: str) -> bool:
    return application in command and any(_EXECUTOR in word for word in command)


def _with_children(roots: list[int]) -> Iterator[int]:
    parents = {pid: _fields(pid)[1] for pid in _processes() if _fields(pid)}
    found = set(roots)
    while more := {pid for pid, parent in parents.items() if int(parent) in found} - found:
        found |= more
    yield from found


def _seconds(pid: int) -> float:
    """Return user and system time of a process and of its children that have ended."""
    fields = _fields(pid)
    return sum(map(int, fields[11:15])) / _TICKS if fields else 0.0


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _fields(pid: int) -> list[str]:
    """Return what /proc/PID/stat says behind the name: state, parent, ...; nothing for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []
