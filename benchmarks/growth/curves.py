"""What grows: rows, windows, keys, skew, streams, delays, slack, results; in process.

Wherever a size would change how many results there are, something else is set so that it does not, or cost is taken per
result: the results of a join grow with its window and with the share of its largest key, and no engine can help that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.growth.curve import Curve, Work
from benchmarks.join_local import arrival_order, keyed

_MILLION = 1_000_000


def curves(*, quick: bool) -> list[Curve]:
    """Return all curves; quick ones have a hundredth of the rows."""
    rows = 20_000 if quick else 2 * _MILLION
    return [*_rows(quick), *_windows(rows), *_keys(rows), *_streams(rows // 4), *_disorder(rows), *_results(rows)]


def _rows(quick: bool) -> list[Curve]:
    sizes = [size * (10_000 if quick else _MILLION) for size in (1, 4, 16, 64)]
    return [
        Curve("reorder", "rows", sizes, lambda n: _reorder(out_of_order(int(n)))),
        Curve("join", "rows, both streams", sizes, lambda n: _join(_arrived(int(n) // 2, 10_000))),
        Curve("aggregate", "rows", sizes, lambda n: _aggregate(out_of_order(int(n)))),
    ]


def _windows(rows: int) -> list[Curve]:
    """Windows from a second to ten minutes; a join has as many more keys, so as many results."""
    seconds = (1, 10, 60, 600)
    return [
        Curve("join", "window, s", seconds, lambda s: _join(_arrived(rows // 4, int(2_000 * s)), within=s)),
        Curve("aggregate", "window, slides of 1 s", seconds, lambda s: _aggregate(out_of_order(rows), size=s), True),
    ]


def _keys(rows: int) -> list[Curve]:
    """Keys from few to more than rows; then one key that has a growing share of all rows."""
    counts = (10, 1_000, 100_000, 10_000_000)
    shares = (0.01, 0.05, 0.2, 0.5)
    return [
        Curve("aggregate", "keys", counts, lambda n: _aggregate(_with_keys(out_of_order(rows), int(n)))),
        Curve("join", "keys", counts[1:], lambda n: _join(_arrived(rows // 4, int(n)), within=0.1)),
        Curve("join", "share of one key", shares, lambda s: _join(_skewed(rows // 20, s), within=0.5), True),
        Curve("aggregate", "share of one key", shares, lambda s: _aggregate(_with_share(out_of_order(rows), s))),
    ]


def _streams(rows: int) -> list[Curve]:
    """Two to six streams with as many rows in all; results of several streams are per combination."""
    counts = (2, 3, 4, 6)
    return [
        Curve("merge", "streams", counts, lambda m: _merge(_arrived(rows // int(m), 10_000, streams=int(m)))),
        Curve("join", "streams", counts, lambda m: _join(_arrived(rows // int(m), 10_000, streams=int(m)))),
    ]


def _disorder(rows: int) -> list[Curve]:
    """Delays with ever heavier tails, all of them waited for; then slack from nothing to an hour."""
    tails = (0.01, 0.1, 1, 10, 100)
    slacks = (0.001, 0.1, 10, 3_600)
    return [
        Curve("reorder", "mean delay, s", tails, lambda s: _reorder(_tailed(rows, s), slack=3_600)),
        Curve("reorder", "slack, s", slacks, lambda s: _reorder(out_of_order(rows), slack=s)),
        Curve("join", "slack, s", slacks, lambda s: _join(_arrived(rows // 4, 10_000), slack=s)),
    ]


def _results(rows: int) -> list[Curve]:
    """From one result for a hundred rows to a hundred results for a row."""
    per_row = (0.01, 0.1, 1, 10, 100)
    few = rows // 40
    # Two rows of one key are within a second with probability 2 s * 1,000 rows/s / keys.
    return [Curve("join", "results per row", per_row, lambda n: _join(_arrived(few, int(1_000 / n)), within=1))]


def _reorder(table: pa.Table, slack: float = 1) -> Work:
    def work() -> int:
        ordered = sw.reorder(sw.stream(table, event_time="event_time"), contract=_fixed(slack))
        assert table.num_rows == ordered.results.num_rows + ordered.late.num_rows
        return int(ordered.results.num_rows)

    return work


def _aggregate(table: pa.Table, size: float = 10) -> Work:
    values = {"n": sw.count(), "total": sw.sum("x"), "most": sw.max("y")}

    def work() -> int:
        stream = sw.stream(table, event_time="event_time")
        windows = sw.aggregate(
            stream, by="key", size=f"{size} seconds", slide="1 second", values=values, contract=_fixed(1)
        )
        return int(windows.results.num_rows)

    return work


def _merge(tables: Sequence[pa.Table]) -> Work:
    return lambda: int(sw.merge(*_named(tables), contract=_fixed(1)).results.num_rows)


def _join(tables: Sequence[pa.Table], *, within: float = 5, slack: float = 1) -> Work:
    def work() -> int:
        joined = sw.join(*_named(tables), on="key", within=f"{within} seconds", contract=_fixed(slack))
        return int(joined.results.num_rows)

    return work


def _fixed(seconds: float) -> sw.FixedSlack:
    return sw.FixedSlack(f"{round(seconds * 1_000)} ms")


def _named(tables: Sequence[pa.Table]) -> list[sw.Stream]:
    return [
        sw.stream(table, name=name, event_time="ts", unit="us", arrival="seq")
        for name, table in zip("abcdef", tables, strict=False)
    ]


def _arrived(rows: int, keys: int, streams: int = 2) -> list[pa.Table]:
    return [arrival_order(keyed(rows, seed, keys=max(keys, 1)), seed) for seed in range(1, streams + 1)]


def _replaced(table: pa.Table, keys: Callable[[np.random.Generator, int], np.ndarray]) -> pa.Table:
    drawn = keys(np.random.default_rng(7), table.num_rows)
    return table.set_column(table.column_names.index("key"), "key", pa.array(drawn))


def _with_keys(table: pa.Table, keys: int) -> pa.Table:
    return _replaced(table, lambda random, rows: random.integers(0, keys, rows))


def _with_share(table: pa.Table, share: float) -> pa.Table:
    return _replaced(
        table, lambda random, rows: np.where(random.random(rows) < share, 0, random.integers(1, 1_000, rows))
    )


def _skewed(rows: int, share: float) -> list[pa.Table]:
    return [_with_share(table, share) for table in _arrived(rows, 10_000)]


def _tailed(rows: int, mean_delay: float) -> pa.Table:
    """Return rows with Pareto delays: their mean is given, their variance has no bound."""
    table = out_of_order(rows)
    random = np.random.default_rng(3)
    delays = np.minimum(random.pareto(1.5, rows) * 0.5 * mean_delay, 3_000) * 1e6
    sent = np.arange(rows, dtype=np.int64) * 100 + 1_700_000_000_000_000
    late = np.where(random.random(rows) < 0.3, delays, 0).astype(np.int64)
    return table.set_column(0, "event_time", pa.array(sent - late).cast(pa.timestamp("us", tz="UTC")))
