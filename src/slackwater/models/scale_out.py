"""What more executors give: batches take a fixed time, a time per row that nobody shares, and one that executors share.

    seconds(n executors, r rows) = fixed + serial r + parallel r / min(n, buckets)

*Fixed* is planning, starting tasks, commits and checkpoints; *serial* what the driver and a single order do for each
row; *parallel* reading, packing, the operator in its buckets, and writing. Assumed: buckets are equally large and each
is one task, executors have a core each and are alike, nothing else is shared between them (network, disk), and the
time per row does not depend on how many rows a batch has. Where executors share cores with each other and the driver,
what they wait for each other counts as serial, which is then too large; on one machine there is no network to wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats

PARTS = ("fixed", "serial", "parallel")


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch took."""

    executors: int
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ScaleOut:
    """What a batch costs, in seconds: for itself, and for each row.

    >>> model = ScaleOut(fixed=1.0, serial=1e-6, parallel=9e-6)
    >>> [round(model.rows_per_second(executors, rows=1_000_000)) for executors in (1, 2, 8)]
    [90909, 153846, 320000]
    >>> round(model.at_most(rows=1_000_000)), model.bottleneck(executors=16, rows=1_000_000)
    (500000, 'fixed')
    """

    fixed: float
    serial: float
    parallel: float

    def shares(self, executors: int, rows: int, buckets: int | None = None) -> dict[str, float]:
        """Return which share of a batch each part takes. As many buckets as executors, unless given."""
        working = executors if buckets is None else min(executors, buckets)
        parts = (self.fixed, self.serial * rows, self.parallel * rows / working)
        return {name: part / sum(parts) for name, part in zip(PARTS, parts, strict=True)}

    def seconds(self, executors: int, rows: int, buckets: int | None = None) -> float:
        """Return how long a batch takes. Executors beyond the number of buckets have nothing to do."""
        working = executors if buckets is None else min(executors, buckets)
        return self.fixed + self.serial * rows + self.parallel * rows / working

    def rows_per_second(self, executors: int, rows: int, buckets: int | None = None) -> float:
        """Return the rows that batches of a size take in a second."""
        return rows / self.seconds(executors, rows, buckets)

    def at_most(self, rows: int) -> float:
        """Return what any number of executors stays below; infinite where nothing but they takes time."""
        alone = self.fixed + self.serial * rows
        return rows / alone if alone else float("inf")

    def bottleneck(self, executors: int, rows: int, buckets: int | None = None) -> str:
        """Return the part that takes most of a batch."""
        shares = self.shares(executors, rows, buckets)
        return max(shares, key=shares.__getitem__)

    def error(self, measured: Sequence[Batch]) -> float:
        """Return by which share of what was measured the model is off, in the median."""
        found = [abs(self.seconds(each.executors, each.rows) / each.seconds - 1) for each in measured]
        return float(np.median(found))


def fit(measured: Sequence[Batch]) -> ScaleOut:
    """Return the model, no part of it negative, whose squared relative errors are least.

    There must be two numbers of executors, none above the number of buckets, and two sizes of batches.

    >>> batches = [Batch(n, rows, 0.5 + 2e-6 * rows + 6e-6 * rows / n) for n in (1, 2) for rows in (10_000, 100_000)]
    >>> model = fit(batches)
    >>> round(model.fixed, 3), round(model.serial * 1e6, 3), round(model.parallel * 1e6, 3)
    (0.5, 2.0, 6.0)
    """
    for what, found in (
        ("executors", {each.executors for each in measured}),
        ("rows", {each.rows for each in measured}),
    ):
        if len(found) < 2:
            raise ParameterError(
                "measured", sorted(found), must=f"have two numbers of {what}", remedy="measure batches of both"
            )
    took = np.array([each.seconds for each in measured])
    parts = np.array([[1.0, each.rows, each.rows / each.executors] for each in measured]) / took[:, None]
    return ScaleOut(*_least_squares(parts).tolist())


def _least_squares(parts: Floats) -> Floats:
    """Return the coefficients, none negative, that bring the sum of the parts nearest to one: by trying all subsets."""
    best, least = np.zeros(parts.shape[1]), float("inf")
    for size in range(1, parts.shape[1] + 1):
        for chosen in map(list, combinations(range(parts.shape[1]), size)):
            found, *_ = np.linalg.lstsq(parts[:, chosen], np.ones(len(parts)), rcond=None)
            error = float(np.sum((parts[:, chosen] @ found - 1) ** 2))
            if (found >= 0).all() and error < least:
                best, least = np.zeros(parts.shape[1]), error
                best[chosen] = found
    return best
