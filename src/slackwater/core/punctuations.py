"""What the input has promised: no more events up to a time, of all groups, of some, or within a range (PROD 2.2, 6.2).

A stream is *grammatical* if no event comes behind a punctuation that covers it. One that does is turned away, also
where some of its windows are still open. So windows that a punctuation has closed for one group, or out of order, need
no mark at each pane: nothing can come to them any more, and they must only not be emitted twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.algebra import Max
from slackwater.core.cells import Cells
from slackwater.time import BEFORE_ALL_TIME, is_behind_punctuation

if TYPE_CHECKING:
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_BOUND = (Max(),)


@dataclass(frozen=True, slots=True)
class Punctuation:
    """No more events before `until`: of these groups (None: of all), and not before `since` (None: since ever)."""

    until: int
    since: int | None = None
    groups: Rows | None = None

    @property
    def is_for_all(self) -> bool:
        """Whether it closes every window that ends up to its time."""
        return self.since is None and self.groups is None


@dataclass(frozen=True, slots=True)
class Promised:
    """All punctuations so far. Holds an entry for each group that has its own, until one for all overtakes it.

    >>> promised = Promised().after(Punctuation(20)).after(Punctuation(40, groups=np.array([1])))
    >>> promised.broken_by(np.array([15, 30, 30]), np.array([0, 0, 1])).tolist()
    [5, 0, 10]
    """

    until: int = BEFORE_ALL_TIME
    ranges: tuple[tuple[int, int], ...] = ()  # apart from each other, by time
    bounds: Cells | None = None  # of groups

    def __bool__(self) -> bool:
        return self.until > BEFORE_ALL_TIME or bool(self.ranges) or self.bounds is not None

    def after(self, punctuation: Punctuation) -> Promised:
        """Return what is promised once this came, too."""
        if punctuation.groups is not None:
            bound = np.full(len(punctuation.groups), punctuation.until)
            new = Cells(np.zeros_like(bound), np.unique(punctuation.groups), ((bound, np.ones_like(bound)),))
            return replace(self, bounds=new if self.bounds is None else self.bounds.merged(new, _BOUND))._pruned()
        if punctuation.since is not None:
            return replace(self, ranges=_united([*self.ranges, (punctuation.since, punctuation.until)]))._pruned()
        return replace(self, until=max(self.until, punctuation.until))._pruned()

    def around(self, punctuation: Punctuation) -> tuple[int | None, int]:
        """Return from when to when nothing more comes once this came, too: with the ranges that it meets.

        >>> Promised(ranges=((0, 10), (20, 30))).around(Punctuation(20, since=12)), Promised().around(Punctuation(5))
        ((12, 30), (None, 5))
        """
        since, until = punctuation.since, punctuation.until
        if since is None:
            return None, until
        return next((each for each in self.after(punctuation).ranges if each[0] <= since < each[1]), (since, until))

    def broken_by(self, time: Times, group: Rows) -> Times:
        """Return how far events are behind a punctuation that covers them; 0 where none does."""
        until = np.full(len(time), self.until)
        for since, end in self.ranges:
            until[(time >= since) & is_behind_punctuation(time, end)] = end
        if self.bounds is not None:
            np.maximum(until, self._by_group(group), out=until)
        return np.where(is_behind_punctuation(time, until), until - time, 0)

    def closed(self, panes: Panes, cells: Cells) -> Mask:
        """Return which windows are closed for their group, besides those that are closed for all."""
        start, end = panes.starts(cells.place), panes.ends(cells.place)
        out = np.zeros(len(cells), np.bool_)
        for since, until in self.ranges:
            out |= (start >= since) & (end <= until)
        return out if self.bounds is None else out | (end <= self._by_group(cells.group))

    def _by_group(self, group: Rows) -> Times:
        if self.bounds is None or not len(group):
            return np.full(len(group), BEFORE_ALL_TIME)
        known = self.bounds.group
        of_code = np.full(max(int(known[-1]), int(group.max())) + 1, BEFORE_ALL_TIME)
        of_code[known] = self.bounds.states[0][0]
        return of_code[group]

    def _pruned(self) -> Promised:
        """Return the same without what a punctuation for all has overtaken."""
        bounds = self.bounds
        if bounds is not None:
            ahead = bounds.states[0][0] > self.until
            bounds = None if not ahead.any() else bounds if ahead.all() else bounds[ahead]
        return replace(self, ranges=tuple(each for each in self.ranges if each[1] > self.until), bounds=bounds)


NOTHING_PROMISED = Promised()


def _united(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Unite ranges that meet.

    >>> _united([(0, 10), (20, 30), (10, 15)])
    ((0, 15), (20, 30))
    """
    out: list[tuple[int, int]] = []
    for since, until in sorted(ranges):
        if out and since <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], until))
        else:
            out.append((since, until))
    return tuple(out)
