"""The order in which events of several streams leave: by what makes them leave, event time, stream, arrival."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.events import Tagged
    from slackwater.time import Times


def leaving_order(first: Times, events: Tagged) -> npt.NDArray[np.intp]:
    """Return the order by (first, event time, stream, arrival).

    A stable sort of few runs nearly settles it, and what is left are a few neighbors to change places; where they are
    many, all columns are sorted. O(n log n).

    >>> from slackwater.events import Tagged
    >>> leaving_order(np.array([1, 1, 0]), Tagged.of([(1, 7), (0, 7), (0, 9)])).tolist()
    [2, 1, 0]
    """
    order = np.argsort(first, kind="stable")
    columns = first, events.time, events.stream, events.arrival
    return order if _settle(order, *columns) else np.lexsort(columns[::-1])


def merging_order(first: Times, events: Tagged, edges: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return the same order for events in runs, each of which is in that order; O(n runs).

    >>> from slackwater.events import Tagged
    >>> merging_order(np.array([0, 1, 1]), Tagged.of([(0, 9), (0, 7), (1, 7)]), [0, 2, 3]).tolist()
    [0, 1, 2]
    """
    order: npt.NDArray[np.intp] = _merge(np.array(edges), first, events.time, events.stream, events.arrival)
    return order


@compiled
def _merge(edges: Any, first: Any, time: Any, stream: Any, arrival: Any) -> Any:
    order, at = np.empty(len(first), np.intp), edges[:-1].copy()
    for position in range(len(order)):
        best = -1
        for run in range(len(at)):
            if at[run] < edges[run + 1] and (best < 0 or _is_before(at[run], at[best], first, time, stream, arrival)):
                best = run
        order[position] = at[best]
        at[best] += 1
    return order


@compiled
def _settle(order: Any, first: Any, time: Any, stream: Any, arrival: Any) -> bool:
    """Let neighbors change places until all are in order; give up after as many changes as there are events."""
    left = len(order)
    for position in range(1, len(order)):
        moving, to = order[position], position
        while to > 0 and _is_before(moving, order[to - 1], first, time, stream, arrival):
            order[to] = order[to - 1]
            to -= 1
            left -= 1
            if left < 0:
                return False
        order[to] = moving
    return True


@compiled
def _is_before(a: Any, b: Any, first: Any, time: Any, stream: Any, arrival: Any) -> Any:
    if first[a] != first[b]:
        return first[a] < first[b]
    if time[a] != time[b]:
        return time[a] < time[b]
    if stream[a] != stream[b]:
        return stream[a] < stream[b]
    return arrival[a] < arrival[b]
