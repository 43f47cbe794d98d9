"""Rows in arrival order, out of order by a steady mix of delays: the same numbers give the same rows, on any day."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

STEP = 100  # us of event time between two rows: 10,000 rows a second
BEGAN = 1_700_000_000_000_000
KEYS = 1_000
NAMES = ("a", "b")
SCHEMA = "ts BIGINT, seq BIGINT, key BIGINT, value BIGINT"
_OUT_OF_ORDER, _MEAN_DELAY = 0.4, 300_000  # us
_HOPELESS, _FAR = 0.002, (20_000_000, 30_000_000)  # nobody waits for these


def rows_of(first: int, count: int, seed: int = 0) -> pa.Table:
    """Make the rows of an arrival number and those after it."""
    random = np.random.default_rng((seed, first))
    delay = np.where(random.random(count) < _OUT_OF_ORDER, random.exponential(_MEAN_DELAY, count), 0)
    delay = np.where(random.random(count) < _HOPELESS, random.uniform(*_FAR, count), delay)
    arrival = np.arange(first, first + count)
    return pa.table(
        {
            "ts": BEGAN + arrival * STEP - delay.astype(np.int64),
            "seq": arrival,
            "key": random.integers(0, KEYS, count),
            "value": random.integers(0, 1_000, count),
        }
    )


def write_chunk(folder: Path, number: int, rows: pa.Table, streams: int, *, dealt: Any = None) -> None:
    """Write a file for each stream; its name is one that Spark reads only when all of it is there.

    `dealt` is a column with the stream of each row; without it rows go to each stream in turn.
    """
    if dealt is None:
        dealt = pa.array(rows["seq"].to_numpy() % streams)
    for stream, name in enumerate(NAMES[:streams]):
        place = folder / "in" / name
        place.mkdir(parents=True, exist_ok=True)
        hidden = place / f"_{number:07}.parquet"
        pq.write_table(rows.filter(pa.compute.equal(dealt, stream)), hidden, compression="zstd")
        hidden.rename(place / f"{number:07}.parquet")
