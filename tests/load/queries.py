"""The queries that are put under load."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import slackwater as sw
from tests.load.rows import NAMES

WITHIN, WINDOW = 100_000, 5_000_000  # us
CAP = "5 seconds"  # no query waits longer
OUTPUTS = ("results", "late", "decisions")


@dataclass(frozen=True)
class Query:
    """A plan over so many streams."""

    streams: int
    plan: Callable[..., Any]

    def of(self, frames: Sequence[Any], **options: Any) -> Any:
        """Return the plan over frames of Spark, or over tables."""
        given = {"event_time": "ts", "unit": "us", "arrival": "seq", **options}
        return self.plan(*(sw.stream(frame, name=name, **given) for name, frame in zip(NAMES, frames, strict=False)))


def _reorder(a: Any) -> Any:
    return sw.reorder(a, contract=sw.DropRatio(0.01, cap=CAP))


def _join(a: Any, b: Any) -> Any:
    return sw.join(a, b, on="key", within="100 ms", contract=sw.Recall(0.95, cap=CAP))


def _aggregate(a: Any) -> Any:
    values = {"n": sw.count(), "least": sw.min("value"), "total": sw.sum("value")}
    return sw.aggregate(a, by="key", size="5 seconds", values=values, buckets=1, contract=sw.DropRatio(0.01, cap=CAP))


def _keyed(a: Any) -> Any:
    return sw.reorder(a, by="key", buckets=1, contract=sw.FixedSlack("1 second"))


def _merge(a: Any, b: Any) -> Any:
    return sw.merge(a, b, contract=sw.MaxSlack(cap=CAP))


QUERIES: Mapping[str, Query] = {
    "reorder": Query(1, _reorder),
    "join": Query(2, _join),
    "aggregate": Query(1, _aggregate),
    "keyed": Query(1, _keyed),
    "merge": Query(2, _merge),
}
