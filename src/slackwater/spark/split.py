"""Splits what a bucket remembers among the buckets that its rows go to when there are more of them. No engine in sight.

With a multiple of the buckets there were, every new bucket has one parent: rows whose hash is b modulo the old number
are b, b + old, b + 2 old ... modulo the new one. The children of a bucket inherit its clocks, how far it has passed
rows on or closed windows, its slack and what its estimators have seen. What it holds is dealt out by the same hash.

What it has counted stays with the first child, which has its number; the others begin with what they hold. So counts
add up to what they were, and in every bucket arrived = released + late + buffered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from slackwater.spark.state import MemoryChunks

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.events import Rows


class Where(Protocol):
    """Says where rows go."""

    def __call__(self, tables: Sequence[pa.Table], stream: int) -> list[Rows] | None:
        """Return the bucket of each row of some tables of a stream, which may have further columns; None: all buckets.

        All tables are asked of at once: who hashes them may have a long way to go for it.
        """


@dataclass(frozen=True, slots=True)
class BucketState:
    """All that Spark's state store holds of a bucket: one text, and chunks in maps."""

    entry: str
    maps: Mapping[str, MemoryChunks]


def children_of(bucket: int, old: int, new: int) -> range:
    """Return the buckets that the rows of one go to; the first has its number.

    >>> list(children_of(1, 2, 6))
    [1, 3, 5]
    """
    return range(bucket, new, old)


def counted(
    state: Mapping[str, Any] | None, held: Sequence[int], child: int, *, as_released: bool = False
) -> dict[str, Any] | None:
    """Return what a pipeline has saved, with the counts of one of its children; `held` has how many rows each holds.

    An aggregate counts rows that it has set aside `as_released`.
    """
    if state is None:
        return None
    released, late = (state["counts"][name] if child == 0 else 0 for name in ("released", "late"))
    if as_released:
        released += held[0] - sum(held) if child == 0 else held[child]
    buffered = 0 if as_released else held[child]
    counts = {"arrived": released + late + buffered, "released": released, "late": late}
    if child == 0:
        return {**state, "counts": counts}
    kept = {name: value for name, value in state.items() if name != "past"}  # events past a deadline, until a decision
    return {**kept, "counts": counts, **({"results": 0} if "results" in state else {})}
