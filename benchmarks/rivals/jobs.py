"""What is asked of every engine. Read in every environment, so that only the standard library is imported here.

Streams `a`, `b` and `c` have `ts` (event time, whole milliseconds), `key`, `area`, `value` (of one row alone) and `seq`
(arrival order over all streams). No event has a delay of more than a second.

merge: the rows of `a` and `b` in one event-time order.
join2, join3: rows of two or three streams with one key and event times at most five seconds apart.
aggregate: rows, sum and maximum of `value` by area, in windows of 30 seconds that slide by 10, of stream `a`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

JOBS = ("merge", "join2", "join3", "aggregate")
STREAMS = {"merge": "ab", "join2": "ab", "join3": "abc", "aggregate": "a"}

SLACK_MS = 1_000
WITHIN_MS = 5_000
SIZE_MS = 30_000
SLIDE_MS = 10_000

CORES = 2

Job = Callable[[Any, Path, Path], "Mapping[str, float] | None"]


def main(begin: Callable[[], Any], jobs: Mapping[str, Job]) -> None:
    """Run the job that the command line names: `JOB DATA OUT`. The last line printed is JSON of what it took.

    `begin` is what happens before the first row is read; its result is handed to the job.
    """
    name, data, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    context = begin()
    ready = time.time()
    more = jobs[name](context, data, out) or {}
    print(json.dumps({"ready": ready, "done": time.time(), **more}), flush=True)


def nothing() -> None:
    """Begin with nothing: for engines that have no session."""


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
