"""Combinations of m streams: the other members for each seed, found stream by stream.

Which stream is bound next, and whether its partners are looked for by key (hash), in nearby cells (band) or all over
the window (nested), is chosen from what a sample says (`core/work.py`); conditions are checked as soon as their streams
are bound. Where only numbers are wanted, streams that no condition links any more are counted apart and their counts
multiplied, so that a combination need not be listed to be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from slackwater.core.bound import Bound, Seeds
from slackwater.core.indexes import Indexes
from slackwater.core.step import Step
from slackwater.core.work import Estimate, Work, rank

if TYPE_CHECKING:
    from slackwater.core.conditions import Condition
    from slackwater.core.probe import Pool
    from slackwater.core.step import Bands
    from slackwater.events import Rows
    from slackwater.lanes import Lanes
    from slackwater.measurement import Numbers
    from slackwater.time import Mask, Times

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class _Next:
    """The step that was chosen, how its partners are looked for, and what was expected of it."""

    step: Step
    bands: Bands
    estimate: Estimate | None  # None where nothing had to be chosen


@dataclass(frozen=True)
class Combiner:
    """Finds combinations among pools of events, one pool for each stream."""

    condition: Condition
    pools: tuple[Pool, ...]
    work: Work = field(default_factory=Work)  # what is measured, for the combiners of one join together

    def of_streams(self, search: Callable[[int], Found], lanes: Lanes, *, events: int) -> list[Found]:
        """Call a search for the seeds of each stream, at the same time where these searches share nothing."""
        streams = range(len(self.pools))
        if lanes.count == 1 or not self._is_apart:
            return [search(stream) for stream in streams]
        self._ask_first()
        return lanes.map(search, streams, events=events)

    def count(self, seeds: Seeds) -> Numbers:
        """How many combinations each seed completes."""
        counts = np.zeros(len(seeds))
        able, bound = self._begin(seeds)
        counts[able] = self._weigh(seeds, bound, self._others(seeds.stream))
        return counts

    def combinations(self, seeds: Seeds) -> Bound:
        """List all combinations, by seed and then by the (time, arrival) of the members in the order of the streams."""
        _, bound = self._begin(seeds)
        found = self._list(seeds, bound, self._others(seeds.stream))
        return found if len(self.pools) == 2 else self._in_canonical_order(found)

    def pairs(self, seeds: Seeds, stream: int) -> Iterator[tuple[Bound, Times]]:
        """Bind one more stream to seeds; also return the times of the partners."""
        _, bound = self._begin(seeds)
        for part, _ in self._expand(seeds, bound, self._next(seeds, bound, frozenset({stream}))):
            yield part, self.pools[stream].time[self._rank(stream, part.rows[stream])]

    def weigh(self, seeds: Seeds, bound: Bound) -> Numbers:
        """How many combinations each one under way can become."""
        return self._weigh(seeds, bound, frozenset(range(len(self.pools))) - frozenset(bound.rows))

    def _others(self, stream: int) -> frozenset[int]:
        return frozenset(range(len(self.pools))) - {stream}

    def _begin(self, seeds: Seeds) -> tuple[Mask | slice, Bound]:
        passes = self.condition.passes(seeds.stream)
        able = slice(None) if passes is None else passes[seeds.row]
        seed = np.arange(len(seeds), dtype=np.int64)[able]
        return able, Bound(seed, {seeds.stream: seeds.row[seed]})

    def _list(self, seeds: Seeds, bound: Bound, remaining: frozenset[int]) -> Bound:
        if not remaining:
            return bound
        chosen = self._next(seeds, bound, remaining)
        rest = remaining - {chosen.step.stream}
        parts = [self._list(seeds, part, rest) for part, _ in self._expand(seeds, bound, chosen)]
        return Bound.concat(parts) if parts else Bound.none((*bound.rows, *remaining))

    def _weigh(self, seeds: Seeds, bound: Bound, remaining: frozenset[int]) -> Numbers:
        """Return how many ways there are to bind the remaining streams, for each combination under way."""
        weight = np.ones(len(bound))
        for group in self._independent(frozenset(bound.rows), remaining):
            chosen = self._next(seeds, bound, group)
            if len(group) == 1 and not chosen.step.slow:
                weight *= self._counted(seeds, bound, chosen)
                continue
            total = np.zeros(len(bound))
            for part, parent in self._expand(seeds, bound, chosen):
                ways = self._weigh(seeds, part, group - {chosen.step.stream})
                total += np.bincount(parent, weights=ways, minlength=len(bound))
            weight *= total
        return weight

    def _next(self, seeds: Seeds, bound: Bound, remaining: frozenset[int]) -> _Next:
        """Choose the stream that is bound next, and how its partners are looked for."""
        steps = [self._step(frozenset(bound.rows), stream) for stream in sorted(remaining)]
        ordering = len(steps) > 1
        if not len(bound) or not (ordering or steps[0].fused is not None):
            return _Next(steps[0], (), None)
        estimates = [self.work.estimate(step, seeds, bound, ordering=ordering) for step in steps]
        ranked = []
        for step, estimate in zip(steps, estimates, strict=True):
            bands = self.work.bands(step, estimate, seeds, bound)
            ranked.append((rank(estimate, bands), step.stream, _Next(step, bands, estimate)))
        return min(ranked)[-1]

    def _counted(self, seeds: Seeds, bound: Bound, chosen: _Next) -> Rows:
        """Count the partners of each combination without listing them."""
        counts = chosen.step.count(seeds, bound, chosen.bands)
        partners = float(counts.sum())
        self._note(bound, chosen, None if chosen.step.fused is not None else partners, partners)
        return counts

    def _expand(self, seeds: Seeds, bound: Bound, chosen: _Next) -> Iterator[tuple[Bound, Rows]]:
        """Bind one more stream, piece by piece; also return which combination each was."""
        step, offered, partners = chosen.step, 0, 0
        for parent, rows in step.pairs(seeds, bound, chosen.bands):
            extended = bound.extended(step.stream, parent, rows)
            keep = step.keeps(extended)
            found = (extended, parent) if keep is None else (extended[keep], parent[keep])
            offered += len(parent)
            partners += len(found[1])
            yield found
        self._note(bound, chosen, None if step.fused is not None else offered, partners)

    def _note(self, bound: Bound, chosen: _Next, candidates: float | None, partners: float) -> None:
        """Write down what a step has done: exactly where candidates were counted, else as the sample says."""
        if candidates is not None:
            offered = looked_at = float(candidates)
        elif chosen.estimate is not None:
            offered = chosen.estimate.offered * len(bound)
            looked_at = max(offered * chosen.estimate.shares[chosen.bands], partners)
        else:
            return
        self.work.note(
            chosen.step, bound, chosen.bands, offered=max(offered, partners), looked_at=looked_at, partners=partners
        )

    @property
    def _is_apart(self) -> bool:
        """Whether searches for the seeds of different streams share nothing.

        Of two streams, each is searched for the other's seeds alone, so each search has its own index and memory.
        Of more, searches share them, and what is chosen would depend on which of them was first. A condition that is
        not compiled may be a function of the user's, and nobody said that two threads may call that.
        """
        compiled = (getattr(predicate, "kernel", None) is not None for predicate in self.condition.predicates)
        return len(self.pools) == 2 and all(compiled)

    def _ask_first(self) -> None:
        """Ask what is computed at the first question, and kept: two threads would compute it twice."""
        _ = self._indexes, self._steps, self._places
        for stream in range(len(self.pools)):
            self.condition.passes(stream)
        for key_class, streams in enumerate(self.condition.key_streams):
            self.condition.codes(key_class, streams[0])
        for band in self.condition.bands:
            if band.usable:
                for stream in band.streams:
                    band.cells(stream)

    @cached_property
    def _indexes(self) -> Indexes:
        return Indexes(self.condition, self.pools)

    @cached_property
    def _steps(self) -> dict[tuple[frozenset[int], int], Step]:
        return {}

    def _step(self, bound: frozenset[int], stream: int) -> Step:
        known = self._steps.get((bound, stream))
        if known is None:
            known = self._steps[bound, stream] = Step.of(self._indexes, bound, stream)
        return known

    def _independent(self, bound: frozenset[int], remaining: frozenset[int]) -> list[frozenset[int]]:
        """Split the remaining streams into groups that nothing links, given what is bound."""
        links = [
            remaining.intersection(streams)
            for key_class, streams in enumerate(self.condition.key_streams)
            if not bound.intersection(self.condition.key_streams[key_class])
        ]
        links += [remaining.intersection(predicate.streams) for predicate in self.condition.predicates]
        return _components(remaining, links)

    def _in_canonical_order(self, found: Bound) -> Bound:
        ranks = [self._rank(stream, found.rows[stream]) for stream in reversed(range(len(self.pools)))]
        return found[np.lexsort((*ranks, found.seed))]

    def _rank(self, stream: int, rows: Rows) -> Rows:
        """Return the place of rows in the order of their pool; a seed's own stream has no say in its order."""
        by_row, sorted_rows = self._by_row(stream)
        if not len(by_row):
            return np.zeros(len(rows), np.int64)
        found = np.minimum(np.searchsorted(sorted_rows, rows), len(by_row) - 1)
        return by_row[found]

    def _by_row(self, stream: int) -> tuple[Rows, Rows]:
        """Return the places of a pool by row, and the rows."""
        if stream not in self._places:
            by_row = np.argsort(self.pools[stream].row, kind="stable")
            self._places[stream] = by_row, self.pools[stream].row[by_row]
        return self._places[stream]

    @cached_property
    def _places(self) -> dict[int, tuple[Rows, Rows]]:
        return {}


def _components(members: frozenset[int], links: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Group members that are linked, directly or by others.

    >>> sorted(map(sorted, _components(frozenset({1, 2, 3}), [frozenset({1, 3})])))
    [[1, 3], [2]]
    """
    groups = [frozenset({member}) for member in sorted(members)]
    for link in links:
        touched = [group for group in groups if group & link]
        if len(touched) > 1:
            groups = [group for group in groups if not group & link] + [frozenset().union(*touched)]
    return sorted(groups, key=min)
