"""The line of a figure as SVG: to a tenth of a pixel, and without points that nobody could see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

import numpy as np

Point: TypeAlias = tuple[float, float]

_UNSEEN = 0.6  # pixels that a line may be off


def path_of(points: Sequence[Point | None]) -> str:
    """Write a line; None is a gap.

    >>> path_of([(0, 5), (1, 5), (2, 5.1), (3, 9), None, (5, 5)])
    'M0 5 2 5.1 3 9M5 5'
    """
    stretches = [[each for each in own if each] for there, own in groupby(points, key=bool) if there]
    return "".join("M" + " ".join(f"{_pixel(x)} {_pixel(y)}" for x, y in seen(stretch)) for stretch in stretches)


def seen(points: Sequence[Point]) -> Iterator[Point]:
    """Yield the points that make the line what it is (Douglas and Peucker). O(n log n) mostly, O(n²) at worst."""
    places = np.asarray(points, np.float64).reshape(-1, 2)
    kept, open_parts = {0, len(points) - 1}, [(0, len(points) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        off = _off(places[first + 1 : last], places[first], places[last])
        if off.max() > _UNSEEN:
            middle = first + 1 + int(off.argmax())
            kept.add(middle)
            open_parts += [(first, middle), (middle, last)]
    yield from (points[place] for place in sorted(kept) if place >= 0)


def _off(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return how far points are from a line between two, in pixels up or down."""
    wide = end[0] - start[0]
    along = (points[:, 0] - start[0]) / wide if wide else np.zeros(len(points))
    return np.asarray(np.abs(points[:, 1] - (start[1] + along * (end[1] - start[1]))))


def _pixel(place: float) -> str:
    """Write a place to a tenth of a pixel.

    >>> _pixel(12.04), _pixel(0.3)
    ('12', '.3')
    """
    return f"{place:.1f}".removesuffix(".0").removeprefix("0") or "0"
