"""Where buckets live: a label for each, such that Spark's hash spreads them evenly over its partitions.

Spark sends the group of a label to partition `hash(label) mod partitions`. The plain numbers of few buckets often meet
in one partition (0 and 1 of two do), and then one task does the work of several while others have none. So bucket i has
a label whose hash is i modulo a number with many divisors: with any number of partitions that divides it, buckets are
dealt out in turn. Labels do not depend on the number of partitions, which may differ from session to session.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from slackwater.errors import ParameterError

EVENLY = 2**6 * 3**2 * 5**2 * 7  # divided by every number up to 10, and by 12, 16, 24, 32, 48, 64, 100, 200
_TRIED = 1 << 18  # labels at a time
_SEED = 42  # of Spark's hash partitioning


@cache
def places(buckets: int) -> tuple[int, ...]:
    """Return the label of each bucket: always the same ones.

    >>> places(3)[:2] == places(2), (hash_of(np.array(places(4))) % 2).tolist()
    (True, [0, 1, 0, 1])
    """
    if buckets > EVENLY:
        raise ParameterError("buckets", buckets, must=f"be at most {EVENLY}", remedy="a few for each core are enough")
    found: dict[int, int] = {}
    start = 0
    while not all(number in found for number in range(buckets)):
        labels = np.arange(start, start + _TRIED)
        residues, first = np.unique(np.mod(hash_of(labels), EVENLY), return_index=True)
        fresh = dict(zip(residues.tolist(), labels[first].tolist(), strict=True))
        found, start = fresh | found, start + _TRIED
    return tuple(found[number] for number in range(buckets))


def bucket_at(place: int) -> int:
    """Return the bucket with this label.

    >>> [bucket_at(place) for place in places(4)]
    [0, 1, 2, 3]
    """
    return int(np.mod(hash_of(np.array([place], np.int64)), EVENLY)[0])


def hash_of(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return what Spark's `hash` gives for numbers of type BIGINT: Murmur3 of their two halves."""
    low, high = labels.astype(np.uint32), (labels >> 32).astype(np.uint32)
    mixed = _round(_round(np.full(len(labels), _SEED, np.uint32), low), high) ^ np.uint32(8)
    mixed = (mixed ^ (mixed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (mixed ^ (mixed >> np.uint32(16))).astype(np.int32).astype(np.int64)


def _round(state: npt.NDArray[np.uint32], half: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    half = _turned(half * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    return _turned(state ^ half, 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _turned(bits: npt.NDArray[np.uint32], by: int) -> npt.NDArray[np.uint32]:
    return (bits << np.uint32(by)) | (bits >> np.uint32(32 - by))
