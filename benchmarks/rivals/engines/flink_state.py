"""The state of PyFlink's merge and joins: what a careful user keeps per key, and for how long.

All of a key is one value, pickled: fewer calls than a state for each stream, and the cache keeps it as an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import product
from typing import Any

from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext
from pyflink.datastream.state import ValueStateDescriptor

from benchmarks.rivals.jobs import SLACK_MS, WITHIN_MS


class _Keeping(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self._state = runtime_context.get_state(ValueStateDescriptor("held", Types.PICKLED_BYTE_ARRAY()))


class Merged(_Keeping):
    """Rows leave, in order, when the watermark has passed them: a timer for each distinct event time."""

    def process_element(self, value: Row, ctx: Any) -> None:
        """Keep the row."""
        _, time, key, number = value
        heap = self._state.value() or []
        heappush(heap, (time, key, number))
        self._state.update(heap)
        ctx.timer_service().register_event_time_timer(time)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Row]:
        """Let go what is not after the timer."""
        heap = self._state.value() or []
        while heap and heap[0][0] <= timestamp:
            yield Row(*heappop(heap))
        self._state.update(heap)


class Joined(_Keeping):
    """Rows `(stream, time, key, value)`; each meets those of the other streams of its key that came before it."""

    def __init__(self, streams: int) -> None:
        self._streams = streams

    def process_element(self, value: Row, ctx: Any) -> Iterator[Row]:
        """Forget what the watermark says nothing can follow to, join the row, keep it."""
        stream, time, key, number = value
        oldest = ctx.timer_service().current_watermark() - WITHIN_MS
        before = self._state.value() or [[] for _ in range(self._streams)]
        held = [[row for row in rows if row[0] >= oldest] for rows in before]
        near = [[row for row in rows if abs(row[0] - time) <= WITHIN_MS] for rows in held]
        near[stream] = [(time, number)]
        for combination in product(*near):
            times = [row[0] for row in combination]
            if max(times) - min(times) <= WITHIN_MS:
                yield Row(max(times), key, *(part for row in combination for part in row))
        held[stream].append((time, number))
        self._state.update(held)
        # One timer for a key and second, not for each row: it only frees memory.
        ctx.timer_service().register_event_time_timer((time // SLACK_MS + 2) * SLACK_MS + WITHIN_MS)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterable[Row]:
        """Free a key of which nothing can be joined any more; there is nothing to give."""
        held = self._state.value()
        if held and not any(row[0] >= timestamp - WITHIN_MS for rows in held for row in rows):
            self._state.clear()
        return ()
