"""The gate for threads against a K-slack of one lock and one heap per reader: 1 to 8 readers (SSG17 Fig. 8).

Two writers of 20,000 events each, as in the document, and readers that only read. What is compared is the time that a
reader takes per event, from the first to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Case
from slackwater.core.gate_threads import ThreadGate
from slackwater.experiments.reading import WRITERS, LockedKSlack, reading_time


def cases(*, quick: bool) -> Iterator[Case]:
    """Same threads, other structure."""
    events = 4_000 if quick else 20_000
    for readers in (1, 2, 4, 8):
        yield Case(
            f"thread gate, {readers} readers",
            _average(lambda n: ThreadGate(writers=WRITERS, readers=n), readers, events),
            _average(LockedKSlack, readers, events),
            1.0,
            "lock and heap",
            {"events": events, "writers": WRITERS, "readers": readers},
        )


def _average(make: Callable[[int], Any], readers: int, events: int) -> Callable[[], float]:
    """Return the work: run all threads; the result is what an event cost a reader, in us."""
    return lambda: reading_time(make(readers), readers, events)
