"""The results of an aggregate as they leave, one after the other: final ones, and early ones if some are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.cells import Cells
from slackwater.pipeline.early_estimates import Estimates, joined_estimates

if TYPE_CHECKING:
    from slackwater.core.closing import Closed
    from slackwater.events import Rows
    from slackwater.time import Mask, Times

_COLUMNS = ("final", "number", "step", "clock")


@dataclass(frozen=True, slots=True)
class Emitted:
    """Windows and groups in the order in which they left, those that left together by (window, group)."""

    cells: Cells
    final: Mask
    number: Rows  # of the result among those of its window and group: 0, 1, ...
    step: Rows  # of the batch, after which it left
    clock: Times  # of the stream, when it left
    estimates: Estimates | None = None  # where early results are corrected: what is expected in the end

    @classmethod
    def of(cls, closed: Closed, *, step: int, clock: Times, estimates: Estimates | None = None) -> Emitted | None:
        """Return what left in the steps from `step` on; `clock` is that before the batch, then after each step."""
        if closed.windows is None:
            return None
        count = len(closed.windows)
        number = np.zeros(count, np.int64) if closed.number is None else closed.number
        steps = step + closed.step
        return cls(closed.windows, closed.final, number, steps, clock[steps + 1], estimates)

    @classmethod
    def concat(cls, parts: Sequence[Emitted]) -> Emitted | None:
        """Put results one after the other."""
        if len(parts) < 2:
            return parts[0] if parts else None
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS]
        estimates = joined_estimates([part.estimates for part in parts if part.estimates is not None])
        final, number, step, clock = columns
        return cls(Cells.concat([part.cells for part in parts]), final, number, step, clock, estimates)

    def __len__(self) -> int:
        return len(self.cells)
