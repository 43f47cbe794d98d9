"""Number columns of estimators: adding columns of unequal lengths, and packing them into a snapshot."""

from __future__ import annotations

import base64
import zlib
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)


def add(one: npt.NDArray[Number], other: npt.NDArray[Any]) -> npt.NDArray[Number]:
    """Return the sum of two columns, as long as the longer one and of the type of the first.

    >>> add(np.array([1, 2]), np.array([10, 10, 10])).tolist()
    [11, 12, 10]
    """
    total: npt.NDArray[Any] = np.zeros(max(len(one), len(other)), one.dtype)
    total[: len(one)] = one
    total[: len(other)] += other
    return total


def added(total: Floats, more: npt.NDArray[Any]) -> Floats:
    """Add a column to one of the caller's own: in place where that is long enough.

    >>> added(np.ones(1), np.ones(2)).tolist()
    [2.0, 1.0]
    """
    if len(more) > len(total):
        return add(total, more)
    total[: len(more)] += more
    return total


def pack(column: npt.NDArray[Any]) -> str:
    """Return a column as text that JSON can hold. Most columns here are mostly zeros, so it is compressed.

    >>> unpack(pack(np.array([1, 0, 0])), np.int64).tolist()
    [1, 0, 0]
    """
    return base64.b64encode(zlib.compress(np.ascontiguousarray(column).tobytes(), 1)).decode("ascii")


def unpack(text: str, dtype: type[Number]) -> npt.NDArray[Number]:
    """Return the column that was packed, to be changed at will."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype).copy()
