"""What a join measures of its own search: how it chooses order and kernel, and what people can read afterwards.

Of each step (a stream that is bound to others) a sample says how many events key and window offer, which share of them
lies in nearby cells, and which share satisfies the conditions. That is remembered and renewed now and then. What is
chosen changes the cost only, never the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from slackwater.core.conditions import NO_CELL
from slackwater.errors import ConditionError

if TYPE_CHECKING:
    from slackwater.core.bound import Bound, Seeds
    from slackwater.core.step import Bands, Step
    from slackwater.events import Rows
    from slackwater.time import Mask

_SAMPLE = 64  # combinations that are asked
_POOL_SAMPLE = 256  # events that are compared with their cells
_MOST_TRIED = 2_000  # pairs on which conditions are tried
_RENEWED_EVERY = 16  # uses; in the beginning more often
# In units of a look at one event that follows the one before in memory, from `bench join-band`:
_SEARCH = 40  # of a place in an index
_SCATTERED = 3  # a look at one event in a cell
_PLACED = 10  # to put one event into an index by cells


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample says of a step, for one combination."""

    offered: float  # events with its key within its window
    shares: dict[Bands, float]  # of these, in the cells around it, by the bands that are used
    kept: float  # share of them that satisfies the conditions; 1 where it was not measured
    sure: set[Bands]  # bands whose share was counted in their cells, not guessed from events at any time

    def cost(self, bands: Bands, placed: float = 0.0) -> float:
        """Return what it costs to bind the step; `placed` is how many events must first be put into cells."""
        if not bands:
            return _SEARCH + self.offered
        around = int(3 ** len(bands))
        return _SEARCH * around + _SCATTERED * self.offered * self.shares[bands] + _PLACED * placed


@dataclass(slots=True)
class StepWork:
    """What a step has done so far, summed over the combinations that asked."""

    asked: int = 0
    offered: float = 0.0  # by key and window
    looked_at: float = 0.0  # of these, in nearby cells
    partners: float = 0.0  # that satisfied all conditions that could be checked
    bands: Counter[Bands] = field(default_factory=Counter)  # how many asked with which bands


@dataclass(slots=True)
class _Memory:
    estimate: Estimate
    ordering: bool
    uses: int = 0


class Work:
    """Measures and remembers, for the steps of one join; `only` forces a kernel, to compare them."""

    def __init__(self, only: Literal["band", "nested"] | None = None) -> None:
        self._only = only
        self._memories: dict[tuple[frozenset[int], int], _Memory] = {}
        self.steps: dict[tuple[tuple[int, ...], int], StepWork] = {}  # by the streams that were bound, in order

    def estimate(self, step: Step, seeds: Seeds, bound: Bound, *, ordering: bool) -> Estimate:
        """Return what is known of a step; `ordering` also asks for the share that satisfies the conditions."""
        key = frozenset(bound.rows), step.stream
        memory = self._memories.get(key)
        if memory is None or _is_due(memory.uses) or (ordering and not memory.ordering):
            uses = memory.uses if memory is not None else 0
            memory = self._memories[key] = _Memory(_measured(step, seeds, bound, ordering=ordering), ordering, uses)
        memory.uses += 1
        return memory.estimate

    def bands(self, step: Step, estimate: Estimate, seeds: Seeds, bound: Bound) -> Bands:
        """Choose the bands whose cells are searched: none where looking at everything is cheaper."""
        choices = step.choices
        if self._only == "nested" or len(choices) == 1:
            return ()
        if self._only == "band":
            choices = choices[1:]
        chosen = _cheapest(step, estimate, choices, len(bound))
        while chosen not in estimate.sure:
            sample = bound.sample(_SAMPLE)
            looked_at = float(step.looked_at(seeds, sample, chosen).mean())
            estimate.shares[chosen] = looked_at / estimate.offered if estimate.offered else 1.0
            estimate.sure.add(chosen)
            chosen = _cheapest(step, estimate, choices, len(bound))
        return chosen

    def note(
        self, step: Step, bound: Bound, bands: Bands, *, offered: float, looked_at: float, partners: float
    ) -> None:
        """Write down what was done."""
        work = self.steps.setdefault((tuple(bound.rows), step.stream), StepWork())
        work.asked += len(bound)
        work.offered += offered
        work.looked_at += looked_at
        work.partners += partners
        work.bands[bands] += len(bound)

    def snapshot(self) -> list[dict[str, Any]]:
        """Return what was done so far, as values that JSON can hold."""
        return [
            {"bound": path, "stream": stream, **asdict(work), "bands": list(work.bands.items())}
            for (path, stream), work in self.steps.items()
        ]

    def add(self, snapshot: Iterable[Mapping[str, Any]]) -> None:
        """Add what was done elsewhere, as its `snapshot` says."""
        for found in snapshot:
            work = self.steps.setdefault((tuple(found["bound"]), found["stream"]), StepWork())
            work.asked += found["asked"]
            work.offered += found["offered"]
            work.looked_at += found["looked_at"]
            work.partners += found["partners"]
            work.bands.update({tuple(bands): asked for bands, asked in found["bands"]})


def rank(estimate: Estimate, bands: Bands) -> float:
    """Return what orders steps: the cheapest order of steps that do not depend on each other is that of their ranks.

    With cost c and p partners, one before another costs c1 + p1 c2, the other way round c2 + p2 c1; the first is less
    iff (p1 - 1) / c1 < (p2 - 1) / c2.
    """
    return (estimate.offered * estimate.kept - 1) / estimate.cost(bands)


def _cheapest(step: Step, estimate: Estimate, choices: list[Bands], combinations: int) -> Bands:
    pool = len(step.indexes.pools[step.stream])

    def cost(bands: Bands) -> float:
        there = step.indexes.has_cells(step.stream, step.classes, bands)
        return estimate.cost(bands, 0.0 if there else pool / combinations)

    return min(choices, key=cost)


def _is_due(uses: int) -> bool:
    return uses % _RENEWED_EVERY == 0 or (uses < _RENEWED_EVERY and uses & (uses - 1) == 0)


def _measured(step: Step, seeds: Seeds, bound: Bound, *, ordering: bool) -> Estimate:
    sample = bound.sample(_SAMPLE)
    counts = step.candidates(seeds, sample)
    offered = float(counts.mean()) if len(counts) else 0.0
    kept = 1.0
    if ordering and (step.fused is not None or step.checks):
        tried = sample[: max(1, int(np.searchsorted(np.cumsum(counts), _MOST_TRIED)))]
        kept = _share_kept(step, seeds, tried, int(counts[: len(tried)].sum()))
    return Estimate(offered, _shares(step, sample) if step.bands else {(): 1.0}, kept, {()})


def _share_kept(step: Step, seeds: Seeds, tried: Bound, candidates: int) -> float:
    """Return which share of candidates satisfies the conditions; all, if these fail on some that may never be asked."""
    kept = 0
    try:
        for parent, rows in step.pairs(seeds, tried):
            keep = step.keeps(tried.extended(step.stream, parent, rows))
            kept += len(rows) if keep is None else int(keep.sum())
    except ConditionError:
        return 1.0
    return kept / max(candidates, 1)


def _shares(step: Step, sample: Bound) -> dict[Bands, float]:
    """Return which share of a sample of the pool lies in the cells around those of a sample of combinations."""
    pool = step.indexes.pools[step.stream]
    rows = pool.row[:: max(1, len(pool) // _POOL_SAMPLE)]
    near = {band: _near(step, band, sample, rows) for band, _ in step.bands}
    shares: dict[Bands, float] = {}
    for bands in step.choices:
        together = np.logical_and.reduce([near[band] for band in bands]) if bands else np.ones(1)
        shares[bands] = float(together.mean()) if together.size else 1.0
    return shares


def _near(step: Step, band: int, sample: Bound, rows: Rows) -> Mask:
    theirs = step.indexes.condition.bands[band].cells(step.stream)[rows]
    own = step.cells(band, sample)
    near: Mask = np.abs(np.subtract.outer(own, theirs)) <= 1
    near &= np.logical_and.outer(own != NO_CELL, theirs != NO_CELL)
    return near
