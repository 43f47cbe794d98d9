"""The kernels that find partners: events of one stream by (key code, event time, arrival), searched by binary search.

A partner of a trigger has its key code, a time within the trigger's bounds, and was there before it. Everything is a
loop over triggers in machine code; plain NumPy took three times as long, a hash join in SQL six times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.compiled import compiled, compiled_source

if TYPE_CHECKING:
    from slackwater.events import Events, Rows
    from slackwater.time import Mask, Times

Columns: TypeAlias = tuple[npt.NDArray[Any], ...]
PairKernel: TypeAlias = Callable[
    [Columns, int, Columns, int], bool
]  # (left columns, left row, right columns, right row)

_MOST_PAIRS = 1_000_000  # listed at once: the columns of so many pairs still fit into the processor's caches


@dataclass(frozen=True, slots=True)
class Pool:
    """Events of one stream that may be partners, by (event time, arrival), and since when each is there."""

    time: Times
    row: Rows
    position: Rows  # in the order of processing; -1: before this batch

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(cls, events: Events, position: Rows) -> Pool:
        """Sort events into a pool; mostly they are sorted already."""
        if _is_sorted(events.time, events.arrival):
            return cls(events.time, events.row, position)
        order = np.argsort(events.time, kind="stable")
        time = events.time[order]
        if not _is_sorted(time, events.arrival[order]):
            order = np.lexsort((events.arrival, events.time))
            time = events.time[order]
        return cls(time, events.row[order], position[order])


@dataclass(frozen=True, slots=True)
class Triggers:
    """What asks for partners: a key code and bounds each. `before` is the position before which partners came."""

    code: Rows
    low: Times
    high: Times
    before: Rows

    def __len__(self) -> int:
        return len(self.code)


@dataclass(frozen=True)
class Index:
    """A pool grouped by key code, in each group by (event time, arrival)."""

    starts: Rows  # of each key code; one more than there are codes
    time: Times
    row: Rows
    position: Rows
    rank: Rows  # in the order of the pool

    @classmethod
    def of(cls, pool: Pool, code: Rows, codes: int) -> Index:
        """Group a pool by key codes 0..codes-1; an event with a negative code has no partners and is left out.

        >>> pool = Pool(np.array([1, 2, 3]), np.array([7, 8, 9]), np.array([-1, -1, -1]))
        >>> Index.of(pool, np.array([1, 0, 1]), 2).row.tolist()
        [8, 7, 9]
        """
        return cls(*_grouped(code, codes, pool.time, pool.row, pool.position))

    def count(self, triggers: Triggers) -> Rows:
        """How many partners each trigger has. O(log n) for each layer."""
        counts = np.zeros(len(triggers), np.int64)
        for starts, time, position in self._layers:
            _add_counts(starts, time, position, triggers.code, triggers.low, triggers.high, triggers.before, counts)
        return counts

    @cached_property
    def _layers(self) -> list[tuple[Rows, Times, Rows]]:
        """The index in layers in each of which positions rise with time, so that a count is two binary searches.

        Events that came in order are the first layer, late ones the second; later layers are smaller and smaller.
        """
        layers: list[tuple[Rows, Times, Rows]] = []
        rest = (self.starts, self.time, self.position)
        while len(rest[1]) or not layers:
            orderly = _is_orderly(rest[0], rest[2])
            layers.append(_kept(*rest, orderly))
            rest = _kept(*rest, ~orderly)
        return layers

    def pairs(self, triggers: Triggers, most: int = _MOST_PAIRS) -> Iterator[tuple[Rows, Rows]]:
        """Return (trigger, row of partner) for all partners, up to `most` at a time; by partner's (time, arrival)."""
        trigger, candidate = 0, -1
        while trigger < len(triggers):
            out_trigger, out_row = np.empty(most, np.int64), np.empty(most, np.int64)
            filled, trigger, candidate = _fill(
                self.starts, self.time, self.position, self.row,
                triggers.code, triggers.low, triggers.high, triggers.before, trigger, candidate, out_trigger, out_row,
            )  # fmt: skip
            yield out_trigger[:filled].copy(), out_row[:filled].copy()

    def count_where(
        self, triggers: Triggers, left: Columns, left_row: Rows, kernel: PairKernel, right: Columns
    ) -> Rows:
        """How many partners of each trigger also satisfy a kernel. O(candidates)."""
        counts: Rows = _where_kernels(kernel)[0](
            self.starts, self.time, self.position, self.row,
            triggers.code, triggers.low, triggers.high, triggers.before, left, left_row, right,
        )  # fmt: skip
        return counts

    def pairs_where(
        self, triggers: Triggers, left: Columns, left_row: Rows, kernel: PairKernel, right: Columns
    ) -> tuple[Rows, Rows]:
        """Return the pairs that also satisfy a kernel, in one pass over the candidates."""
        trigger, place = self.places_where(triggers, left, left_row, kernel, right)
        return trigger, self.row[place]

    def places_where(
        self, triggers: Triggers, left: Columns, left_row: Rows, kernel: PairKernel, right: Columns
    ) -> tuple[Rows, Rows]:
        """Return the same with the places of partners in the index instead of their rows."""
        fill = _where_kernels(kernel)[1]
        found: list[tuple[Rows, Rows]] = []
        trigger, candidate = 0, -1
        while trigger < len(triggers):
            out_trigger, out_place = np.empty(_MOST_PAIRS, np.int64), np.empty(_MOST_PAIRS, np.int64)
            filled, trigger, candidate = fill(
                self.starts, self.time, self.position, self.row,
                triggers.code, triggers.low, triggers.high, triggers.before, left, left_row, right,
                trigger, candidate, out_trigger, out_place,
            )  # fmt: skip
            found.append((out_trigger[:filled].copy(), out_place[:filled].copy()))
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


@compiled
def _is_sorted(time: Times, arrival: Times) -> bool:
    """Whether events are by (event time, arrival)."""
    for i in range(1, len(time)):
        if time[i] < time[i - 1] or (time[i] == time[i - 1] and arrival[i] < arrival[i - 1]):
            return False
    return True


@compiled
def _grouped(code: Rows, codes: int, time: Times, row: Rows, position: Rows) -> tuple[Rows, Times, Rows, Rows, Rows]:
    starts = np.zeros(codes + 1, np.int64)
    for c in code:
        if c >= 0:
            starts[c + 1] += 1
    for k in range(codes):
        starts[k + 1] += starts[k]
    fill, count = starts[:-1].copy(), starts[codes]
    times, rows, positions = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    rank = np.empty(count, np.int64)
    for i in range(len(code)):
        c = code[i]
        if c >= 0:
            at = fill[c]
            times[at], rows[at], positions[at], rank[at] = time[i], row[i], position[i], i
            fill[c] += 1
    return starts, times, rows, positions, rank


@compiled
def _is_orderly(starts: Rows, position: Rows) -> Mask:
    """Whether all that follows an event in its group came after it."""
    orderly = np.empty(len(position), np.bool_)
    for k in range(len(starts) - 1):
        least = np.iinfo(np.int64).max
        for i in range(starts[k + 1] - 1, starts[k] - 1, -1):
            orderly[i] = position[i] <= least
            least = min(least, position[i])
    return orderly


def _kept(starts: Rows, time: Times, position: Rows, keep: Mask) -> tuple[Rows, Times, Rows]:
    """Return the events of an index that are to be kept."""
    if bool(keep.all()):
        return starts, time, position
    return np.concatenate(([0], np.cumsum(keep)))[starts], time[keep], position[keep]


@compiled
def _first_from(time: Times, low: int, high: int, bound: int) -> int:
    while low < high:
        middle = (low + high) >> 1
        if time[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _add_counts(
    starts: Rows, time: Times, position: Rows, code: Rows, low: Times, high: Times, before: Rows, counts: Rows
) -> None:
    for i in range(len(code)):
        if code[i] < 0:
            continue
        end = starts[code[i] + 1]
        first = _first_from(time, starts[code[i]], end, low[i])
        stop = _first_from(time, first, end, high[i] + 1)
        counts[i] += _first_from(position, first, stop, before[i]) - first


@compiled
def _fill(
    starts: Rows, time: Times, position: Rows, row: Rows, code: Rows, low: Times, high: Times, before: Rows,
    trigger: int, candidate: int, out_trigger: Rows, out_row: Rows,
) -> tuple[int, int, int]:  # fmt: skip
    """List pairs until there is no more room; return how many, and the trigger and the candidate to go on with."""
    filled = 0
    for i in range(trigger, len(code)):
        if code[i] >= 0:
            end = starts[code[i] + 1]
            j = candidate if candidate >= 0 else _first_from(time, starts[code[i]], end, low[i])
            while j < end and time[j] <= high[i]:
                if position[j] < before[i]:
                    if filled == len(out_trigger):
                        return filled, i, j
                    out_trigger[filled] = i
                    out_row[filled] = row[j]
                    filled += 1
                j += 1
        candidate = -1
    return filled, len(code), -1


@lru_cache(maxsize=64)
def swapped(kernel: PairKernel) -> PairKernel:
    """Return the kernel with left and right exchanged."""

    def exchanged(left: Columns, left_row: int, right: Columns, right_row: int) -> bool:
        return kernel(right, right_row, left, left_row)

    return compiled_source(exchanged)


@lru_cache(maxsize=64)
def _where_kernels(kernel: PairKernel) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the loops of `count_where` and `pairs_where` with a kernel compiled into them."""

    def count(starts, time, position, row, code, low, high, before, left, left_row, right):  # type: ignore[no-untyped-def]
        counts = np.zeros(len(code), np.int64)
        for i in range(len(code)):
            if code[i] < 0:
                continue
            end = starts[code[i] + 1]
            for j in range(_first_from(time, starts[code[i]], end, low[i]), end):
                if time[j] > high[i]:
                    break
                if position[j] < before[i] and kernel(left, left_row[i], right, row[j]):
                    counts[i] += 1
        return counts

    def fill(  # type: ignore[no-untyped-def]
        starts, time, position, row, code, low, high, before, left, left_row, right,
        trigger, candidate, out_trigger, out_place,
    ):  # fmt: skip
        filled = 0
        for i in range(trigger, len(code)):
            if code[i] >= 0:
                end = starts[code[i] + 1]
                j = candidate if candidate >= 0 else _first_from(time, starts[code[i]], end, low[i])
                while j < end and time[j] <= high[i]:
                    if position[j] < before[i] and kernel(left, left_row[i], right, row[j]):
                        if filled == len(out_trigger):
                            return filled, i, j
                        out_trigger[filled] = i
                        out_place[filled] = j
                        filled += 1
                    j += 1
            candidate = -1
        return filled, len(code), -1

    return compiled_source(count), compiled_source(fill)
