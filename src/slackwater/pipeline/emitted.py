"""The results of an aggregate as they leave, one after the other: final ones, and early ones if some are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.cells import Cells

if TYPE_CHECKING:
    from slackwater.core.closing import Closed
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Emitted:
    """Windows and groups in the order in which they left, those that left together by (window, group)."""

    cells: Cells
    final: Mask
    number: Rows  # of the result among those of its window and group: 0, 1, ...
    step: Rows  # of the batch, after which it left
    clock: Times  # of the stream, when it left

    @classmethod
    def of(cls, closed: Closed, *, step: int, clock: Times) -> Emitted | None:
        """Return what left in the steps from `step` on; `clock` is that before the batch, then after each step."""
        if closed.windows is None:
            return None
        count = len(closed.windows)
        number = np.zeros(count, np.int64) if closed.number is None else closed.number
        steps = step + closed.step
        return cls(closed.windows, closed.final, number, steps, clock[steps + 1])

    @classmethod
    def concat(cls, parts: Sequence[Emitted]) -> Emitted | None:
        """Put results one after the other."""
        if len(parts) < 2:
            return parts[0] if parts else None
        return cls(
            Cells.concat([part.cells for part in parts]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("final", "number", "step", "clock")),
        )

    def __len__(self) -> int:
        return len(self.cells)
