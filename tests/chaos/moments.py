"""When to kill: as soon as something is being written, or at any time."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

_GLANCE = 0.002  # seconds between two looks at the files
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
    roots = [folder / each for each in WRITES[moment]]
    before = _names(roots)
    _until(lambda: bool(_names(roots) - before), ended, _PATIENCE)
    _until(lambda: False, ended, seeded.uniform(0, 0.1))  # not always at the first byte


def commits(folder: Path) -> int:
    """Return how many batches Spark has committed."""
    last = [int(path.name) for path in (folder / "checkpoint" / "commits").glob("[0-9]*") if path.name.isdigit()]
    return max(last, default=-1) + 1


def _until(seen: Callable[[], bool], ended: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not seen() and not ended():
        time.sleep(_GLANCE)


def _names(roots: list[Path]) -> set[str]:
    """Return all files below, those with temporary names too."""
    return {f"{folder}/{name}" for root in roots for folder, _, names in os.walk(root) for name in names}
