"""Groups as integers: the same code where all keys are equal; a null is a key like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from slackwater.core.segments import slots_of
from slackwater.pipeline.key_codes import encode_keys

if TYPE_CHECKING:
    from slackwater.events import Rows


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of some rows."""

    code: Rows  # of each row: 0, 1, ... without gaps
    row: Rows  # of each group, one row that has its keys

    @classmethod
    def of(cls, keys: Sequence[pa.ChunkedArray[Any]], rows: int) -> Groups:
        """Number the groups. O(rows).

        >>> groups = Groups.of([pa.chunked_array([["b", None, "b", "a"]])], 4)
        >>> groups.code.tolist(), groups.row.tolist()
        ([1, 0, 1, 2], [1, 2, 3])
        """
        if not keys or not rows:
            return cls(np.zeros(rows, np.int64), np.zeros(min(rows, 1), np.int64))
        codes = [encode_keys([key])[0][0] for key in keys]
        slot, position, slots = slots_of(codes)
        occurs = np.flatnonzero(position >= 0)
        if len(occurs) < slots:
            number = np.empty(slots, np.int64)
            number[occurs] = np.arange(len(occurs))
            slot = number[slot]
        return cls(slot, position[occurs])


@dataclass(slots=True)
class GrowingGroups:
    """Groups whose rows come in pieces: a group keeps its code, and new ones get the next.

    >>> groups = GrowingGroups.none(pa.table({"line": pa.array([], pa.string())}))
    >>> [groups.codes(pa.table({"line": lines})).tolist() for lines in (["b", "a"], ["c", "a"])]
    [[0, 1], [2, 1]]
    >>> groups.keys["line"].to_pylist()
    ['b', 'a', 'c']
    """

    keys: pa.Table  # one row for each group, in the order of their codes
    count: int = 0  # how many there are: a table without columns does not know

    @classmethod
    def none(cls, keys: pa.Table) -> GrowingGroups:
        """No groups yet, of keys as in this table."""
        return cls(keys.slice(0, 0))

    def codes(self, table: pa.Table, rows: int | None = None) -> Rows:
        """Return the groups of rows. O(rows + groups)."""
        rows = table.num_rows if rows is None else rows
        names = self.keys.column_names
        every = pa.concat_tables([self.keys, table.select(names)])
        found = Groups.of([every[name] for name in names], self.count + rows)
        label = np.full(len(found.row), -1, np.int64)
        label[found.code[: self.count]] = np.arange(self.count)
        new = np.flatnonzero(label < 0)
        label[new] = self.count + np.arange(len(new))
        if len(new) and names:
            self.keys = pa.concat_tables([self.keys, every.take(found.row[new])]).combine_chunks()
        first, self.count = self.count, self.count + len(new)
        return label[found.code[first:]]

    def codes_of(self, tables: Sequence[pa.Table]) -> Rows:
        """Return the groups of the rows of some tables, one after the other."""
        if not tables:
            return np.empty(0, np.int64)
        keys = pa.concat_tables([table.select(self.keys.column_names) for table in tables])
        return self.codes(keys, sum(table.num_rows for table in tables))


class Regroup(Protocol):
    """Says of groups of one level which groups of the level above they are part of."""

    def __getitem__(self, code: Rows) -> Rows:
        """Return the group above of each of these groups."""


@dataclass(slots=True)
class GrowingRegroup:
    """The same where groups below come in pieces: whoever asks of a new one makes it known above. O(new groups) each.

    >>> below = GrowingGroups.none(pa.table({"area": pa.array([], pa.string()), "line": pa.array([], pa.string())}))
    >>> above = GrowingRegroup(below, GrowingGroups.none(below.keys.select(["area"])))
    >>> above[below.codes(pa.table({"area": ["n", "s", "n"], "line": ["1", "2", "3"]}))].tolist()
    [0, 1, 0]
    """

    below: GrowingGroups
    above: GrowingGroups  # whose keys are some of those below
    _code: Rows = field(default_factory=lambda: np.empty(0, np.int64))

    def __getitem__(self, code: Rows) -> Rows:
        """Return the group above of each of these groups."""
        self.follow()
        return self._code[code]

    def follow(self) -> None:
        """Make all groups below known above."""
        known = len(self._code)
        if self.below.count > known:
            more = self.above.codes(self.below.keys.slice(known), self.below.count - known)
            self._code = np.concatenate((self._code, more))
