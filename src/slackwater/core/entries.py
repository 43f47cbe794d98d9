"""Entries of columns moved about: the same for arrays and for ragged columns, which nobody else has to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.ragged import Ragged

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask


def concatenated(columns: Sequence[Any]) -> Any:
    """Put columns one after the other; there must be one."""
    if len(columns) == 1:
        return columns[0]
    return Ragged.concat(columns) if isinstance(columns[0], Ragged) else np.concatenate(columns)


def replaced(column: Any, at: Rows, new: Any) -> Any:
    """Return a column with new entries at these places.

    >>> replaced(np.array([1, 2, 3]), np.array([2, 0]), np.array([7, 8])).tolist()
    [8, 2, 7]
    """
    if not isinstance(column, Ragged):
        out = column.copy()
        out[at] = new
        return out
    source = np.arange(len(column))
    source[at] = len(column) + np.arange(len(at))
    return Ragged.concat([column, new])[source]


def chosen(which: Mask, left: Any, right: Any) -> Any:
    """Return the entries of `left` where `which` says so, and those of `right` elsewhere.

    >>> chosen(np.array([True, False]), np.array([1, 2]), np.array([7, 8])).tolist()
    [1, 8]
    """
    if not isinstance(left, Ragged):
        return np.where(which, left, right)
    index = np.arange(len(left))
    return Ragged.concat([left, right])[np.where(which, index, len(left) + index)]
