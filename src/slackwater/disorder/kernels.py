"""The loops over events of a profile, compiled: one over all events, one over the streams or keys they are of.

All events with equal `arrival` are one step; delays are measured against the clock before the step, so that nothing
here depends on the order within a step, nor on where a batch ends. `NONE` is the clock before the first event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.compiled import compiled
from slackwater.estimate.kernels import bin_of_one
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from slackwater.time import Times

    Counts = npt.NDArray[np.int64]

NONE = BEFORE_ALL_TIME
MOST_SLICES = 128

# Places in the state of all events
CLOCK, BEFORE, LAST_ARRIVAL, STEPS, FIRST_CLOCK, FIRST_ROWS, WIDTH, LARGEST = range(8)
STATE_SIZE = 8

# Places in the state of a part
P_CLOCK, P_BEFORE, P_STEP, P_ROWS, P_LEAST, OWN_LARGEST, BEHIND_LARGEST, SKEW_LARGEST, OWN_OUT, BEHIND_OUT, SKEW_OUT = (
    range(11)
)
PART_SIZE = 11


@compiled
def add_gap(gaps: Counts, start: int, length: int) -> None:
    """Put a silence of the clock among the longest ones, if it is one: sorted by length, the earlier first."""
    place = len(gaps)
    while place > 0 and length > gaps[place - 1, 1]:
        place -= 1
    for after in range(len(gaps) - 1, place, -1):
        gaps[after, 0], gaps[after, 1] = gaps[after - 1, 0], gaps[after - 1, 1]
    if place < len(gaps):
        gaps[place, 0], gaps[place, 1] = start, length


@compiled
def coarsen(counts: Counts, first: int, width: int, wider: int) -> None:
    """Put the slices of a width together to those of a wider one, which is a multiple of it."""
    offset, wide_offset = first // width, first // wider
    for number in range(len(counts)):
        target = ((offset + number) * width) // wider - wide_offset
        if target != number:
            for each in range(counts.shape[1]):
                counts[target, each] += counts[number, each]
                counts[number, each] = 0


@compiled
def slice_of(clock: int, state: Counts, counts: Counts, widths: Counts) -> int:
    """Return the slice that a clock is in; slices grow wider until there are few enough."""
    first = state[FIRST_CLOCK]
    while clock // widths[state[WIDTH]] - first // widths[state[WIDTH]] >= len(counts):
        coarsen(counts, first, widths[state[WIDTH]], widths[state[WIDTH] + 1])
        state[WIDTH] += 1
    return int(clock // widths[state[WIDTH]] - first // widths[state[WIDTH]])


@compiled
def close_step(state: Counts, gaps: Counts) -> None:
    """Let the clock before the next step be the clock after this one."""
    clock, before = state[CLOCK], state[BEFORE]
    if before == NONE:
        state[FIRST_CLOCK] = clock
    elif clock - before > gaps[len(gaps) - 1, 1]:
        add_gap(gaps, before, clock - before)
    state[BEFORE] = clock


@compiled
def follow(
    times: Times, arrivals: Times, state: Counts, counts: Counts, gaps: Counts, widths: Counts, before_each: Times
) -> None:
    """Count the delays of a batch by slice and bin; `before_each`, if not empty, gets the clock before each event."""
    row_is_step, place, end = len(arrivals) == 0, 0, NONE
    for row in range(len(times)):
        if row_is_step or state[STEPS] == 0 or arrivals[row] != state[LAST_ARRIVAL]:
            if state[CLOCK] != NONE:
                close_step(state, gaps)
            state[STEPS] += 1
            if not row_is_step:
                state[LAST_ARRIVAL] = arrivals[row]
        time, before = times[row], state[BEFORE]
        if time > state[CLOCK]:
            state[CLOCK] = time
        if len(before_each):
            before_each[row] = before
        if before == NONE:
            state[FIRST_ROWS] += 1
            continue
        if before >= end:
            place = slice_of(before, state, counts, widths)
            end = (before // widths[state[WIDTH]] + 1) * widths[state[WIDTH]]
        delay = before - time
        if delay > state[LARGEST]:
            state[LARGEST] = delay
        counts[place, bin_of_one(delay)] += 1


@compiled
def follow_parts(
    times: Times, arrivals: Times, before_each: Times, codes: Times, first_row: int, parts: Counts, counts: Counts
) -> None:
    """Count the delays of a batch by part, against the part's own clock and the clock of all, and how these differ.

    `counts` is by part, kind (own, behind, skew) and bin; parts past its length have sums only.
    """
    row_is_step = len(arrivals) == 0
    for row in range(len(times)):
        part = codes[row]
        if part < 0:
            continue
        step = first_row + row if row_is_step else arrivals[row]
        state = parts[part]
        if state[P_ROWS] == 0 or step != state[P_STEP]:
            state[P_BEFORE], state[P_STEP] = state[P_CLOCK], step
        time, of_all, of_part = times[row], before_each[row], state[P_BEFORE]
        state[P_CLOCK] = max(state[P_CLOCK], time)
        state[P_LEAST] = min(state[P_LEAST], time)
        state[P_ROWS] += 1
        for kind in range(3):
            delay = (of_part if kind == 0 else of_all) - (time if kind < 2 else max(time, of_part))
            if delay > 0:
                state[OWN_OUT + kind] += 1
                state[OWN_LARGEST + kind] = max(state[OWN_LARGEST + kind], delay)
            if part < len(counts):
                counts[part, kind, bin_of_one(delay)] += 1


def empty_state(clock: int | None = None) -> Any:
    """Return the state before the first event, or before the first one after others that left the clock there."""
    import numpy as np

    state = np.zeros(STATE_SIZE, np.int64)
    state[[CLOCK, BEFORE, FIRST_CLOCK]] = NONE if clock is None else clock
    return state
