"""Events of a burst that were set aside, and the windows that wait for them (PROD Sec. 6.2a).

When an event comes and which windows it is in time for is known from its time, so the clock, the slack and what is late
are the same whether it is set aside or not. Only its way into panes is put off. A window that closes meanwhile is
*held*: what there is of it is shown early, and it is final once the last of its events is in. Windows without such
events leave as ever, so finals may leave in any order: each closes its own range of time, not all before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.algebra import Max
from slackwater.core.cells import Cells, Input
from slackwater.core.closing import Placed
from slackwater.core.lifted import Lifted
from slackwater.core.segments import stable_order
from slackwater.time import first_open_window

if TYPE_CHECKING:
    from slackwater.core.aggregate import WindowAggregateLogic
    from slackwater.core.algebra import Algebra
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

NUMBER = Max()  # a held window has one more state: the number of its next result


@dataclass(frozen=True, slots=True)
class Waiting:
    """Events that were set aside: those of the oldest panes first, then by arrival."""

    time: Times
    group: Rows
    inputs: tuple[Input, ...]

    @classmethod
    def none(cls) -> Waiting:
        """Nobody waits."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), ())

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, which: slice | Rows) -> Waiting:
        return Waiting(self.time[which], self.group[which], tuple(each[which] for each in self.inputs))

    def joined_by(self, other: Waiting, panes: Panes) -> Waiting:
        """Return both; events of one pane in the order in which they came."""
        if not len(self) or not len(other):
            return (self if len(self) else other)._in_order(panes)
        inputs = (_one_after_the_other(*pair) for pair in zip(self.inputs, other.inputs, strict=True))
        time, group = np.concatenate((self.time, other.time)), np.concatenate((self.group, other.group))
        return Waiting(time, group, tuple(inputs))._in_order(panes)

    def _in_order(self, panes: Panes) -> Waiting:
        return self[np.argsort(panes.of(self.time), kind="stable")]


@dataclass(frozen=True, slots=True)
class SidelinedState:
    """All that is remembered of a burst."""

    waiting: Waiting
    held: Cells | None = None  # by (window, group): closed but for events that wait; the last state is `NUMBER`
    came: Mapping[int, int] = field(default_factory=dict)  # how many events came to each open slide


class SidelinedLogic:
    """Holds the events that were set aside, and one cell for each closed window and group that waits for some."""

    def __init__(
        self,
        panes: Panes,
        functions: Sequence[Algebra],
        logic: WindowAggregateLogic,
        state: SidelinedState | None = None,
    ) -> None:
        self._panes, self._functions, self._logic = panes, (*functions, NUMBER), logic
        state = state or SidelinedState(Waiting.none())
        self._waiting, self._held, self._came = state.waiting, state.held, dict(state.came)

    def __len__(self) -> int:
        return len(self._waiting)

    def work_off(self, count: int) -> tuple[Cells, Rows] | None:
        """Take in the oldest events that wait; return the windows that are final by that, and their numbers."""
        if not count:
            return None
        now, self._waiting = self._waiting[:count], self._waiting[count:]
        cells = Cells.of(self._functions[:-1], self._panes.of(now.time), now.group, now.inputs)
        self._hold(self._logic.take_back(cells), np.zeros(0, np.int64))
        return self._final()

    def crowded(self, arrivals: Arrivals, slack: Times, limit: int) -> Rows:
        """Return the positions of events that come to a slide after its first `limit` ones, and count all others.

        An event that missed one of its windows is taken in: what it is in time for has no simple name.
        """
        placed = Placed.of(self._panes, arrivals, slack, self._logic.closed_to)
        possible = np.delete(np.arange(len(placed.first)), placed.behind)
        order = stable_order(placed.first[possible])
        slides, start, count = np.unique(placed.first[possible][order], return_index=True, return_counts=True)
        before = np.array([self._came.get(slide, 0) for slide in slides.tolist()], np.int64)
        rank = np.empty(len(possible), np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(start - before, count)
        self._came |= dict(zip(slides.tolist(), (before + count).tolist(), strict=True))
        return possible[rank >= limit]

    def set_aside(self, chosen: Rows, time: Times, group: Rows, inputs: Sequence[Input]) -> None:
        """Remember events of a batch."""
        if len(chosen):
            new = Waiting(time[chosen], group[chosen], tuple(each[chosen] for each in inputs))
            self._waiting = self._waiting.joined_by(new, self._panes)

    def withhold(self, windows: Cells, number: Rows, final: Mask) -> Mask:
        """Hold windows that would be final but for events that wait; return which ones are final."""
        held = final & self._waited_for(windows.place)
        if held.any():
            which = np.flatnonzero(held)
            which = which[np.lexsort((windows.group[which], windows.place[which]))]
            self._hold(windows[which], number[which] + 1)
        return final & ~held

    def snapshot(self) -> SidelinedState:
        """Return all that is needed to go on: of slides, while events can come to all their windows."""
        opened = first_open_window(self._logic.closed_to, self._panes.slide)
        self._came = {slide: count for slide, count in self._came.items() if slide >= opened}
        return SidelinedState(self._waiting, self._held, self._came)

    def _hold(self, windows: Cells | None, number: Rows) -> None:
        """Add to held windows; what was set aside has no number."""
        if windows is not None and len(windows):
            number = number if len(number) else np.zeros(len(windows), np.int64)
            new = replace(windows, states=(*windows.states, (number, np.ones_like(number))))
            self._held = new if self._held is None else self._held.merged(new, self._functions)

    def _final(self) -> tuple[Cells, Rows] | None:
        """Return the held windows that wait for nobody any more, and forget them."""
        if self._held is None:
            return None
        open_still = self._waited_for(self._held.place)
        done, self._held = self._held[~open_still], self._held[open_still] if open_still.any() else None
        return (replace(done, states=done.states[:-1]), done.states[-1][0]) if len(done) else None

    def _waited_for(self, window: Rows) -> Mask:
        """Return which windows have events that wait."""
        if not len(self._waiting):
            return np.zeros(len(window), np.bool_)
        panes = np.unique(self._panes.of(self._waiting.time))
        nearest = np.searchsorted(self._panes.first_window(panes), window, side="right") - 1
        return np.asarray((nearest >= 0) & (self._panes.last_window(panes)[nearest] >= window))


def _one_after_the_other(first: Input, second: Input) -> Input:
    valid = None
    if first.valid is not None or second.valid is not None:
        both = (first, second)
        valid = np.concatenate([np.ones(len(e.values), np.bool_) if e.valid is None else e.valid for e in both])
    assert not isinstance(first.values, Lifted), "rows that may be set aside are not added up"
    assert not isinstance(second.values, Lifted), "rows that may be set aside are not added up"
    return Input(np.concatenate((first.values, second.values)), valid)
