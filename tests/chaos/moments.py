"""When to kill: as soon as something is being written, or at any time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

_GLANCE = 0.002  # seconds between two looks at the files
_SAME_TIME = 20_000_000  # nanoseconds within which file systems may note the same time for two changes
_PATIENCE = 20.0  # seconds for which a moment is waited for; then any is good enough

WRITES = {
    "state": ("checkpoint/state/0",),
    "commit": ("checkpoint/commits", "checkpoint/offsets"),
    "output": ("results", "late", "decisions"),
}
MOMENTS = (*WRITES, "any")


def wait_for(moment: str, folder: Path, ended: Callable[[], bool], seeded: random.Random) -> None:
    """Return when files of that kind are being written, or after a random time; at once if the driver has ended."""
    if moment == "any":
        _until(lambda: False, ended, seeded.uniform(0, 2))
        return
    _until(New([folder / each for each in WRITES[moment]]).seen, ended, _PATIENCE)
    _until(lambda: False, ended, seeded.uniform(0, 0.1))  # not always at the first byte


def commits(folder: Path) -> int:
    """Return how many batches Spark has committed."""
    last = [int(path.name) for path in (folder / "checkpoint" / "commits").glob("[0-9]*") if path.name.isdigit()]
    return max(last, default=-1) + 1


def _until(seen: Callable[[], bool], ended: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not seen() and not ended():
        time.sleep(_GLANCE)


class New:
    """Sees files that are new below folders, those with temporary names too.

    Names are read only where a folder has changed: to read all of them all the time would keep a core busy.
    """

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self._before, self._changed = self._names()

    def seen(self) -> bool:
        if all(_changed(folder) == at for folder, at in self._changed.items()):
            return False
        names, self._changed = self._names()
        return bool(names - self._before)

    def _names(self) -> tuple[set[str], dict[str, int]]:
        """Return all files, and when each folder has changed, which is looked up before its files are."""
        names, changed = set(), {str(root): _settled(str(root)) for root in self._roots}
        for root in self._roots:
            for folder, below, files in os.walk(root):
                changed |= {each: _settled(each) for each in (f"{folder}/{name}" for name in below)}
                names |= {f"{folder}/{name}" for name in files}
        return names, changed


def _settled(folder: str) -> int:
    """Return when a folder has changed; -1 where that was just now, and another change might have the same time."""
    changed = _changed(folder)
    return changed if time.time_ns() - changed > _SAME_TIME else -1


def _changed(folder: str) -> int:
    """Return when a file was added to a folder, or taken away; 0 where there is none."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
