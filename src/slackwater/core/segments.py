"""Compiled loops over columns that fall into pieces: reductions by slot, running reductions by segment, sorting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from slackwater.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.events import Rows
    from slackwater.time import Mask

Column: TypeAlias = npt.NDArray[Any]
Reduction: TypeAlias = Literal["add", "least", "most"]

_SMALL = 65_536  # so many counters cost nothing
_SCANNED = 32  # slots for each row: to look whether they occur is cheaper than to sort rows


def differs(values: Rows) -> Mask:
    """Return where a value is not the one before; there is none before the first, which counts as different.

    >>> differs(np.array([5, 5, 7])).tolist()
    [True, False, True]
    """
    return np.concatenate((np.ones(min(len(values), 1), np.bool_), values[1:] != values[:-1]))


def spread_over(which: Rows, first: Rows, last: Rows) -> tuple[Rows, Rows]:
    """Return each of some positions once for each window from `first` to `last`, and these windows.

    >>> [each.tolist() for each in spread_over(np.array([8, 9]), np.array([1, 4]), np.array([2, 4]))]
    [[8, 8, 9], [1, 2, 4]]
    """
    count = last - first + 1
    nth = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(which, count), np.repeat(first, count) + nth


def reduced(values: Column, slot: Rows, slots: int, how: Reduction) -> Column:
    """Return the sum, the least or the most of the values of each slot; every slot that matters has a value.

    NaN is larger than any number, as in Spark and DuckDB. O(values + slots).

    >>> reduced(np.array([3, 1, 2]), np.array([0, 1, 0]), 2, "most").tolist()
    [3, 1]
    """
    out = np.full(slots, neutral(values.dtype, how), values.dtype)
    _REDUCE[how](np.ascontiguousarray(values), slot, out)
    return out


def running(values: Column, begins: Mask, how: Reduction) -> Column:
    """Return the running sum, least or most; it begins anew where `begins` says so. O(values).

    >>> running(np.array([1, 2, 3, 4]), np.array([True, False, True, False]), "add").tolist()
    [1, 3, 3, 7]
    """
    out: Column = _RUN[how](np.ascontiguousarray(values), begins)
    return out


def neutral(dtype: np.dtype[Any], how: Reduction) -> Any:
    """Return the value that changes nothing when it is added to a reduction; for the least, NaN is the largest."""
    if how == "add":
        return dtype.type(0)
    if np.issubdtype(dtype, np.floating):
        return dtype.type(np.nan if how == "least" else -np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if how == "least" else limits.min)


def stable_order(keys: Rows) -> Rows:
    """Return what sorts keys, equal ones in the order in which they are: O(n) where the keys lie near each other.

    >>> stable_order(np.array([7, 5, 7, 5])).tolist()
    [1, 3, 0, 2]
    """
    if not len(keys):
        return np.empty(0, np.int64)
    low, high = int(keys.min()), int(keys.max())
    if high - low > max(_SMALL, 4 * len(keys)):
        return np.argsort(keys, kind="stable")
    order: Rows = _counted_order(keys, low, high - low + 1)
    return order


def slots_of(columns: Sequence[Rows]) -> tuple[Rows, Rows, int]:
    """Return a slot for each combination of keys, a position where each slot occurs, and how many slots there are.

    Slots are in the order of the keys; a slot that does not occur has position -1. O(n) where keys are dense.

    >>> slots_of([np.array([5, 5, 4]), np.array([1, 0, 1])])[0].tolist()
    [3, 2, 1]
    """
    ranges, rows = [_range(column) for column in columns], len(columns[0])
    count = math.prod(span for _, span in ranges)
    if count > max(_SMALL, 4 * rows):
        narrow = len(columns) == 2 and ranges[0][1] <= max(_SMALL, rows)
        return _numbered(columns, ranges) if narrow and count <= _SCANNED * rows else _ranked(columns)
    if len(columns) == 2:
        slot, position = _paired(columns[0], columns[1], ranges[0][0], *ranges[1], count)
        return slot, position, count
    slot = np.zeros(rows, np.int64)
    for column, (low, span) in zip(columns, ranges, strict=True):
        slot = slot * span + (column - low)
    return slot, _positions(slot, count), count


def _range(column: Rows) -> tuple[int, int]:
    if not len(column):
        return 0, 1
    low, high = _bounds(column)
    return low, high - low + 1


def _numbered(columns: Sequence[Rows], ranges: Sequence[tuple[int, int]]) -> tuple[Rows, Rows, int]:
    """Go through the rows by their first key, and number the second keys that occur with it."""
    (low, span), (low_second, span_second) = ranges
    order = _counted_order(columns[0], low, span)
    slot, position = _numbered_within(columns[0], columns[1], order, low_second, span_second)
    return slot, position, len(position)


def _ranked(columns: Sequence[Rows]) -> tuple[Rows, Rows, int]:
    """Sort by the last key first, and number what differs: only combinations that occur have a slot."""
    order = stable_order(columns[-1])
    for column in columns[-2::-1]:
        order = order[stable_order(column[order])]
    is_new = np.zeros(len(order), np.bool_)
    for column in columns:
        is_new |= differs(column[order])
    slot = np.empty(len(order), np.int64)
    slot[order] = np.cumsum(is_new) - 1
    position = order[is_new]
    return slot, position, len(position)


@compiled
def _bounds(column: Rows) -> tuple[int, int]:
    low = high = column[0]
    for value in column:
        low, high = min(low, value), max(high, value)
    return low, high


@compiled
def _paired(first: Rows, second: Rows, low: int, low_second: int, span: int, slots: int) -> tuple[Rows, Rows]:
    slot, position = np.empty(len(first), np.int64), np.full(slots, -1, np.int64)
    for i in range(len(first)):
        number = (first[i] - low) * span + (second[i] - low_second)
        slot[i] = number
        position[number] = i
    return slot, position


@compiled
def _numbered_within(first: Rows, second: Rows, order: Rows, low: int, span: int) -> tuple[Rows, Rows]:
    """Return the slot of each row, and a position where it occurs; `order` sorts by the first key."""
    slot, position = np.empty(len(first), np.int64), np.empty(len(first), np.int64)
    occurs, number = np.zeros(span, np.bool_), np.empty(span, np.int64)
    slots, begin = 0, 0
    while begin < len(order):
        end = begin
        while end < len(order) and first[order[end]] == first[order[begin]]:
            occurs[second[order[end]] - low] = True
            end += 1
        for key in range(span):
            if occurs[key]:
                occurs[key], number[key] = False, slots
                slots += 1
        for at in range(begin, end):
            i = order[at]
            slot[i] = number[second[i] - low]
            position[slot[i]] = i
        begin = end
    return slot, position[:slots].copy()


@compiled
def _positions(slot: Rows, slots: int) -> Rows:
    position = np.full(slots, -1, np.int64)
    for i in range(len(slot)):
        position[slot[i]] = i
    return position


@compiled
def _counted_order(keys: Rows, low: int, span: int) -> Rows:
    place = np.zeros(span + 1, np.int64)
    for i in range(len(keys)):
        place[keys[i] - low + 1] += 1
    for i in range(span):
        place[i + 1] += place[i]
    order = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        order[place[keys[i] - low]] = i
        place[keys[i] - low] += 1
    return order


@compiled
def _reduce_add(values: Column, slot: Rows, out: Column) -> None:
    for i in range(len(values)):
        out[slot[i]] += values[i]


@compiled
def _reduce_least(values: Column, slot: Rows, out: Column) -> None:
    for i in range(len(values)):
        so_far = out[slot[i]]
        if values[i] < so_far or so_far != so_far:
            out[slot[i]] = values[i]


@compiled
def _reduce_most(values: Column, slot: Rows, out: Column) -> None:
    for i in range(len(values)):
        value = values[i]
        if value > out[slot[i]] or value != value:
            out[slot[i]] = value


@compiled
def _run_add(values: Column, begins: Mask) -> Column:
    out = values.copy()
    for i in range(1, len(values)):
        if not begins[i]:
            out[i] = out[i - 1] + values[i]
    return out


@compiled
def _run_least(values: Column, begins: Mask) -> Column:
    out = values.copy()
    for i in range(1, len(values)):
        if not begins[i] and (out[i - 1] < values[i] or values[i] != values[i]):
            out[i] = out[i - 1]
    return out


@compiled
def _run_most(values: Column, begins: Mask) -> Column:
    out = values.copy()
    for i in range(1, len(values)):
        if not begins[i] and (out[i - 1] > values[i] or out[i - 1] != out[i - 1]):
            out[i] = out[i - 1]
    return out


_REDUCE = {"add": _reduce_add, "least": _reduce_least, "most": _reduce_most}
_RUN = {"add": _run_add, "least": _run_least, "most": _run_most}
