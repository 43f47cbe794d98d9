"""Rows of features with what was measured for them: what a predictor is trained from."""

from __future__ import annotations

from typing import Any

import numpy as np

from slackwater.estimate.arrays import Floats, pack, unpack


class Samples:
    """Remembers the last `most` rows; each ends with the values that are to be predicted.

    >>> recent = Samples(columns=2, most=2)
    >>> for value in (1.0, 2.0, 3.0):
    ...     recent.update([value, 10 * value])
    >>> recent.get().tolist()
    [[2.0, 20.0], [3.0, 30.0]]
    """

    def __init__(self, columns: int, most: int, state: str | None = None) -> None:
        self._columns, self._most = columns, most
        rows = np.empty((0, columns)) if state is None else unpack(state, np.float64).reshape(-1, columns)
        self._rows: list[Floats] = list(rows[-most:])

    def update(self, row: Any) -> None:
        """Take in a row."""
        self._rows.append(np.asarray(row, np.float64))
        del self._rows[: -self._most]

    def get(self) -> Floats:
        """Return all rows, oldest first."""
        return np.array(self._rows).reshape(-1, self._columns)

    def __len__(self) -> int:
        return len(self._rows)

    def snapshot(self) -> str:
        """Return the rows as text that JSON can hold."""
        return pack(self.get())
