"""Where files are written that are read at once: in memory, if the machine has such a place."""

from __future__ import annotations

import atexit
import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp


@cache
def folder() -> Path:
    """Return a folder of this process, which leaves with it."""
    shared = Path("/dev/shm")
    made = mkdtemp(prefix="slackwater-fuzz-", dir=shared if os.access(shared, os.W_OK) else None)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)
