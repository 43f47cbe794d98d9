"""Seeded rows in arrival order that all benchmarks use."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def out_of_order(rows: int, *, seed: int = 1, gap_us: int = 100, mean_delay_us: int = 20_000) -> pa.Table:
    """Return rows one per `gap_us`, 30 % of them out of order by exponential delays; two numbers and a key besides."""
    random = np.random.default_rng(seed)
    sent = np.arange(rows, dtype=np.int64) * gap_us + 1_700_000_000_000_000
    delays = np.where(random.random(rows) < 0.7, 0, random.exponential(mean_delay_us, rows)).astype(np.int64)
    return pa.table(
        {
            "event_time": pa.array(sent - delays).cast(pa.timestamp("us", tz="UTC")),
            "seq": pa.array(np.arange(rows, dtype=np.int64)),
            "key": pa.array(random.integers(0, 1000, rows, dtype=np.int32)),
            "x": pa.array(random.random(rows)),
            "y": pa.array(random.random(rows)),
        }
    )
