"""How the cost of a join grows: with rows, with results, with the window, with keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import slackwater as sw
from benchmarks.harness import Case
from benchmarks.join_local import arrival_order, keyed
from slackwater.local.join import run_join


def cases(*, quick: bool) -> Iterator[Case]:
    """Each case is the larger size against the smaller; the limit is linear growth, a tenth more allowed."""
    rows = 50_000 if quick else 200_000
    small = _arrived(rows)
    for factor in (2, 4, 8):
        large = _arrived(rows * factor)
        yield Case(f"{factor}x the rows", partial(_join, large), lambda: _join(small), factor * 1.1, f"{rows} rows")
    for factor in (2, 4, 8):
        window = f"{factor} seconds"
        yield Case(
            f"{factor}x the window, as many results",
            partial(_join_keys, small, 1_000 * factor, window),
            partial(_join_keys, small, 1_000, "1 second"),
            1.25,
            "1 second",
        )
    for factor in (2, 4, 8):
        yield Case(
            f"{factor}x the results",
            partial(_join_keys, small, 400 // factor),
            partial(_join_keys, small, 400),
            factor * 1.1,
            "about 5 results per row",
        )
    yield Case("100x the slack", lambda: _join(small, slack="100 seconds"), lambda: _join(small), 1.5, "1 second")


def _arrived(rows: int) -> list[pa.Table]:
    return [arrival_order(keyed(rows, seed), seed) for seed in (1, 2)]


def _keys(tables: list[pa.Table], keys: int) -> list[pa.Table]:
    return [
        table.set_column(1, "key", pa.array(np.random.default_rng(seed).integers(0, keys, table.num_rows)))
        for seed, table in enumerate(tables)
    ]


def _join_keys(tables: list[pa.Table], keys: int, within: str = "2 seconds") -> None:
    _join(_keys(tables, keys), within=within)


def _join(tables: list[pa.Table], *, within: str = "2 seconds", slack: str = "1 second") -> None:
    streams = [
        sw.stream(table, name=name, event_time="ts", unit="us", arrival="seq")
        for name, table in zip("ab", tables, strict=True)
    ]
    joined: Any = sw.join(*streams, on="key", within=within, contract=sw.FixedSlack(slack))
    for _ in run_join(joined.node, joined.tables, processing_time=joined.processing_time):
        pass
