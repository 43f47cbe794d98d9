"""From panes to windows: every window combines the states of its panes, at a cost that does not grow with the overlap.

The panes of a group are cut into blocks of as many as a window has. A window then reaches over at most two blocks: the
end of one and the beginning of the next. So running combinations within blocks, forwards and backwards, give every
window with one more combination, whatever its size; nothing is ever subtracted, so that it works for a maximum too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.algebra import Algebra, State, scan, taken
from slackwater.core.cells import Cells
from slackwater.core.entries import chosen, replaced
from slackwater.core.segments import differs, stable_order

if TYPE_CHECKING:
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Mask


def windows_of(cells: Cells, panes: Panes, functions: Sequence[Algebra], *, start: int, stop: int) -> Cells:
    """Return the windows numbered [start, stop) that have events, from cells of panes, by (window, group).

    O(cells + results). `cells` must have all panes of these windows, and may have more.

    >>> from slackwater.core.algebra import Sum
    >>> from slackwater.core.panes import Panes
    >>> cells = Cells(np.array([10, 11, 12]), np.zeros(3, np.int64), ((np.array([75, 75, 60]), np.ones(3, np.int64)),))
    >>> found = windows_of(cells, Panes(60, 20), [Sum()], start=10, stop=13)
    >>> found.place.tolist(), found.states[0][0].tolist()
    ([10, 11, 12], [75, 150, 210])
    """
    first, last = panes.first_window(cells.place), panes.last_window(cells.place)
    if panes.per_window == 1:
        return cells[(first >= start) & (first < stop)]
    cells = cells[(first < stop) & (last >= start)]
    first, last = panes.first_window(cells.place), panes.last_window(cells.place)
    return _rolled(cells, first, last, cells.place // panes.per_window, functions, start, stop)


def rolled_around(
    before: Cells | None,
    shared: Cells | None,
    after: Cells | None,
    panes: Panes,
    functions: Sequence[Algebra],
    *,
    start: int,
    stop: int,
) -> Cells | None:
    """Return the windows [start, stop) from panes before and after a piece that all of them share, combined.

    O(cells + results): the length of the shared piece costs nothing.
    """
    parts = [(part, number) for number, part in enumerate((before, shared, after)) if part is not None and len(part)]
    if not parts:
        return None
    cells = Cells.concat([part for part, _ in parts])
    which = np.repeat([number for _, number in parts], [len(part) for part, _ in parts])
    first = np.where(which == 2, panes.first_window(cells.place), start)
    last = np.where(which == 0, panes.last_window(cells.place), stop - 1)
    return _rolled(cells, first, last, np.minimum(which, 1), functions, start, stop)


def _rolled(
    cells: Cells, first: Rows, last: Rows, block: Rows, functions: Sequence[Algebra], start: int, stop: int
) -> Cells:
    """Combine the cells of each window and group, given the first and last window of each cell and its block.

    A window reaches over at most two blocks; over one of them only from its beginning, or to its end.
    """
    order = stable_order(cells.group)
    cells, first, last, block = cells[order], first[order], last[order], block[order]
    window, low, high = _covered(cells.group, first, last, start, stop)
    group = cells.group[low]
    order = stable_order(window)
    rolled = _combined(cells, block, functions, low[order], high[order])
    return Cells(window[order], group[order], rolled)


def _combined(cells: Cells, block: Rows, functions: Sequence[Algebra], low: Rows, high: Rows) -> tuple[State, ...]:
    """Combine the cells `low` to `high` (both included) of every window, which all are of one group."""
    begins = differs(block) | differs(cells.group)
    ends = np.append(begins[1:], True)[: len(begins)]
    segment = np.cumsum(begins)
    apart = np.flatnonzero(segment[low] != segment[high])
    from_start = begins[low]  # in one block only: then it begins where the block does, or ends where the block does
    return tuple(
        _of_windows(function, state, begins, ends, low, high, from_start, apart)
        for function, state in zip(functions, cells.states, strict=True)
    )


def _of_windows(
    function: Algebra, state: State, begins: Mask, ends: Mask, low: Rows, high: Rows, from_start: Mask, apart: Rows
) -> State:
    forwards = scan(function, state, begins)
    backwards = taken(scan(function, taken(state, slice(None, None, -1)), ends[::-1]), slice(None, None, -1))
    out = (chosen(from_start, f[high], b[low]) for f, b in zip(forwards, backwards, strict=True))
    both = function.combine(taken(backwards, low[apart]), taken(forwards, high[apart]))
    return tuple(replaced(column, apart, new) for column, new in zip(out, both, strict=True))


@compiled
def _covered(group: Rows, first: Rows, last: Rows, start: int, stop: int) -> tuple[Rows, Rows, Rows]:
    """Return the windows that have cells, group by group, and the first and last cell of each."""
    count = 0
    done = start
    for i in range(len(group)):
        if i == 0 or group[i] != group[i - 1]:
            done = start
        done = max(done, first[i])
        upto = min(last[i] + 1, stop)
        if upto > done:
            count += upto - done
            done = upto
    window, low, high = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    at, begin, end = 0, 0, 0
    for i in range(len(group)):
        if i == 0 or group[i] != group[i - 1]:
            done, begin, end = start, i, i
        done = max(done, first[i])
        upto = min(last[i] + 1, stop)
        while done < upto:
            while last[begin] < done:
                begin += 1
            end = max(end, i)
            while end + 1 < len(group) and group[end + 1] == group[i] and first[end + 1] <= done:
                end += 1
            window[at], low[at], high[at] = done, begin, end
            at += 1
            done += 1
    return window, low, high
