"""The levels of a plan of aggregates: what leaves the first one, taken up to the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.closing import Closed
from slackwater.core.leading import is_leading
from slackwater.plan.levels import handing_over
from slackwater.time import last_closed_end

if TYPE_CHECKING:
    from slackwater.core.aggregate import WindowAggregateLogic
    from slackwater.core.cells import Cells
    from slackwater.core.prods import Ask
    from slackwater.pipeline.marks import Mark
    from slackwater.pipeline.upper import Upper
    from slackwater.plan.nodes import AggregateNode

_NONE = np.empty(0, np.int64)
_NOTHING = Closed(None, _NONE, None, np.empty(0, np.bool_), _NONE, _NONE, _NONE)


class Tower:
    """Passes results from level to level. With one level it passes everything through."""

    def __init__(self, node: AggregateNode, first: WindowAggregateLogic, uppers: Sequence[Upper]) -> None:
        self._first, self._uppers = first, uppers
        self._slide = node.panes.slide
        self._handing_over = handing_over(node)
        self._node = node

    def on_closed(self, closed: Closed) -> Closed:
        """Return the windows of the last level that close because windows of the first did."""
        closed_end, ends = self._first.closed_end, last_closed_end(closed.reached, self._first.slide)
        for upper in self._uppers:
            if closed.windows is not None:
                upper.take_in(closed.windows)
            above = upper.close(closed_end) if closed_end > upper.closed_end else _NOTHING
            above, ends = upper.steps_of(above, ends)
            closed, closed_end = replace(above, late=closed.late, late_behind=closed.late_behind), upper.closed_end
        return self._leading(closed)

    def on_prod(self, asks: Sequence[Ask]) -> tuple[Closed, list[int]]:
        """Sweep the plan: each level shows its open windows to the next, or hands over what they have."""
        if not self._uppers:
            return self._first.on_prod(asks)
        *lower, top = self._uppers
        below = [asks]
        for upper in reversed(self._uppers):
            below.insert(0, upper.asks_below(below[0]))
        shown = self._swept(self._first, below[0], above=self._uppers[0], level=0)
        for level, upper in enumerate(lower, start=1):
            shown = self._swept_upper(upper, shown, below[level], above=self._uppers[level], level=level)
        return top.show(asks, shown)

    def on_end(self) -> Closed:
        """Drain level by level; what could only come to windows that are closed by then is late from now on."""
        closed = self._first.on_end()
        for upper in self._uppers:
            if closed.windows is not None:
                upper.take_in(closed.windows)
            closed = upper.on_end()
        levels: list[WindowAggregateLogic | Upper] = [self._first, *self._uppers]
        for below, above in zip(levels[-2::-1], levels[:0:-1], strict=True):
            below.close_until(above.open_from)
        return self._leading(closed)

    def ask_of(self, mark: Mark) -> Ask:
        """Return what a prod asks of the last level."""
        return mark.ask(self._slide)

    def _leading(self, closed: Closed) -> Closed:
        """Keep the groups that lead, where only these are asked for: all groups of a window close at once."""
        windows = closed.windows
        if self._node.top is None or windows is None:
            return closed
        count, of = self._node.top
        place = [name for name, _ in self._node.values].index(of)
        values, valid = self._node.values[place][1].algebra.lower(windows.states[place])
        kept = is_leading(windows.place, values, valid, count)
        left = windows[kept] if kept.any() else None
        return replace(closed, windows=left, step=closed.step[kept], final=closed.final[kept])

    def _swept(self, first: WindowAggregateLogic, asks: Sequence[Ask], above: Upper, level: int) -> Cells | None:
        if level >= self._handing_over:
            return first.on_prod(asks)[0].windows
        handed = first.hand_over(max(ask.last for ask in asks))
        if handed is not None:
            above.take_in(handed)
        return None

    def _swept_upper(
        self, upper: Upper, shown: Cells | None, asks: Sequence[Ask], above: Upper, level: int
    ) -> Cells | None:
        if level >= self._handing_over:
            return upper.show(asks, shown)[0].windows
        handed = upper.hand_over(asks)
        if handed is not None:
            above.take_in(handed)
        return None
