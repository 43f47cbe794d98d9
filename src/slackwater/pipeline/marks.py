"""Marks: prods and punctuations that come with a stream, in the order of arrival.

A mark acts after the events that arrived with it or before it. What arrived together acts in this order: events, then
punctuations, then prods: a window that is final needs no early result any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from slackwater.core.prods import Ask
from slackwater.core.punctuations import Punctuation
from slackwater.time import BEFORE_ALL_TIME, last_window_until

if TYPE_CHECKING:
    from slackwater.core.punctuations import Promised
    from slackwater.events import Events, Rows
    from slackwater.time import Times


LAST_ARRIVAL = 2**63 - 1  # after all that arrived


@dataclass(frozen=True, slots=True)
class Mark:
    """A prod `{<= until, groups}` or a punctuation `[<= until, groups]`; one that is ignored is only reported."""

    kind: Literal["prod", "punctuation", "ignored"]
    arrival: int
    until: int | None = None  # None: whatever is open
    since: int | None = None  # of a punctuation
    groups: Rows | None = None  # None: all
    words: str = ""  # what it says, for reports

    def punctuation(self) -> Punctuation:
        """Return what it promises."""
        assert self.until is not None
        return Punctuation(self.until, self.since, self.groups)

    def ask(self, slide: int) -> Ask:
        """Return what it asks for."""
        if self.until is None:
            return Ask(groups=self.groups)
        return Ask(last=last_window_until(self.until, slide), groups=self.groups)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a prod that came with the stream led to; no results: it was too early, too late, for nobody, or ignored."""

    mark: Mark
    clock: int | None
    results: int


def unheard(mark: Mark) -> Mark:
    """Return a mark for a plan without early results: a prod is nobody's there, and its answer says so."""
    if mark.kind != "prod":
        return mark
    return replace(mark, groups=np.empty(0, np.int64), words=f"nobody, without early=: {mark.words}")


def broken_promises(promised: Promised, marks: Sequence[Mark], events: Events, group: Rows) -> Times:
    """Return how far each event is behind a punctuation that came before it; 0 where it keeps every promise."""
    out = np.zeros(len(events), np.int64)
    for start, stop, so_far in _stretches(promised, marks, events.arrival):
        if so_far and stop > start:
            out[start:stop] = so_far.broken_by(events.time[start:stop], group[start:stop])
    return out


def closed_by(marks: Sequence[Mark], arrival: Times) -> Times:
    """Return up to when punctuations have closed windows for all before each step, and after the last.

    >>> closed_by([Mark("punctuation", 4, until=50)], np.array([3, 4, 7])).tolist()[2:]
    [50, 50]
    """
    out = np.full(len(arrival) + 1, BEFORE_ALL_TIME)
    for mark in marks:
        if mark.kind == "punctuation" and mark.punctuation().is_for_all:
            step = int(np.searchsorted(arrival, mark.arrival, side="right"))
            out[step] = max(int(out[step]), mark.punctuation().until)
    return np.maximum.accumulate(out)


def _stretches(promised: Promised, marks: Sequence[Mark], arrival: Times) -> Iterator[tuple[int, int, Promised]]:
    """Yield from where to where which promises hold."""
    start = 0
    for mark in marks:
        if mark.kind == "punctuation":
            stop = int(np.searchsorted(arrival, mark.arrival, side="right"))
            yield start, stop, promised
            start, promised = stop, promised.after(mark.punctuation())
    yield start, len(arrival), promised
