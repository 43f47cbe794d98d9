"""Cells of sums, written and read as triples."""

from __future__ import annotations

import numpy as np

from slackwater.core.cells import Cells


def cells(*each: tuple[int, int, int]) -> Cells:
    """Cells of (pane or window, group, sum)."""
    place, group, value = np.array(each, np.int64).reshape(-1, 3).T
    return Cells(place, group, ((value, np.ones(len(value), np.int64)),))


def triples(found: Cells | None) -> list[tuple[int, int, int]]:
    """Return the (pane or window, group, sum) of cells."""
    if found is None:
        return []
    return list(zip(found.place.tolist(), found.group.tolist(), found.states[0][0].tolist(), strict=True))
