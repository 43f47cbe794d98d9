"""Combinations of m streams: the other members for each seed, found stream by stream.

The next stream to bind is the one that offers the fewest partners to a sample of what is bound so far; it is found by
its key where one is known by then (hash), otherwise by its window alone (nested), with conditions checked as soon as
their streams are bound. Where only numbers are wanted, streams that no condition links any more are counted apart and
their counts multiplied, so that a combination need not be listed to be counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from slackwater.core.codes import JointCodes
from slackwater.core.probe import Columns, Index, PairKernel, Pool, Triggers, chunks_of, swapped

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.time import Mask, Times

_SAMPLE = 64  # bound combinations that are asked how many partners a stream would offer


class Predicate(Protocol):
    """A condition over rows of some streams."""

    @property
    def streams(self) -> tuple[int, ...]:
        """The streams whose rows it needs."""

    def holds(self, rows: Sequence[Rows]) -> Mask:
        """Whether it holds for aligned rows, one column for each of its streams."""


class Condition(Protocol):
    """What the members of a result must satisfy, bound to numbered rows."""

    @property
    def key_streams(self) -> tuple[tuple[int, ...], ...]:
        """For each key class, the streams that have a column of it: their codes must be equal."""

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """What else must hold, over two streams or more."""

    def codes(self, key_class: int, stream: int) -> Rows:
        """Return the code of each row, equal where the keys are; negative where there is none."""

    def code_count(self, key_class: int) -> int:
        """Return how many codes there are."""

    def passes(self, stream: int) -> Mask | None:
        """Which rows satisfy the conditions on this stream alone; None: all."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Events of one stream that ask for the other members of their combinations."""

    stream: int
    row: Rows
    low: tuple[Times, ...]  # for each stream, the earliest time of a partner
    high: tuple[Times, ...]  # and the latest
    before: Rows  # partners were there before this position

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True)
class Bound:
    """Combinations under way: the seed of each, and the rows of the streams that are bound."""

    seed: Rows
    rows: dict[int, Rows]

    def __len__(self) -> int:
        return len(self.seed)

    def __getitem__(self, which: slice | Rows | Mask) -> Bound:
        return Bound(self.seed[which], {stream: rows[which] for stream, rows in self.rows.items()})

    def extended(self, stream: int, parent: Rows, rows: Rows) -> Bound:
        """Each combination once for every partner in another stream."""
        return Bound(self.seed[parent], {**{s: r[parent] for s, r in self.rows.items()}, stream: rows})


@dataclass(frozen=True)
class Combiner:
    """Finds combinations among pools of events, one pool for each stream."""

    condition: Condition
    pools: tuple[Pool, ...]

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
        for part in self._expand(seeds, bound, stream):
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
        stream, _ = self._next(seeds, bound, remaining)
        parts = [self._list(seeds, part, remaining - {stream}) for part in self._expand(seeds, bound, stream)]
        return _joined(parts, bound, stream, remaining)

    def _weigh(self, seeds: Seeds, bound: Bound, remaining: frozenset[int]) -> Numbers:
        """Return how many ways there are to bind the remaining streams, for each combination under way."""
        weight = np.ones(len(bound))
        for group in self._independent(frozenset(bound.rows), remaining):
            stream, step = self._next(seeds, bound, group)
            if len(group) == 1 and not step.slow:
                weight *= step.count(seeds, bound)
                continue
            total = np.zeros(len(bound))
            for part, parent in self._expand_with_parents(seeds, bound, stream):
                ways = self._weigh(seeds, part, group - {stream})
                total += np.bincount(parent, weights=ways, minlength=len(bound))
            weight *= total
        return weight

    def _next(self, seeds: Seeds, bound: Bound, remaining: frozenset[int]) -> tuple[int, _Step]:
        """Choose the stream that offers the fewest partners to a sample of what is bound."""
        steps = {stream: self._step(frozenset(bound.rows), stream) for stream in sorted(remaining)}
        if len(steps) > 1 and len(bound):
            sample = bound[:: max(1, len(bound) // _SAMPLE)]
            offers = {stream: float(step.candidates(seeds, sample).mean()) for stream, step in steps.items()}
            chosen = min(steps, key=lambda stream: (offers[stream], stream))
        else:
            chosen = next(iter(steps))
        return chosen, steps[chosen]

    def _expand(self, seeds: Seeds, bound: Bound, stream: int) -> Any:
        return (part for part, _ in self._expand_with_parents(seeds, bound, stream))

    def _expand_with_parents(self, seeds: Seeds, bound: Bound, stream: int) -> Any:
        """Bind one more stream, piece by piece, so that no more pairs are held at once than fit comfortably."""
        step = self._step(frozenset(bound.rows), stream)
        counts = None if step.fused is not None else step.candidates(seeds, bound)
        for piece in [slice(0, len(bound))] if counts is None else chunks_of(counts):
            part = bound[piece]
            parent, rows = step.pairs(seeds, part, None if counts is None else counts[piece])
            extended = part.extended(stream, parent, rows)
            keep = step.keeps(extended)
            parents = parent + piece.start
            yield (extended, parents) if keep is None else (extended[keep], parents[keep])

    @cached_property
    def _steps(self) -> dict[tuple[frozenset[int], int], _Step]:
        return {}

    def _step(self, bound: frozenset[int], stream: int) -> _Step:
        known = self._steps.get((bound, stream))
        if known is None:
            known = self._steps[bound, stream] = _Step.of(self, bound, stream)
        return known

    @cached_property
    def _indexes(self) -> dict[tuple[int, tuple[int, ...]], tuple[Index, JointCodes]]:
        return {}

    def index(self, stream: int, classes: tuple[int, ...]) -> tuple[Index, JointCodes]:
        """Return the index of a stream by some key classes, and how to find the code of a combination."""
        known = self._indexes.get((stream, classes))
        if known is None:
            pool, passes = self.pools[stream], self.condition.passes(stream)
            columns = [self.condition.codes(c, stream)[pool.row] for c in classes]
            joint = JointCodes(columns, [self.condition.code_count(c) for c in classes], len(pool))
            code = joint.codes if passes is None else np.where(passes[pool.row], joint.codes, -1)
            known = self._indexes[stream, classes] = (Index.of(pool, code, joint.count), joint)
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


@dataclass(frozen=True)
class _Step:
    """How one stream is bound to combinations that have certain streams already."""

    stream: int
    index: Index
    joint: JointCodes
    sources: tuple[Rows, ...]  # for each class, the codes by row of a bound stream that has it
    source_streams: tuple[int, ...]  # and that stream
    fused: Any  # a predicate whose kernel is part of the search, or None
    checks: tuple[Predicate, ...]  # those that are checked on the pairs afterwards

    @classmethod
    def of(cls, combiner: Combiner, bound: frozenset[int], stream: int) -> _Step:
        """Find the keys and conditions that link a stream to what is bound."""
        key_streams = combiner.condition.key_streams
        classes = tuple(c for c, streams in enumerate(key_streams) if stream in streams and bound.intersection(streams))
        streams = tuple(min(bound.intersection(key_streams[c])) for c in classes)
        sources = tuple(combiner.condition.codes(c, s) for c, s in zip(classes, streams, strict=True))
        ready = [
            p
            for p in combiner.condition.predicates
            if stream in p.streams and bound.issuperset({*p.streams} - {stream})
        ]
        fused = next((p for p in ready if getattr(p, "kernel", None) is not None and len(p.streams) == 2), None)
        index, joint = combiner.index(stream, classes)
        checks = tuple(p for p in ready if p is not fused)
        return cls(stream, index, joint, sources, streams, fused, checks)

    @property
    def slow(self) -> bool:
        """Whether the number of partners cannot be known without listing them."""
        return bool(self.checks)

    def triggers(self, seeds: Seeds, bound: Bound) -> Triggers:
        """Return what the index is asked."""
        seed = bound.seed
        columns = [own[bound.rows[s]] for own, s in zip(self.sources, self.source_streams, strict=True)]
        code = self.joint.of(columns, len(bound))
        return Triggers(code, seeds.low[self.stream][seed], seeds.high[self.stream][seed], seeds.before[seed])

    def candidates(self, seeds: Seeds, bound: Bound) -> Rows:
        """How many events the key and the window offer, whatever the other conditions say."""
        return self.index.count(self.triggers(seeds, bound))

    def count(self, seeds: Seeds, bound: Bound) -> Rows:
        """How many partners each combination has, where that needs no listing."""
        if self.fused is None:
            return self.candidates(seeds, bound)
        left, rows, kernel, right = self._fused_arguments(bound)
        return self.index.count_where(self.triggers(seeds, bound), left, rows, kernel, right)

    def pairs(self, seeds: Seeds, bound: Bound, counts: Rows | None) -> tuple[Rows, Rows]:
        """Return (combination, row of partner); `counts` are those of `candidates` unless a condition is fused."""
        triggers = self.triggers(seeds, bound)
        if counts is not None:
            return self.index.pairs(triggers, counts)
        left, rows, kernel, right = self._fused_arguments(bound)
        return self.index.pairs_where(triggers, left, rows, kernel, right)

    def keeps(self, bound: Bound) -> Mask | None:
        """Which combinations satisfy the conditions that could not be checked before; None: all."""
        keep: Mask | None = None
        for check in self.checks:
            holds = check.holds([bound.rows[stream] for stream in check.streams])
            keep = holds if keep is None else keep & holds
        return keep

    def _fused_arguments(self, bound: Bound) -> tuple[Columns, Rows, PairKernel, Columns]:
        """Return the kernel's columns and rows; a kernel knows its streams in their own order."""
        first, second = self.fused.streams
        left, right = self.fused.columns
        if second == self.stream:
            return left, bound.rows[first], self.fused.kernel, right
        return right, bound.rows[second], swapped(self.fused.kernel), left


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


def _joined(parts: list[Bound], bound: Bound, stream: int, remaining: frozenset[int]) -> Bound:
    """Put lists of combinations one after the other."""
    if not parts:
        nothing = np.empty(0, np.int64)
        return Bound(nothing, dict.fromkeys((*bound.rows, stream, *remaining), nothing))
    if len(parts) == 1:
        return parts[0]
    rows = {s: np.concatenate([part.rows[s] for part in parts]) for s in parts[0].rows}
    return Bound(np.concatenate([part.seed for part in parts]), rows)
