"""Small joins for tests: arrivals as (stream, time, payload), run by the columns or by the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from slackwater.contracts import Contract, FixedSlack
from slackwater.events import Events
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.join import Held, JoinPipeline
from slackwater.pipeline.join_outcome import JoinOutcome, joined
from slackwater.pipeline.merge import MergePipeline, merged_events
from slackwater.plan.condition import JoinCondition
from slackwater.plan.nodes import JoinNode, MergeNode, StreamNode
from slackwater.time import Duration
from tests.oracle.join import Arrival

KEYS = 3


@dataclass(frozen=True)
class KeyCondition:
    """Payloads are tuples of small keys; each class is (streams, which key)."""

    classes: tuple[tuple[tuple[int, ...], int], ...]
    arrivals: Sequence[Arrival]

    predicates = ()
    bands = ()

    @property
    def key_streams(self) -> tuple[tuple[int, ...], ...]:
        return tuple(streams for streams, _ in self.classes)

    def codes(self, key_class: int, stream: int) -> Any:
        which = self.classes[key_class][1]
        return np.array([payload[which] for _, _, payload in self.arrivals], np.int64)

    def code_count(self, key_class: int) -> int:
        return KEYS

    def passes(self, stream: int) -> None:
        return None

    def __call__(self, *payloads: Any) -> bool:
        return all(len({payloads[s][which] for s in streams}) == 1 for streams, which in self.classes)


@dataclass(frozen=True)
class SmallJoin:
    """A join over few arrivals, each a step of its own unless `steps` numbers them."""

    arrivals: tuple[Arrival, ...]
    windows: tuple[int, ...]
    classes: tuple[tuple[tuple[int, ...], int], ...] = ()
    steps: tuple[int, ...] | None = None

    @property
    def condition(self) -> KeyCondition:
        return KeyCondition(self.classes, self.arrivals)

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(range(len(self.arrivals))) if self.steps is None else self.steps

    def node(self, contract: Contract, **options: Any) -> JoinNode:
        return JoinNode(
            streams=tuple(StreamNode(name=f"s{s}", event_time="ts") for s in range(len(self.windows))),
            condition=JoinCondition(key_classes=(), filters=(), residuals=(), function=None, equalities=()),
            windows=tuple(map(Duration, self.windows)),
            contract=contract,
            **options,
        )

    def pipeline(self, contract: Contract, *, listing: bool = True, **options: Any) -> JoinPipeline:
        delays = [np.zeros(len(self.arrivals), np.int64) for _ in self.windows]
        return JoinPipeline(self.node(contract, **options), self.condition, delays, listing=listing)

    def restored(
        self, contract: Contract, held: Held, state: dict[str, Any], delays: Any, **options: Any
    ) -> JoinPipeline:
        return JoinPipeline(self.node(contract, **options), self.condition, delays, held=held, state=state)

    def batch(self, start: int, stop: int) -> list[Incoming]:
        return [self._of_stream(stream, start, stop) for stream in range(len(self.windows))]

    def batches(self, cuts: Sequence[int]) -> list[list[Incoming]]:
        """Cut before these arrivals; those that arrive together stay together."""
        numbers = self.numbers
        good = [cut for cut in cuts if 0 < cut < len(numbers) and numbers[cut] != numbers[cut - 1]]
        edges = [0, *sorted(set(good)), len(numbers)]
        return [self.batch(start, stop) for start, stop in pairwise(edges)]

    def run(self, slack: int = 0, cuts: Sequence[int] = (), **options: Any) -> JoinOutcome:
        return self.run_under(FixedSlack(Duration(slack)), cuts, **options)

    def run_under(self, contract: Contract, cuts: Sequence[int] = (), **options: Any) -> JoinOutcome:
        pipeline = self.pipeline(contract, **options)
        outcomes = [pipeline.on_batch(batch) for batch in self.batches(cuts)]
        return joined([*outcomes, pipeline.on_end()])

    def _of_stream(self, stream: int, start: int, stop: int) -> Incoming:
        rows = [row for row in range(start, stop) if self.arrivals[row][0] == stream]
        times = np.array([self.arrivals[row][1] for row in rows], np.int64)
        arrival = np.array([self.numbers[row] for row in rows], np.int64)
        return Incoming(Events(times, arrival, np.array(rows, np.int64)))


@dataclass(frozen=True)
class SmallMerge(SmallJoin):
    """A merge over few arrivals; it has no windows, whose number is that of its streams."""

    def node(self, contract: Contract, **options: Any) -> MergeNode:
        streams = tuple(StreamNode(name=f"s{s}", event_time="ts") for s in range(len(self.windows)))
        return MergeNode(streams=streams, contract=contract, payload="structs", **options)

    def pipeline(self, contract: Contract, **options: Any) -> MergePipeline:
        delays = [np.zeros(len(self.arrivals), np.int64) for _ in self.windows]
        return MergePipeline(self.node(contract, **options), delays)

    def restored(self, contract: Contract, held: Held, state: dict[str, Any], delays: Any) -> MergePipeline:
        return MergePipeline(self.node(contract), delays, held=held, state=state)


def merged_rows_of(outcome: JoinOutcome) -> list[int]:
    """The numbers of the arrivals that left in order."""
    return merged_events([outcome]).row.tolist()


def results_of(outcome: JoinOutcome) -> list[tuple[int, tuple[int, ...]]]:
    """Results as the oracle writes them."""
    assert outcome.results is not None
    members = zip(*(rows.tolist() for rows in outcome.results.rows), strict=True)
    return list(zip(outcome.results.time.tolist(), members, strict=True))


def late_of(outcome: JoinOutcome) -> list[tuple[int, int]]:
    return [pair for late in outcome.late for pair in zip(late.events.row.tolist(), late.late_by.tolist(), strict=True)]


@st.composite
def small_joins(draw: Any, *, together: bool = True, most: int = 24) -> SmallJoin:
    """Joins of two to four streams whose arrivals are out of order, under key conditions of all shapes."""
    streams = draw(st.integers(2, 4))
    keys = st.tuples(st.integers(0, KEYS - 1), st.integers(0, KEYS - 1))
    raw = draw(st.lists(st.tuples(st.integers(0, streams - 1), st.integers(0, 9), keys), min_size=1, max_size=most))
    pace = draw(st.sampled_from([1, 2, 3]))
    arrivals = tuple((stream, max(0, i // pace - back), key) for i, (stream, back, key) in enumerate(raw))
    one_key = ((tuple(range(streams)), 0),)
    star = tuple(((0, other), other % 2) for other in range(1, streams))
    steps = sorted(draw(st.integers(0, len(raw))) for _ in raw) if together and draw(st.booleans()) else None
    return SmallJoin(
        arrivals,
        tuple(draw(st.sampled_from([1, 2, 5])) for _ in range(streams)),
        draw(st.sampled_from([(), one_key, star])),
        None if steps is None else tuple(steps),
    )


@st.composite
def small_merges(draw: Any, *, together: bool = True, most: int = 24) -> SmallMerge:
    """Merges of two to four streams whose arrivals are out of order; some have hardly more than equal times."""
    if draw(st.booleans()):
        join = draw(small_joins(together=together, most=most))
        return SmallMerge(join.arrivals, join.windows, steps=join.steps)
    streams, times = draw(st.integers(2, 4)), draw(st.sampled_from([2, 4, 8]))
    raw = draw(st.lists(st.tuples(st.integers(0, streams - 1), st.integers(0, times)), min_size=1, max_size=most))
    return SmallMerge(tuple((stream, time, None) for stream, time in raw), (1,) * streams)
