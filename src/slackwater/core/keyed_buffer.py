"""Where the events of many keys wait, and what is known of each key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.heaps import ARRIVAL, KEY, NODE_FIELDS, NONE, ROW, SIBLING, TIME, grown
from slackwater.core.keyed_kernels import CLOCK, HELD, ROOT, take_in
from slackwater.events import Events
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_NEW_KEY = np.array([BEFORE_ALL_TIME, BEFORE_ALL_TIME, 0, NONE, BEFORE_ALL_TIME, 0], np.int64)


def new_keys(count: int) -> npt.NDArray[np.int64]:
    """Return what is known of keys that were never seen: a line each."""
    return np.tile(_NEW_KEY, (count, 1))


class KeyedBuffer:
    """One heap of events for each key, with the key's clock and the largest event time that it has passed on.

    Keys are numbers 0, 1, ... that whoever made the events gives them; `key_of` says which keys some rows have.

    >>> buffer = KeyedBuffer(key_of=lambda rows: rows % 2)
    >>> buffer.put(Events.of([5, 2, 9]))
    >>> len(buffer), buffer.keys[:, HELD].tolist(), buffer.snapshot().time.tolist()
    (3, [2, 1], [2, 5, 9])
    """

    def __init__(self, key_of: Callable[[Rows], Rows], keys: npt.NDArray[np.int64] | None = None) -> None:
        self.key_of = key_of
        self.keys = np.empty((0, len(_NEW_KEY)), np.int64)
        self.nodes = np.empty((0, NODE_FIELDS), np.int64)
        self.free = NONE
        self._held = 0
        if keys is not None:
            self.make_room(keys=len(keys))
            self.keys[:, : HELD + 1] = keys[:, : HELD + 1]
            self.keys[:, HELD] = 0

    def __len__(self) -> int:
        return self._held

    def fetch(self, horizon: int) -> None:
        """Make sure that every event with event time <= horizon is in memory; here all are."""

    def put(self, events: Events) -> None:
        """Keep events, whatever the clocks of their keys."""
        key = self.arriving(events)
        self.free = take_in(key, events.time, events.arrival, events.row, self.keys, self.nodes, self.free)
        self.count(len(events))

    def arriving(self, events: Events) -> Rows:
        """Return the keys of events that come, with room for them."""
        key = self.key_of(events.row)
        self.make_room(keys=int(key.max(initial=-1)) + 1, nodes=self.in_memory + len(events))
        return key

    @property
    def in_memory(self) -> int:
        """How many events are in the heaps."""
        return self._held

    def make_room(self, *, keys: int = 0, nodes: int = 0) -> None:
        """Grow to so many keys and nodes at least; by doubling, where that is more."""
        if keys > len(self.keys):
            self.keys = np.concatenate((self.keys, new_keys(keys - len(self.keys))))
        if nodes > len(self.nodes):
            self.nodes, self.free = grown(self.nodes, self.free, max(nodes, 2 * len(self.nodes)))

    def count(self, change: int) -> None:
        """Count events that came to the heaps, or left them."""
        self._held += change

    def known_clocks(self, key: Rows) -> Times:
        """Return the clock of each of these keys; a key that was never seen has one before all time."""
        clocks = np.full(int(key.max(initial=-1)) + 1, BEFORE_ALL_TIME, np.int64)
        known = min(len(clocks), len(self.keys))
        clocks[:known] = self.keys[:known, CLOCK]
        return clocks

    def take_all(self, of: Mask | None = None) -> tuple[Events, Rows]:
        """Remove and return all events, or those of some keys, by (event time, arrival); with the key of each."""
        nodes = self._nodes_in_use()
        if of is not None:
            nodes = nodes[of[self.nodes[nodes, KEY]]]
        found = self._by_time(nodes)
        keys = self.nodes[found, KEY]
        events = self._events(found)
        self.keys[keys, ROOT], self.keys[keys, HELD] = NONE, 0
        self._release(nodes)
        self.count(-len(events))
        return events, keys

    def clear(self) -> None:
        """Forget the events in memory, which are kept elsewhere: their keys still hold them."""
        self.nodes, self.free, self._held = self.nodes[:0], NONE, 0
        self.keys[:, ROOT] = NONE

    def in_memory_events(self) -> Events:
        """Return what is in memory, in no order."""
        return self._events(self._nodes_in_use())

    def snapshot(self) -> Events:
        """Return what is in memory, by (event time, arrival)."""
        return self._events(self._by_time(self._nodes_in_use()))

    def _nodes_in_use(self) -> Rows:
        return np.flatnonzero(self.nodes[:, ROW] != NONE)

    def _by_time(self, nodes: Rows) -> Rows:
        columns = self.nodes[nodes]
        return nodes[np.lexsort((columns[:, ROW], columns[:, ARRIVAL], columns[:, TIME]))]

    def _events(self, nodes: Rows) -> Events:
        columns = self.nodes[nodes]
        return Events(columns[:, TIME].copy(), columns[:, ARRIVAL].copy(), columns[:, ROW].copy())

    def _release(self, nodes: Rows) -> None:
        if len(nodes):
            self.nodes[nodes, ROW] = NONE
            self.nodes[nodes, SIBLING] = np.append(nodes[1:], self.free)
            self.free = int(nodes[0])
