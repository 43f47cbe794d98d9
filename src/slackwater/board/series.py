"""Points over time, few enough to draw: what falls into one bin becomes the least, the middle and the most of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Floats = npt.NDArray[np.float64]
MOST_POINTS = 240


def filled(column: pa.ChunkedArray[Any]) -> Floats:
    """Return a column as numbers; null is NaN."""
    known = column.cast(pa.float64()).to_pandas()  # whose floats have NaN for null
    return known.to_numpy(np.float64)


def binned(at: Floats, value: Floats, most: int = MOST_POINTS) -> dict[str, list[Any]]:
    """Return at most so many points of a series, in order of time; values that are NaN are left out. O(n log n).

    >>> binned(np.array([3.0, 1.0, 2.0]), np.array([5.0, np.nan, 4.0]))
    {'at': [2.0, 3.0], 'low': [4.0, 5.0], 'mid': [4.0, 5.0], 'high': [4.0, 5.0]}
    """
    known = np.isfinite(value) & np.isfinite(at)
    order = np.argsort(at[known], kind="stable")
    at, value = at[known][order], value[known][order]
    if not len(at):
        return {"at": [], "low": [], "mid": [], "high": []}
    if len(np.unique(at)) <= most:
        place = np.unique(at, return_inverse=True)[1]
    else:
        place = np.minimum((most * (at - at[0]) / (at[-1] - at[0])).astype(np.int64), most - 1)
    first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    last = np.append(first[1:], len(at)) - 1
    middle = [float(np.median(part)) for part in np.split(value, first[1:])]
    return {
        "at": at[last].tolist(),
        "low": np.minimum.reduceat(value, first).tolist(),
        "mid": middle,
        "high": np.maximum.reduceat(value, first).tolist(),
    }


def steps(at: Floats, value: Floats) -> dict[str, list[float]]:
    """Return a series by its changes, and its last point.

    >>> steps(np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 5.0, 7.0, 7.0]))
    {'at': [1.0, 3.0, 4.0], 'value': [5.0, 7.0, 7.0]}
    """
    known = np.isfinite(value) & np.isfinite(at)
    order = np.argsort(at[known], kind="stable")
    at, value = at[known][order], value[known][order]
    if not len(at):
        return {"at": [], "value": []}
    kept = np.append(True, value[1:] != value[:-1])
    kept[-1] = True
    return {"at": at[kept].tolist(), "value": value[kept].tolist()}
