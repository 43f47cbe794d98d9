"""The input of a query: files of one stream or several, a file of each for every batch, the same for the same seed.

Most rows are behind by less than the slack that contracts allow; one in a hundred is so far behind that nobody waits.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

STEP = 2  # ms between two rows
KEYS = 10
NAMES = ("a", "b", "c")
_HOPELESS = 0.01


def rows_of(count: int, seed: int) -> pa.Table:
    """Make rows in arrival order: event time in ms, arrival, a key, a value and a text."""
    random = np.random.default_rng(seed)
    delay = np.where(random.random(count) < 0.6, 0, random.uniform(0, 250, count))
    delay = np.where(random.random(count) < _HOPELESS, random.uniform(3_000, 5_000, count), delay)
    arrival = np.arange(count)
    return pa.table(
        {
            "ts": (10_000 + arrival * STEP - delay).astype(np.int64),
            "seq": arrival,
            "key": random.integers(0, KEYS, count),
            "value": random.integers(0, 1_000, count),
            "text": [f"row {number}" for number in arrival],
        }
    )


def streams_of(table: pa.Table, streams: int, seed: int) -> list[pa.Table]:
    """Deal rows to streams."""
    dealt = np.random.default_rng(seed + 1).integers(0, streams, table.num_rows)
    return [table.filter(pa.array(dealt == stream)) for stream in range(streams)]


def write_input(folder: Path, tables: list[pa.Table], files: int) -> None:
    """Write a file of each stream for every batch, cut at the same arrivals; Spark takes them by their times."""
    last = max(int(table["seq"].to_numpy().max()) for table in tables) + 1
    edges = np.linspace(0, last, files + 1).astype(np.int64)
    for name, table in zip(NAMES, tables, strict=False):
        (folder / "in" / name).mkdir(parents=True)
        cuts = np.searchsorted(table["seq"].to_numpy(), edges)
        for number in range(files):
            path = folder / "in" / name / f"{number:04}.parquet"
            pq.write_table(table.slice(cuts[number], cuts[number + 1] - cuts[number]), path)
            os.utime(path, (1_700_000_000 + number,) * 2)


def read_input(folder: Path) -> dict[str, pa.Table]:
    """Return the rows of each stream, as they came."""
    return {
        stream.name: pa.concat_tables([pq.read_table(file) for file in sorted(stream.glob("*.parquet"))])
        for stream in sorted((folder / "in").iterdir())
    }
