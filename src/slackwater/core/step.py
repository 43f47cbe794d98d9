"""How one stream is bound to combinations that have certain streams already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from slackwater.core.probe import Columns, Index, PairKernel, Triggers, swapped

if TYPE_CHECKING:
    from slackwater.core.bound import Bound, Seeds
    from slackwater.core.codes import JointCodes
    from slackwater.core.conditions import Predicate
    from slackwater.core.indexes import CellIndex, Indexes
    from slackwater.events import Rows
    from slackwater.time import Mask

Bands: TypeAlias = tuple[int, ...]  # those whose cells are searched; none: everything with the key within the window
_Fused: TypeAlias = tuple[Columns, "Rows", PairKernel, Columns]

_MOST_BANDS = 2  # at once: 9 cells; with a third there would be 27, and most of the gain is there already
_MOST_CELLS = 300_000  # asked for at once, so that the lists of what is asked fit into the processor's caches


@dataclass(frozen=True)
class Step:
    """The keys, bands and conditions that link a stream to what is bound."""

    stream: int
    classes: tuple[int, ...]  # the key classes
    indexes: Indexes
    index: Index  # by these classes
    joint: JointCodes
    sources: tuple[Rows, ...]  # for each class, the codes by row of a bound stream that has it
    source_streams: tuple[int, ...]  # and that stream
    fused: Any  # a predicate whose kernel is part of the search, or None
    checks: tuple[Predicate, ...]  # those that are checked on the pairs afterwards
    bands: tuple[tuple[int, int], ...]  # (band, the bound stream that it links to)

    @classmethod
    def of(cls, indexes: Indexes, bound: frozenset[int], stream: int) -> Step:
        """Find what links a stream to those that are bound."""
        condition = indexes.condition
        keys = condition.key_streams
        classes = tuple(c for c, streams in enumerate(keys) if stream in streams and bound.intersection(streams))
        streams = tuple(min(bound.intersection(keys[c])) for c in classes)
        sources = tuple(condition.codes(c, s) for c, s in zip(classes, streams, strict=True))
        ready = [p for p in condition.predicates if stream in p.streams and bound.issuperset({*p.streams} - {stream})]
        fused = next((p for p in ready if getattr(p, "kernel", None) is not None and len(p.streams) == 2), None)
        checks = tuple(p for p in ready if p is not fused)
        linked = ((band, {*near.streams} - {stream}) for band, near in enumerate(condition.bands) if near.usable)
        bands = tuple((band, min(other)) for band, other in linked if len(other) == 1 and bound.issuperset(other))
        index, joint = indexes.by_key(stream, classes)
        return cls(stream, classes, indexes, index, joint, sources, streams, fused, checks, bands)

    @property
    def slow(self) -> bool:
        """Whether the number of partners cannot be known without listing them."""
        return bool(self.checks)

    @property
    def choices(self) -> list[Bands]:
        """The bands that can be used together, fewest first."""
        own = [band for band, _ in self.bands]
        return [chosen for count in range(_MOST_BANDS + 1) for chosen in combinations(own, count)]

    def triggers(self, seeds: Seeds, bound: Bound) -> Triggers:
        """Return what the index by key is asked."""
        seed = bound.seed
        code = self.joint.of(self._codes(bound), len(bound))
        return Triggers(code, seeds.low[self.stream][seed], seeds.high[self.stream][seed], seeds.before[seed])

    def candidates(self, seeds: Seeds, bound: Bound) -> Rows:
        """How many events the key and the window offer, whatever the other conditions say."""
        return self.index.count(self.triggers(seeds, bound))

    def looked_at(self, seeds: Seeds, bound: Bound, bands: Bands) -> Rows:
        """How many of the candidates lie in the cells around each combination."""
        index, triggers, _ = self._around(seeds, bound, bands)
        counts: Rows = index.index.count(triggers).reshape(len(bound), 3 ** len(bands)).sum(axis=1)
        return counts

    def count(self, seeds: Seeds, bound: Bound, bands: Bands = ()) -> Rows:
        """How many partners each combination has, where that needs no listing."""
        if self.fused is None:
            return self.candidates(seeds, bound)
        if not bands:
            return self.index.count_where(self.triggers(seeds, bound), *self._fused_arguments(bound))
        index, triggers, arguments = self._around(seeds, bound, bands)
        counts: Rows = index.index.count_where(triggers, *arguments).reshape(len(bound), 3 ** len(bands)).sum(axis=1)
        return counts

    def pairs(self, seeds: Seeds, bound: Bound, bands: Bands = ()) -> Iterator[tuple[Rows, Rows]]:
        """Return (combination, row of partner), by combination; no more at once than fits comfortably."""
        if self.fused is None:
            yield from self.index.pairs(self.triggers(seeds, bound))
            return
        most = _MOST_CELLS // 3 ** len(bands) if bands else max(len(bound), 1)
        for start in range(0, max(len(bound), 1), most):
            parent, rows = self._pairs_where(seeds, bound[start : start + most], bands)
            yield parent + start, rows

    def keeps(self, bound: Bound) -> Mask | None:
        """Which combinations satisfy the conditions that could not be checked before; None: all."""
        keep: Mask | None = None
        for check in self.checks:
            holds = check.holds([bound.rows[stream] for stream in check.streams])
            keep = holds if keep is None else keep & holds
        return keep

    def cells(self, band: int, bound: Bound) -> Rows:
        """Return the cells of what is bound."""
        other = dict(self.bands)[band]
        return self.indexes.condition.bands[band].cells(other)[bound.rows[other]]

    def _pairs_where(self, seeds: Seeds, bound: Bound, bands: Bands) -> tuple[Rows, Rows]:
        """Return the pairs that satisfy the condition whose kernel is part of the search."""
        if not bands:
            return self.index.pairs_where(self.triggers(seeds, bound), *self._fused_arguments(bound))
        index, triggers, arguments = self._around(seeds, bound, bands)
        return index.in_order(*index.index.places_where(triggers, *arguments))

    def _codes(self, bound: Bound) -> list[Rows]:
        return [own[bound.rows[s]] for own, s in zip(self.sources, self.source_streams, strict=True)]

    def _around(self, seeds: Seeds, bound: Bound, bands: Bands) -> tuple[CellIndex, Triggers, _Fused]:
        """Return the index by cells, what it is asked, and the arguments of the kernel."""
        index = self.indexes.by_cell(self.stream, self.classes, bands)
        cells = [self.cells(band, bound) for band in bands]
        triggers = index.triggers(self._codes(bound), cells, self.triggers(seeds, bound))
        left, rows, kernel, right = self._fused_arguments(bound)
        return index, triggers, (left, rows.repeat(3 ** len(bands)), kernel, right)

    def _fused_arguments(self, bound: Bound) -> _Fused:
        """Return the kernel's columns and rows; a kernel knows its streams in their own order."""
        first, second = self.fused.streams
        left, right = self.fused.columns
        if second == self.stream:
            return left, bound.rows[first], self.fused.kernel, right
        return right, bound.rows[second], swapped(self.fused.kernel), left
