"""K-slack for each key, one event at a time: the compiled loops. What is released and what is late: as in `time.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.compiled import compiled
from slackwater.core.heaps import ARRIVAL, KEY, NONE, ROW, SIBLING, TIME, pop, push

if TYPE_CHECKING:
    import numpy.typing as npt

    from slackwater.events import Rows
    from slackwater.time import Times

    Table = npt.NDArray[np.int64]

CLOCK, PASSED_ON, HELD, ROOT, BEFORE, TOUCHED = range(6)  # of a key; the last two only while a step runs

# Columns of what left: of the event, the step at which it left, whether it was late, what its key had passed on
# before that step, and how far the key's clock was ahead of it before that step.
OUT_TIME, OUT_ARRIVAL, OUT_ROW, OUT_STEP, OUT_LATE, OUT_BEHIND, OUT_DELAY = range(7)
OUT_FIELDS = 7


@compiled
def take_in(key: Rows, time: Times, arrival: Times, row: Rows, keys: Table, nodes: Table, free: int) -> int:
    """Put events into the heaps of their keys; return the first free node."""
    for i in range(len(key)):
        free = _put(key[i], time[i], arrival[i], row[i], keys, nodes, free)
    return free


@compiled
def delays(key: Rows, time: Times, arrival: Times, clock: Times) -> Times:
    """Return how far each event is behind its key's clock before its step; moves the clocks."""
    delay = np.empty(len(key), np.int64)
    first = 0
    while first < len(key):
        stop = _end_of_step(arrival, first)
        for i in range(first, stop):
            delay[i] = max(0, clock[key[i]] - time[i])
        for i in range(first, stop):
            clock[key[i]] = max(clock[key[i]], time[i])
        first = stop
    return delay


@compiled
def run_steps(
    key: Rows,
    time: Times,
    arrival: Times,
    row: Rows,
    slack: Times,
    by_clock: bool,
    keys: Table,
    nodes: Table,
    free: int,
    out: Table,
) -> tuple[int, int]:
    """Take in events step by step and release what the horizon of their keys reaches.

    Return the first free node and how many left: they are in `out`, by step.
    """
    count = step = first = 0
    while first < len(key):
        stop = _end_of_step(arrival, first)
        for i in range(first, stop):
            _move_clock(keys[key[i]], time[i])
            free = _put(key[i], time[i], arrival[i], row[i], keys, nodes, free)
        for i in range(first, stop):
            each = keys[key[i]]
            if each[TOUCHED] and not (by_clock and each[CLOCK] == each[BEFORE]):
                free, count = _release(each, each[CLOCK] - slack[step], step, nodes, free, out, count)
            each[TOUCHED] = 0
        first, step = stop, step + 1
    return free, count


@compiled
def _end_of_step(arrival: Times, first: int) -> int:
    stop = first + 1
    while stop < len(arrival) and arrival[stop] == arrival[first]:
        stop += 1
    return stop


@compiled
def _move_clock(key: Times, time: int) -> None:
    if not key[TOUCHED]:
        key[TOUCHED] = 1
        key[BEFORE] = key[CLOCK]
    key[CLOCK] = max(key[CLOCK], time)


@compiled
def _put(key: int, time: int, arrival: int, row: int, keys: Table, nodes: Table, free: int) -> int:
    node = nodes[free]
    following = node[SIBLING]
    node[TIME], node[ARRIVAL], node[ROW], node[KEY] = time, arrival, row, key
    keys[key, ROOT] = push(nodes, keys[key, ROOT], free)
    keys[key, HELD] += 1
    return following


@compiled
def _release(
    key: Times, horizon: int, step: int, nodes: Table, free: int, out: Table, count: int
) -> tuple[int, int]:
    """Let a key's events leave up to the horizon; late are those behind what it had passed on before this step."""
    behind, root = key[PASSED_ON], key[ROOT]
    while root != NONE and nodes[root, TIME] <= horizon:
        node, line = nodes[root], out[count]
        line[OUT_TIME], line[OUT_ARRIVAL], line[OUT_ROW] = node[TIME], node[ARRIVAL], node[ROW]
        line[OUT_STEP], line[OUT_LATE] = step, node[TIME] < behind
        line[OUT_BEHIND], line[OUT_DELAY] = behind, max(0, key[BEFORE] - node[TIME])
        key[PASSED_ON] = max(key[PASSED_ON], node[TIME])
        key[HELD] -= 1
        gone, root = root, pop(nodes, root)
        node[ROW], node[SIBLING] = NONE, free
        free, count = gone, count + 1
    key[ROOT] = root
    return free, count
