"""What is asked of every engine. Read in every environment, so that only the standard library is imported here.

Streams `a`, `b`, `c` and `d` have `ts` (event time, whole milliseconds), `key`, `area`, `value` (of one row alone) and
`seq` (arrival order over all streams). No event has a delay of more than a second. `d` has twice as many rows in the
same time, so that an aggregate reads as many as a join of two.

merge: the rows of `a` and `b` in one event-time order.
join2, join3: rows of two or three streams with one key and event times at most five seconds apart.
aggregate: rows, sum and maximum of `value` by key (10,000), in windows of 30 seconds that slide by 10, of stream `d`.
aggregate-few: the same by area (1,000).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

JOBS = ("merge", "join2", "join3", "aggregate", "aggregate-few")
STREAMS = {"merge": "ab", "join2": "ab", "join3": "abc", "aggregate": "d", "aggregate-few": "d"}
GROUPS = {"aggregate": "key", "aggregate-few": "area"}
TIMES_THE_ROWS = {"d": 2}  # of the streams that have more than the others

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


def rows_of(job: str, rows: int) -> int:
    """Return how many rows a job reads where most streams have `rows`.

    >>> [rows_of(job, 1_000) for job in ("join3", "aggregate")]
    [3000, 2000]
    """
    return sum(rows * TIMES_THE_ROWS.get(name, 1) for name in STREAMS[job])


def by_group(aggregate: Callable[..., Any]) -> dict[str, Job]:
    """Return the aggregate jobs of an engine; its function gets the column to group by as well."""
    return {job: partial(aggregate, group=group) for job, group in GROUPS.items()}


def nothing() -> None:
    """Begin with nothing: for engines that have no session."""


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
