"""The queries that are disturbed: every operator, under contracts that adapt and contracts that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import slackwater as sw
from tests.chaos.inputs import NAMES

SLACK = sw.FixedSlack("300 ms")


@dataclass(frozen=True)
class Query:
    """A plan over so many streams."""

    streams: int
    plan: Callable[..., Any]

    def of(self, frames: Sequence[Any]) -> Any:
        """Return the plan over frames of Spark, or over tables."""
        options = {"event_time": "ts", "unit": "ms", "arrival": "seq", "max_ahead": None}
        return self.plan(*(sw.stream(frame, name=name, **options) for name, frame in zip(NAMES, frames, strict=False)))


def _reorder(a: Any) -> Any:
    return sw.reorder(a, contract=sw.DropRatio(0.02, over="5 seconds"))


def _keyed(a: Any) -> Any:
    return sw.reorder(a, by="key", buckets=2, contract=SLACK)


def _merge(a: Any, b: Any) -> Any:
    return sw.merge(a, b, contract=sw.MaxSlack(cap="300 ms"))


def _join2(a: Any, b: Any) -> Any:
    return sw.join(a, b, on="key", within="50 ms", buckets=2, contract=sw.Recall(0.95, over="5 seconds"))


def _join3(a: Any, b: Any, c: Any) -> Any:
    return sw.join(a, b, c, on="key", within="50 ms", buckets=2, contract=SLACK)


def _aggregate(a: Any) -> Any:
    values = {"n": sw.count(), "least": sw.min("value"), "total": sw.sum("value")}
    early = sw.Early(aggressiveness=0.5)
    contract = sw.DropRatio(0.02, over="5 seconds")
    return sw.aggregate(a, by="key", size="400 ms", values=values, buckets=2, contract=contract, early=early)


def _chain(a: Any, b: Any) -> Any:
    joined = sw.join(a, b, on="key", within="50 ms", buckets=2, contract=SLACK)
    values = {"n": sw.count(), "total": sw.sum("a.value")}
    return sw.aggregate(joined, by="a.key", size="400 ms", values=values, early=sw.Early(aggressiveness=0.5))


QUERIES: Mapping[str, Query] = {
    "reorder": Query(1, _reorder),
    "keyed reorder": Query(1, _keyed),
    "merge": Query(2, _merge),
    "join of 2": Query(2, _join2),
    "join of 3": Query(3, _join3),
    "aggregate": Query(1, _aggregate),
    "chain": Query(2, _chain),
}
