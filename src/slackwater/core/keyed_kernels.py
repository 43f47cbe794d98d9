"""K-slack for each key, one event at a time: the compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.compiled import compiled
from slackwater.core.heaps import ARRIVAL, KEY, NONE, ROW, SIBLING, TIME, pop, push
from slackwater.time import clock_grew, is_late, is_released, release_horizon

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

# The rules of time for one event; they are typed for columns.
_clock_grew: Any = compiled(clock_grew)
_is_late: Any = compiled(is_late)
_is_released: Any = compiled(is_released)
_release_horizon: Any = compiled(release_horizon)


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

    Return the first free node, and how many left: they are in `out` by step, and those of a step key by key.
    """
    count = step = first = 0
    while first < len(key):
        stop = _end_of_step(arrival, first)
        for i in range(first, stop):
            _move_clock(key[i], time[i], keys)
            free = _put(key[i], time[i], arrival[i], row[i], keys, nodes, free)
        for i in range(first, stop):
            if _may_release(key[i], by_clock, keys):
                free, count = _release(key[i], slack[step], step, keys, nodes, free, out, count)
        first, step = stop, step + 1
    return free, count


@compiled
def _end_of_step(arrival: Times, first: int) -> int:
    stop = first + 1
    while stop < len(arrival) and arrival[stop] == arrival[first]:
        stop += 1
    return stop


@compiled
def _move_clock(key: int, time: int, keys: Table) -> None:
    if not keys[key, TOUCHED]:
        keys[key, TOUCHED] = 1
        keys[key, BEFORE] = keys[key, CLOCK]
    keys[key, CLOCK] = max(keys[key, CLOCK], time)


@compiled
def _may_release(key: int, by_clock: bool, keys: Table) -> bool:
    """Ask once for each key of a step."""
    asked = keys[key, TOUCHED] == 1
    keys[key, TOUCHED] = 0
    return asked and (not by_clock or _clock_grew(keys[key, CLOCK], keys[key, BEFORE]))


@compiled
def _put(key: int, time: int, arrival: int, row: int, keys: Table, nodes: Table, free: int) -> int:
    following: int = nodes[free, SIBLING]
    nodes[free, TIME], nodes[free, ARRIVAL], nodes[free, ROW], nodes[free, KEY] = time, arrival, row, key
    keys[key, ROOT] = push(nodes, keys[key, ROOT], free)
    keys[key, HELD] += 1
    return following


@compiled
def _release(
    key: int, slack: int, step: int, keys: Table, nodes: Table, free: int, out: Table, count: int
) -> tuple[int, int]:
    """Let a key's events leave up to its horizon; late are those behind what it had passed on before this step."""
    horizon, behind = _release_horizon(keys[key, CLOCK], slack), keys[key, PASSED_ON]
    root, before = keys[key, ROOT], count
    while root != NONE and _is_released(nodes[root, TIME], horizon):
        time = nodes[root, TIME]
        out[count, OUT_TIME], out[count, OUT_ARRIVAL], out[count, OUT_ROW] = (
            time,
            nodes[root, ARRIVAL],
            nodes[root, ROW],
        )
        out[count, OUT_STEP], out[count, OUT_LATE], out[count, OUT_BEHIND] = step, _is_late(time, behind), behind
        out[count, OUT_DELAY] = max(0, keys[key, BEFORE] - time)
        gone, root, count = root, pop(nodes, root), count + 1
        nodes[gone, ROW], nodes[gone, SIBLING] = NONE, free
        free = gone
    if count > before:
        keys[key, PASSED_ON] = max(behind, out[count - 1, OUT_TIME])
        keys[key, HELD] -= count - before
        keys[key, ROOT] = root
    return free, count
