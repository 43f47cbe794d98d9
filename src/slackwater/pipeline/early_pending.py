"""Early results that have been given, until the final ones say how good they were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import pack, unpack

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows

MOST_GROUPS = 64  # of an early result: a sample is enough to learn from
MOST_PROMISES = 256  # that wait; more prods than that are answered, and not learned from

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Promise:
    """An early result of a window: columns by group, tables with a row for each function."""

    window: int
    age: int
    past: int  # how far the clock was past the end of the window, in us; negative: before it
    group: Rows
    rows: Floats  # that had come
    foreseen: Floats  # how many more, if all groups were equally late
    missing: Floats  # how many more
    center: Floats  # before it was moved by what past windows say
    scale: Floats
    value: Floats
    low: Floats
    high: Floats

    def of(self, which: Rows) -> Promise:
        """Return the promise to some of the groups."""
        columns = {name: getattr(self, name)[..., which] for name in (*_COLUMNS, *_TABLES)}
        return replace(self, group=self.group[which], **columns)

    def packed(self) -> list[Any]:
        """Return it as values that JSON can hold."""
        columns = [getattr(self, name)[None] for name in _COLUMNS]
        tables = np.concatenate((*columns, *(getattr(self, name) for name in _TABLES)))
        return [self.window, self.age, self.past, pack(self.group), pack(tables)]

    @classmethod
    def unpacked(cls, state: list[Any], functions: int) -> Promise:
        """Return what was packed."""
        window, age, past, group, packed = state
        numbers = unpack(packed, np.float64).reshape(len(_COLUMNS) + len(_TABLES) * functions, -1)
        columns, tables = numbers[: len(_COLUMNS)], numbers[len(_COLUMNS) :].reshape(len(_TABLES), functions, -1)
        return cls(window, age, past, unpack(group, np.int64), *columns, *tables)


_COLUMNS = ("rows", "foreseen", "missing")
_TABLES = ("center", "scale", "value", "low", "high")


class Pending:
    """Promises by window. Holds at most 256, each about at most 64 groups."""

    def __init__(self, functions: int, state: list[Any] | None = None) -> None:
        self._promises = [Promise.unpacked(each, functions) for each in state or []]

    def add(self, promise: Promise) -> None:
        """Remember a promise, or a sample of it that is another one for each window."""
        if len(self._promises) >= MOST_PROMISES or not len(promise.group):
            return
        every = -(-len(promise.group) // MOST_GROUPS)
        self._promises.append(promise.of(np.arange(promise.window % every, len(promise.group), every)))

    def take(self, window: int, group: Rows) -> Iterator[tuple[Promise, Rows]]:
        """Return the promises about a window that closed, each with the places of its groups; forget older ones too."""
        due = [promise for promise in self._promises if promise.window == window]
        self._promises = [promise for promise in self._promises if promise.window > window]
        for promise in due:
            at = np.searchsorted(group, promise.group)
            found = np.flatnonzero(group[np.minimum(at, len(group) - 1)] == promise.group)
            if len(found):
                yield promise.of(found), at[found]

    def renamed(self, codes: Rows) -> None:
        """Let group g be codes[g] from now on."""
        self._promises = [_renamed(promise, codes) for promise in self._promises]

    @property
    def groups(self) -> Rows:
        """The groups that promises were made to, sorted."""
        return np.unique(np.concatenate([_NONE, *(promise.group for promise in self._promises)]))

    def snapshot(self, known: Rows | None = None) -> list[Any]:
        """Return all that is needed to go on, as values that JSON can hold.

        Groups are saved as they are, or as their places among those `known`, which are sorted.
        """
        if known is None:
            return [promise.packed() for promise in self._promises]
        placed = (replace(each, group=np.searchsorted(known, each.group)) for each in self._promises)
        return [promise.packed() for promise in placed]


def _renamed(promise: Promise, codes: Rows) -> Promise:
    group = codes[promise.group]
    order = np.argsort(group)
    return replace(promise.of(order), group=group[order])
