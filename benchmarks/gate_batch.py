"""The batch gate against heapq.merge over the same streams, and against one stable NumPy argsort of all their times."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.harness import Case, nothing
from slackwater.core.gate_readers import SharedGate
from slackwater.time import Times

_OF_MERGE = 1 / 20
_OF_SORT = 3.0
_ROUND = 250_000  # rows: a batch of the in-process runner


def cases(*, quick: bool) -> Iterator[Case]:
    """Few and many streams: read once after all rows, and in rounds."""
    rows = 200_000 if quick else 2_000_000
    for count in (2, 8, 32):
        streams = sorted_streams(rows, count)
        config = {"rows": rows, "streams": count}
        merging, sorting = _merging(streams), _sorting(streams)
        yield Case(f"gate, {count} streams", reading(streams, rows), merging, _OF_MERGE, "heapq.merge", config)
        yield Case(f"gate, {count} streams", reading(streams, rows), sorting, _OF_SORT, "np.argsort", config)
    streams = sorted_streams(rows, 8)
    rounds, name = reading(streams, _ROUND), f"gate, 8 streams, rounds of {_ROUND:,}"
    yield Case(name, rounds, _merging(streams), _OF_MERGE, "heapq.merge", {"rows": rows})
    yield Case(name, rounds, _sorting(streams), _OF_SORT, "np.argsort", {"rows": rows})


def sorted_streams(rows: int, count: int) -> list[Times]:
    """Return streams of equal length, each in order of time, with some equal times."""
    random = np.random.default_rng(7)
    return [np.sort(random.integers(0, 10 * rows, rows // count)) for _ in range(count)]


def reading(streams: Sequence[Times], batch: int) -> Callable[[], None]:
    """Return the work: every stream writes its part of a batch, then one reader reads."""
    share = max(batch // len(streams), 1)

    def work() -> None:
        gate, read = SharedGate(writers=len(streams), readers=1).build(), 0
        for start in range(0, len(streams[0]), share):
            for writer, times in enumerate(streams):
                gate.insert(writer, times[start : start + share])
            read += len(gate.get(0))
        assert read + gate.unread(0) == sum(map(len, streams))

    return work


def _merging(streams: Sequence[Times]) -> Callable[[], None]:
    """Return the work of the rival: the same order of (time, stream, row), one event at a time."""
    columns = [(times.tolist(), [writer] * len(times), range(len(times))) for writer, times in enumerate(streams)]
    events = [list(zip(*each, strict=True)) for each in columns]
    return lambda: nothing(list(heapq.merge(*events)))


def _sorting(streams: Sequence[Times]) -> Callable[[], None]:
    times = np.concatenate(streams)
    return lambda: nothing(np.argsort(times, kind="stable"))
