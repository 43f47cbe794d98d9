"""A column whose entries are small maps from integers to numbers: the state of a sketch.

An entry takes as much room as it has keys, so that a cell with three events holds at most three. All entries lie one
after the other in flat arrays, and compiled loops merge them; there is no Python object for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.segments import Column, Reduction, reduced, slots_of

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask


@dataclass(frozen=True, slots=True)
class Ragged:
    """Entry i has `keys[starts[i] : starts[i + 1]]`, growing, each with a value.

    >>> Ragged.of(np.array([1, 0, 1]), np.array([7, 5, 7]), np.array([1, 1, 1]), 3, "add").rows()
    [{5: 1}, {7: 2}, {}]
    """

    starts: Rows
    keys: Rows
    values: Column

    @classmethod
    def of(cls, entry: Rows, keys: Rows, values: Column, entries: int, how: Reduction) -> Ragged:
        """Gather (key, value) pairs into entries; equal keys of an entry are reduced. O(pairs) where keys are dense."""
        slot, position, slots = slots_of([entry, keys])
        occurs = np.flatnonzero(position >= 0)
        which = position[occurs]
        starts = np.zeros(entries + 1, np.int64)
        np.cumsum(np.bincount(entry[which], minlength=entries), out=starts[1:])
        return cls(starts, keys[which].astype(np.int32), reduced(values, slot, slots, how)[occurs])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, which: Any) -> Ragged:
        if not isinstance(which, np.ndarray) or which.dtype == np.bool_:
            which = np.arange(len(self))[which]
        return Ragged(*_taken(self.starts, self.keys, self.values, which))

    @classmethod
    def concat(cls, parts: Sequence[Ragged]) -> Ragged:
        """Put columns one after the other."""
        sizes = np.concatenate([[0], *(np.diff(part.starts) for part in parts)])
        keys, values = (np.concatenate([getattr(part, name) for part in parts]) for name in ("keys", "values"))
        return cls(np.cumsum(sizes), keys, values)

    def merged(self, other: Ragged, how: Reduction) -> Ragged:
        """Merge entries pairwise. O(keys)."""
        ours, theirs = (self.starts, self.keys, self.values), (other.starts, other.keys, other.values)
        return Ragged(*_merged(*ours, *theirs, how == "add"))

    def running(self, begins: Mask, how: Reduction) -> Ragged:
        """Merge each entry with all before it, begun anew where `begins` says so. O(keys of the result)."""
        return Ragged(*_running(self.starts, self.keys, self.values, begins, how == "add"))

    def rows(self) -> list[dict[int, int]]:
        """Return the entries as dictionaries, to look at."""
        bounds = self.starts.tolist()
        return [dict(zip(self.keys[a:b].tolist(), self.values[a:b].tolist(), strict=True)) for a, b in pairwise(bounds)]


@compiled
def _taken(starts: Rows, keys: Rows, values: Column, which: Rows) -> tuple[Rows, Rows, Column]:
    begins = np.zeros(len(which) + 1, np.int64)
    for i in range(len(which)):
        begins[i + 1] = begins[i] + starts[which[i] + 1] - starts[which[i]]
    some_keys, some_values = np.empty(begins[-1], keys.dtype), np.empty(begins[-1], values.dtype)
    for i in range(len(which)):
        start, stop = starts[which[i]], starts[which[i] + 1]
        some_keys[begins[i] : begins[i + 1]] = keys[start:stop]
        some_values[begins[i] : begins[i + 1]] = values[start:stop]
    return begins, some_keys, some_values


@compiled
def _merge_entry(
    a_keys: Rows, a_values: Column, b_keys: Rows, b_values: Column, add: bool, keys: Rows, values: Column, at: int
) -> int:
    """Write both, from `at` on; return where the entry ends."""
    i = j = 0
    while i < len(a_keys) or j < len(b_keys):
        if j == len(b_keys) or (i < len(a_keys) and a_keys[i] < b_keys[j]):
            keys[at], values[at] = a_keys[i], a_values[i]
            i += 1
        elif i == len(a_keys) or b_keys[j] < a_keys[i]:
            keys[at], values[at] = b_keys[j], b_values[j]
            j += 1
        else:
            keys[at] = a_keys[i]
            values[at] = a_values[i] + b_values[j] if add else max(a_values[i], b_values[j])
            i += 1
            j += 1
        at += 1
    return at


@compiled
def _merged(
    a_starts: Rows, a_keys: Rows, a_values: Column, b_starts: Rows, b_keys: Rows, b_values: Column, add: bool
) -> tuple[Rows, Rows, Column]:
    most = len(a_keys) + len(b_keys)
    starts, keys, values = (
        np.zeros(len(a_starts), np.int64),
        np.empty(most, a_keys.dtype),
        np.empty(most, a_values.dtype),
    )
    for i in range(len(a_starts) - 1):
        a, b = slice(a_starts[i], a_starts[i + 1]), slice(b_starts[i], b_starts[i + 1])
        starts[i + 1] = _merge_entry(a_keys[a], a_values[a], b_keys[b], b_values[b], add, keys, values, starts[i])
    return starts, keys[: starts[-1]].copy(), values[: starts[-1]].copy()


@compiled
def _running(starts: Rows, keys: Rows, values: Column, begins: Mask, add: bool) -> tuple[Rows, Rows, Column]:
    ends = np.zeros(len(starts), np.int64)
    out_keys, out_values = np.empty(2 * len(keys) + 1, keys.dtype), np.empty(2 * len(keys) + 1, values.dtype)
    for i in range(len(starts) - 1):
        start, stop = (0, 0) if begins[i] else (ends[max(i - 1, 0)], ends[i])
        most = ends[i] + stop - start + starts[i + 1] - starts[i]
        if most > len(out_keys):
            more_keys, more_values = np.empty(2 * most, keys.dtype), np.empty(2 * most, values.dtype)
            more_keys[: ends[i]], more_values[: ends[i]] = out_keys[: ends[i]], out_values[: ends[i]]
            out_keys, out_values = more_keys, more_values
        new = slice(starts[i], starts[i + 1])
        before = slice(start, stop)
        ends[i + 1] = _merge_entry(
            out_keys[before], out_values[before], keys[new], values[new], add, out_keys, out_values, ends[i]
        )
    return ends, out_keys[: ends[-1]].copy(), out_values[: ends[-1]].copy()
