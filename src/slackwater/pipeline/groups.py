"""Groups as integers: the same code where all keys are equal; a null is a key like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from slackwater.core.segments import slots_of
from slackwater.pipeline.key_codes import encode_keys

if TYPE_CHECKING:
    from slackwater.events import Rows


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of some rows."""

    code: Rows  # of each row: 0, 1, ... without gaps
    row: Rows  # of each group, one row that has its keys

    @classmethod
    def of(cls, keys: Sequence[pa.ChunkedArray[Any]], rows: int) -> Groups:
        """Number the groups. O(rows).

        >>> groups = Groups.of([pa.chunked_array([["b", None, "b", "a"]])], 4)
        >>> groups.code.tolist(), groups.row.tolist()
        ([1, 0, 1, 2], [1, 2, 3])
        """
        if not keys or not rows:
            return cls(np.zeros(rows, np.int64), np.zeros(min(rows, 1), np.int64))
        codes = [encode_keys([key])[0][0] for key in keys]
        slot, position, slots = slots_of(codes)
        occurs = np.flatnonzero(position >= 0)
        if len(occurs) < slots:
            number = np.empty(slots, np.int64)
            number[occurs] = np.arange(len(occurs))
            slot = number[slot]
        return cls(slot, position[occurs])
