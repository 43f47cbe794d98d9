"""When a level is reached for the first time from some point on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


def first_reaching(values: Times, *, start: Rows, target: Times) -> Rows:
    """Return the first position >= `start` whose value is >= `target`, `len(values)` where there is none.

    `values` may rise and fall. O(n + q log n) for q questions, by climbing and descending a tree of block maxima
    with all questions at once.

    >>> first_reaching(np.array([3, 1, 2, 5]), start=np.array([0, 1, 1, 0]), target=np.array([2, 2, 4, 9])).tolist()
    [0, 2, 3, 4]
    """
    levels = _block_maxima(values)
    block, height, open_ = (
        start.astype(np.int64),
        np.zeros(len(start), np.int64),
        np.ones(len(start), np.bool_),
    )
    for level, maxima in enumerate(levels):
        _climb(maxima, level, block, height, open_, target)
    for level in range(len(levels) - 1, 0, -1):
        _descend(levels[level - 1], level, block, height, target)
    return np.where(open_, len(values), block)


def _block_maxima(values: Times) -> list[Times]:
    levels = [values]
    while len(levels[-1]) > 1:
        below = levels[-1]
        if len(below) % 2:
            below = np.append(below, below[-1:])
        levels.append(np.maximum(below[::2], below[1::2]))
    return levels


def _climb(maxima: Times, level: int, block: Rows, height: Rows, open_: Mask, target: Times) -> None:
    """Settle the questions that this level's block answers; the others move on to the blocks right of it."""
    asked = np.flatnonzero(open_)
    at = block[asked]
    inside = at < len(maxima)
    hit = np.zeros(len(asked), np.bool_)
    hit[inside] = maxima[at[inside]] >= target[asked[inside]]
    settled, missed = asked[hit], asked[~hit]
    open_[settled] = False
    height[settled] = level
    block[missed] = (block[missed] + 1) // 2


def _descend(below: Times, level: int, block: Rows, height: Rows, target: Times) -> None:
    asked = np.flatnonzero(height == level)
    left = block[asked] * 2
    in_left = below[left] >= target[asked]
    block[asked] = np.where(in_left, left, left + 1)
    height[asked] = level - 1
