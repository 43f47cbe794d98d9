"""The state of Bytewax's merge and joins: what a careful user keeps per key, and for how long."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import product
from typing import Any

from bytewax.operators import StatefulBatchLogic

from benchmarks.rivals.jobs import SLACK_MS, WITHIN_MS

SLACK = SLACK_MS * 1_000
WITHIN = WITHIN_MS * 1_000


class Merged(StatefulBatchLogic[Any, Any, Any]):
    """Rows `(time, stream, key, value)` leave once every stream's clock is the slack past them."""

    def __init__(self, streams: int) -> None:
        self._heap: list[tuple[int, int, int, int]] = []
        self._clocks = [0] * streams

    def on_batch(self, values: list[Any]) -> tuple[Iterable[Any], bool]:
        """Take rows in, let go what is behind the horizon."""
        for row in values:
            heappush(self._heap, row)
            if row[0] > self._clocks[row[1]]:
                self._clocks[row[1]] = row[0]
        return self._until(min(self._clocks) - SLACK), StatefulBatchLogic.RETAIN

    def on_eof(self) -> tuple[Iterable[Any], bool]:
        """Let everything go."""
        return self._until(None), StatefulBatchLogic.DISCARD

    def _until(self, horizon: int | None) -> list[tuple[int, int, int]]:
        out = []
        while self._heap and (horizon is None or self._heap[0][0] <= horizon):
            time, _, key, value = heappop(self._heap)
            out.append((time, key, value))
        return out

    def snapshot(self) -> Any:
        """Recovery is off."""
        return None


class Joined(StatefulBatchLogic[Any, Any, Any]):
    """Rows `(stream, time, value)` of a key; each meets those of the other streams that came before it.

    A row is dropped when the clocks of all other streams, within the key, say that nothing close to it can follow.
    """

    def __init__(self, streams: int) -> None:
        self._held: list[list[tuple[int, int]]] = [[] for _ in range(streams)]
        self._clocks = [0] * streams

    def on_batch(self, values: list[Any]) -> tuple[Iterable[Any], bool]:
        """Join each row, then keep it."""
        out: list[tuple[int, ...]] = []
        for stream, time, value in values:
            near = [[row for row in held if abs(row[0] - time) <= WITHIN] for held in self._held]
            near[stream] = [(time, value)]
            for combination in product(*near):
                times = [row[0] for row in combination]
                latest = max(times)
                if latest - min(times) <= WITHIN:
                    out.append((latest, *(part for row in combination for part in row)))
            self._held[stream].append((time, value))
            self._clocks[stream] = max(self._clocks[stream], time)
        self._forget()
        return out, StatefulBatchLogic.RETAIN

    def _forget(self) -> None:
        for stream, held in enumerate(self._held):
            others = min(clock for other, clock in enumerate(self._clocks) if other != stream)
            oldest = others - SLACK - WITHIN
            if held and min(held)[0] < oldest:
                self._held[stream] = [row for row in held if row[0] >= oldest]

    def snapshot(self) -> Any:
        """Recovery is off."""
        return None
