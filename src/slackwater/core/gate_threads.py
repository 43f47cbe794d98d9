"""A gate for threads of one process, one event at a time: SSG17's insertSSGTuple, getSSGTuple and setSLT.

The document keeps one skip list for all, and a queue of late events for each reader. Here each writer has a log that
only it appends to, and each reader has a place in every log and merges them by itself. So nobody waits for anybody: the
gate has no lock. (What CPython does within one append or read is its own business: that is no claim to be lock-free.)

Why that is right. A writer appends an event first and shows its time afterwards. A reader looks at the times that
writers have shown first and reads their logs afterwards: so it has seen every event up to these times, and the smallest
that it has not returned is ready once no writer's time is before it. A late event is one before what the reader has
returned; it is the smallest of all, so it is returned next: there is no queue to miss it in, which the document's
insert can (Sec. 5.1).
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace
from typing import Generic, NamedTuple, TypeVar

from slackwater.core.gate_readers import MOST_UNREAD
from slackwater.errors import GateFullError, ParameterError
from slackwater.time import AFTER_ALL_TIME, BEFORE_ALL_TIME

E = TypeVar("E")
_PAGE = 256  # events of a log that are kept, and forgotten, together


class Got(NamedTuple, Generic[E]):
    """An event as a reader gets it."""

    event: E
    time: int
    writer: int
    ready: bool  # false: it was slack-ready only
    late: bool  # the reader has got a later one before


class ThreadGate(Generic[E]):
    """Merges `writers` streams for `readers`, by (time, writer, order of insertion). Each number is for one thread.

    `limit` is the slack threshold: an event that is further behind the newest of all leaves before it is ready; None:
    none does. Writers insert in order of time; an event that steps back follows the one before it, and is late.
    A reader that is more than `most_unread` events behind makes inserts fail, until it reads or is closed; that is
    looked at whenever a writer has filled a page.

    An insert costs O(1), a get O(log(writers)), both without waiting.

    >>> gate = ThreadGate[str](writers=2, readers=1, limit=3)
    >>> gate.insert("a", 1, writer=0); gate.insert("b", 2, writer=1); gate.insert("c", 6, writer=0)
    >>> [gate.get(reader=0).event for _ in range(2)], gate.get(reader=0)
    (['a', 'b'], None)
    >>> gate.set_slack(-1)
    Traceback (most recent call last):
        ...
    slackwater.errors.ParameterError: limit must be >= 0, got -1; 0 lets everything leave but the newest
    """

    def __init__(self, *, writers: int, readers: int, limit: int | None = None, most_unread: int = MOST_UNREAD) -> None:
        for name, value in (("writers", writers), ("readers", readers), ("most_unread", most_unread)):
            if value < 1:
                raise ParameterError(name, value, must="be >= 1", remedy="a gate has a writer for each stream")
        self._newest = [BEFORE_ALL_TIME] * writers  # each written by its writer alone
        self._written = [0] * writers  # likewise
        self._most_unread = most_unread
        self._limit = AFTER_ALL_TIME if limit is None else limit
        first: list[_Page[E]] = [_Page() for _ in range(writers)]
        self._pages = list(first)  # the last of each log
        self._readers: list[_Reader[E] | None] = [_Reader(first) for _ in range(readers)]

    def insert(self, event: E, time: int, *, writer: int) -> None:
        """Take in an event. Only one thread may be a writer's."""
        page = self._pages[writer]
        if len(page.events) == _PAGE:
            self._make_room()
            page.following = page = self._pages[writer] = _Page()
        page.events.append((time, event))
        self._written[writer] += 1
        if time > self._newest[writer]:
            self._newest[writer] = time  # only now: whoever sees it finds the event as well

    def get(self, *, reader: int) -> Got[E] | None:
        """Return the next event that is ready or slack-ready; None where none is. Only one thread may be a reader's."""
        own = self._readers[reader]
        if own is None:
            raise ParameterError("reader", reader, must="be open", remedy="it was closed")
        return own.get(self._newest, self._limit)

    def set_slack(self, limit: int | None) -> None:
        """Change the limit, from any thread; reads that have begun may still go by the old one."""
        if limit is not None and limit < 0:
            raise ParameterError("limit", limit, must="be >= 0", remedy="0 lets everything leave but the newest")
        self._limit = AFTER_ALL_TIME if limit is None else limit

    def close_reader(self, reader: int) -> None:
        """Keep nothing for a reader any more, from any thread."""
        self._readers[reader] = None

    def unread(self, reader: int) -> int:
        """How many events a reader has still to get; while others work, about."""
        own = self._readers[reader]
        return 0 if own is None else sum(self._written) - own.returned

    def _make_room(self) -> None:
        for number in range(len(self._readers)):
            if (unread := self.unread(number)) > self._most_unread:
                raise GateFullError(reader=number, unread=unread, most=self._most_unread)


class _Page(Generic[E]):
    """A part of a log: (time, event), and the part after it. Whoever is past it lets go of it, so it is freed."""

    __slots__ = ("events", "following")

    def __init__(self) -> None:
        self.events: list[tuple[int, E]] = []
        self.following: _Page[E] | None = None


class _Reader(Generic[E]):
    """Merges the logs for one reader. The next event of each log is on a heap; logs that had none are asked again."""

    def __init__(self, pages: list[_Page[E]]) -> None:
        self._pages = list(pages)
        self._at = [0] * len(pages)  # in the page of each log
        self._heads: list[tuple[int, int, E]] = []  # time and writer, of which there is one each
        self._ended = list(range(len(pages)))  # logs of which nothing is on the heap
        self._last = (BEFORE_ALL_TIME, -1)
        self._ready = (BEFORE_ALL_TIME, -1)  # up to here everything is: it only grows
        self.returned = 0

    def get(self, newest: list[int], limit: int) -> Got[E] | None:
        """Return the smallest event if it may leave."""
        heads, fastest = self._heads, AFTER_ALL_TIME
        if self._ended or heads[0][:2] > self._ready:
            shown = list(newest)  # before the logs: see the head of this file
            self._ask_again()
            if not heads:
                return None
            slowest, fastest = min(shown), max(shown)
            self._ready = (slowest, shown.index(slowest))
        time, writer, event = heads[0]
        place = (time, writer)
        ready, late = place <= self._ready, place < self._last
        if not (ready or late or fastest - time > limit):
            return None
        self._advance(writer)
        self.returned += 1
        self._last = max(place, self._last)
        return Got(event, time, writer, ready, late)

    def _ask_again(self) -> None:
        for writer in self._ended[:]:
            if (found := self._next(writer)) is not None:
                heappush(self._heads, found)
                self._ended.remove(writer)

    def _advance(self, writer: int) -> None:
        """Put the next event of a log in the place of the one that is returned."""
        if (found := self._next(writer)) is not None:
            heapreplace(self._heads, found)
        else:
            heappop(self._heads)
            self._ended.append(writer)

    def _next(self, writer: int) -> tuple[int, int, E] | None:
        page, at = self._pages[writer], self._at[writer]
        if at == _PAGE:
            if page.following is None:
                return None
            page, at = page.following, 0
            self._pages[writer] = page
        if at == len(page.events):
            self._at[writer] = at
            return None
        self._at[writer] = at + 1
        time, event = page.events[at]
        return time, writer, event
