"""What the modules of slackwater are for, in the words of the budget, and how processor time is dealt out to them.

A timer of the process's own processor time looks again and again at what is running: other work on the machine does not
count, and what is measured does not get slower, as it would under a profiler that follows every call.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from functools import cache
from types import FrameType
from typing import Any

_PINS = hasattr(os, "sched_setaffinity")  # elsewhere threads of other cores are in the figures
_EVERY = 0.001  # seconds of processor time between two looks; the kernel may take longer

# The beginnings of paths below the package; the first that fits counts. Modules that are not here help others, and
# their time is that of who calls them.
STAGES: Mapping[str, tuple[str, ...]] = {
    "adapt": ("control/", "models/", "pipeline/boundaries", "pipeline/within"),
    "measure": (
        "estimate/",
        "quality/",
        "measurement",
        "pipeline/foresight",
        "pipeline/decided_ahead",
        "pipeline/kept",
        "core/needs",
        "core/event_needs",
        "core/result_steps",
        "core/ledger",
        "core/late_ahead",
    ),
    "read": ("pipeline/columns", "pipeline/guard", "pipeline/key_codes", "pipeline/predicates", "pipeline/groups"),
    "reorder": ("core/reorder", "core/merged", "core/merge_runs", "core/arrivals", "core/buffer", "pipeline/inputs"),
    "synchronize": ("core/synchronize", "core/merge"),
    "results": (
        "pipeline/rows",
        "pipeline/join_outcome",
        "pipeline/emitted",
        "pipeline/aggregate_columns",
        "decisions",
    ),
    "operator": (
        "core/join",
        "core/step",
        "core/probe",
        "core/indexes",
        "core/bound",
        "core/aggregate",
        "core/cells",
        "core/closing",
        "core/rollup",
        "core/open_panes",
        "core/combine",
        "core/late",
        "pipeline/join",
        "pipeline/aggregate",
        "pipeline/reorder",
        "pipeline/merge",
    ),
    "rest": ("local/", "api", "plan/", "displayed"),
}
HANDLING = ("reorder", "synchronize", "measure", "adapt")  # of disorder


@cache
def stage_of(file: str) -> str | None:
    """Return what a file is for; None if that depends on who asks.

    >>> stage_of("/x/src/slackwater/core/synchronize.py"), stage_of("/x/numpy/core/numeric.py")
    ('synchronize', None)
    """
    _, found, path = file.rpartition("/slackwater/")
    if not found:
        return None
    return next((stage for stage, begins in STAGES.items() if path.startswith(begins)), None)


def stage_at(frame: FrameType | None) -> str:
    """Return the stage that is running: that of the innermost function which has one."""
    while frame is not None:
        stage = stage_of(frame.f_code.co_filename)
        if stage is not None:
            return stage
        frame = frame.f_back
    return "rest"


def seconds_of(work: Callable[[], object], *, times: int = 1) -> dict[str, float]:
    """Return the processor seconds of each stage, on average over several runs in this, the main thread.

    On one core: with more, runs in process have threads, and what these do would count for what this one waits in.
    """
    cores = os.sched_getaffinity(0) if _PINS else set()
    seconds = dict.fromkeys(STAGES, 0.0)
    last = 0.0

    def look(_: int, frame: FrameType | None) -> None:
        """Count all since the last look: while a kernel or a library runs, none is possible."""
        nonlocal last
        now = time.process_time()
        seconds[stage_at(frame)] += now - last
        last = now

    before: Any = signal.signal(signal.SIGPROF, look)
    if _PINS:
        os.sched_setaffinity(0, {min(cores)})
    last = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
    try:
        for _ in range(times):
            work()
        look(0, None)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if _PINS:
            os.sched_setaffinity(0, cores)
    return {stage: took / times for stage, took in seconds.items()}
