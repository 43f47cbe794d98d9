"""How many rows a query sustains at a trigger, from what batches of two sizes take when one follows the other at once.

They say what a batch costs whatever its rows are, and what each row adds; the rows whose batch takes as long as the
trigger are the most that it can take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.micro_batches import STARTING


@dataclass(frozen=True)
class Blocks:
    """Batches of a size, then of another; the first of each are not counted, as windows fill up with its rows first."""

    sizes: tuple[int, int]
    filling: int
    counted: int

    def rows(self) -> list[int]:
        """Return the rows of each batch of a run, those in which everything starts too.

        >>> len(Blocks((10, 20), filling=1, counted=2).rows())
        10
        """
        small, large = self.sizes
        block = self.filling + self.counted
        return [small] * (STARTING + block) + [large] * block

    def cost(self, took: Sequence[int]) -> Cost:
        """Return what batches cost that took so many milliseconds, all of a run but those in which everything starts.

        >>> Blocks((1_000, 3_000), filling=1, counted=2).cost([900, 300, 300, 900, 500, 500])
        Cost(fixed=200.0, each=0.1)
        """
        block = self.filling + self.counted
        small, large = (float(np.median(took[end - self.counted : end])) for end in (block, 2 * block))
        each = (large - small) / (self.sizes[1] - self.sizes[0])
        if each <= 0:
            raise ValueError(
                f"batches of {self.sizes} rows took {small} and {large} ms: too few to tell what a row costs"
            )
        return Cost(small - self.sizes[0] * each, each)


@dataclass(frozen=True)
class Cost:
    """Milliseconds of a batch: whatever its rows are, and for each of them."""

    fixed: float
    each: float

    def sustained(self, trigger_ms: int) -> int | None:
        """Return the rows whose batch takes as long as the trigger; None where one without rows takes half of it.

        Half of the rows would keep such a query busy for three quarters of the time: the fixed price is what would be
        measured, and the small batches measure it.

        >>> Cost(fixed=200.0, each=0.1).sustained(1_000)
        8000
        >>> Cost(fixed=600.0, each=0.1).sustained(1_000)
        """
        return None if self.fixed >= trigger_ms / 2 else int((trigger_ms - self.fixed) / self.each)
