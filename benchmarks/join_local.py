"""The whole in-process join over out-of-order rows, against engines that join the same rows already sorted.

The rivals get sorted tables, one query, no disorder to handle and both cores; results are checked to be equal first.
Both are asked twice: plainly, by key and time, and with times cut by hand into bins of twice the window, as an expert
would who knows that they look at all pairs of a key otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

import slackwater as sw
from benchmarks.harness import Case, discarding, nothing
from slackwater.contracts import Contract

WINDOW_US = 5_000_000
_CLOSE = f"a.ts between b.ts - {WINDOW_US} and b.ts + {WINDOW_US}"
NOTHING_LOST = sw.FixedSlack("1 second")  # the longest delay is below that


def cases(*, quick: bool) -> Iterator[Case]:
    """Equality of keys, a distance, and what disorder handling costs where there is none."""
    rows = 100_000 if quick else 1_000_000
    tables = [keyed(rows, seed) for seed in (1, 2)]
    arrived, ordered = [arrival_order(table, seed) for seed, table in enumerate(tables)], tables
    results = _checked(arrived, ordered)
    config = {"rows": [rows, rows], "keys": 10_000, "results": results}
    for rival_name, rival in RIVALS.items():
        yield Case(
            "local equi-join, out of order",
            lambda: nothing(ours_keys(arrived, NOTHING_LOST)),
            discarding(rival, ordered),
            0.5,
            rival_name,
            config,
        )
    yield Case(
        "local equi-join, out of order, Recall(0.99)",
        lambda: nothing(ours_keys(arrived, sw.Recall(0.99))),
        lambda: nothing(duck_keys(ordered)),
        1.0,
        "DuckDB, sorted input",
        config,
    )
    yield _distance(20_000 if quick else 100_000)
    yield Case(
        "disorder handling on sorted input, Recall(0.99)",
        lambda: nothing(ours_keys(ordered, sw.Recall(0.99))),
        lambda: nothing(ours_keys(ordered, sw.NoSlack())),
        1.05,
        "the same join without slack",
        config,
    )


def keyed(rows: int, seed: int, *, keys: int = 10_000, per_second: int = 1_000) -> pa.Table:
    """Return sorted rows with a key and a value."""
    random = np.random.default_rng(seed)
    times = np.sort(random.integers(0, rows * 1_000_000 // per_second, rows)) + 1_700_000_000_000_000
    return pa.table(
        {"ts": pa.array(times), "key": pa.array(random.integers(0, keys, rows)), "value": pa.array(np.arange(rows))}
    )


def arrival_order(table: pa.Table, seed: int) -> pa.Table:
    """Return the rows as they arrive: a third of them late by 20 ms on average; `seq` orders both streams."""
    random = np.random.default_rng(100 + seed)
    times = table["ts"].to_numpy()
    late = np.where(random.random(len(times)) < 0.3, random.exponential(20_000, len(times)), 0)
    order = np.argsort(times + np.minimum(late, 900_000), kind="stable")
    return table.take(order).append_column("seq", pa.array(np.sort(times) * 2 + seed % 2))


def _streams(tables: list[pa.Table]) -> list[sw.Stream]:
    arrival = "seq" if "seq" in tables[0].column_names else None
    return [
        sw.stream(table, name=name, event_time="ts", unit="us", arrival=arrival)
        for name, table in zip("abc", tables, strict=False)
    ]


def ours_keys(tables: list[pa.Table], contract: Contract) -> pa.Table:
    """Join by key."""
    joined = sw.join(*_streams(tables), on="key", within="5 seconds", contract=contract)
    assert joined.decisions.num_rows
    results: pa.Table = joined.results
    return results


def duck_keys(tables: list[pa.Table]) -> pa.Table:
    """The same by DuckDB."""
    return _duck(tables, f"a.key = b.key and {_CLOSE}")


def duck_bins(tables: list[pa.Table]) -> pa.Table:
    """The same by DuckDB, by key and bin: a row of one stream is in one, a row of the other in two."""
    near = (f"select *, (ts + {reach}) // {2 * WINDOW_US} as bin from b" for reach in (-WINDOW_US, WINDOW_US))
    reaching = f"({' union all '.join(near)}) as b"
    return _duck(tables, f"a.key = b.key and a.ts // {2 * WINDOW_US} = b.bin and {_CLOSE}", reaching)


def polars_keys(tables: list[pa.Table]) -> pl.DataFrame:
    """The same by Polars."""
    a, b = (pl.from_arrow(table).lazy() for table in tables)  # type: ignore[union-attr]
    return _close_ones(a.join(b, on="key"))


def polars_bins(tables: list[pa.Table]) -> pl.DataFrame:
    """The same by Polars, by key and bin."""
    a, b = (pl.from_arrow(table).lazy() for table in tables)  # type: ignore[union-attr]
    ones, early, late = (
        frame.with_columns(((pl.col("ts") + reach) // (2 * WINDOW_US)).alias("bin"))
        for frame, reach in ((a, 0), (b, -WINDOW_US), (b, WINDOW_US))
    )
    return _close_ones(ones.join(pl.concat([early, late]), on=["key", "bin"]))


RIVALS: dict[str, Callable[[list[pa.Table]], pa.Table | pl.DataFrame]] = {
    "DuckDB, sorted input": duck_keys,
    "Polars, sorted input": polars_keys,
    "DuckDB, sorted input, bins by hand": duck_bins,
    "Polars, sorted input, bins by hand": polars_bins,
}


def _close_ones(joined: pl.LazyFrame) -> pl.DataFrame:
    close = (pl.col("ts") - pl.col("ts_right")).abs() <= WINDOW_US
    latest = pl.max_horizontal("ts", "ts_right").alias("event_time")
    return joined.filter(close).with_columns(latest).sort("event_time").collect()


def _checked(arrived: list[pa.Table], ordered: list[pa.Table]) -> int:
    """Return how many results there are, if all find the same ones."""
    ours = ours_keys(arrived, NOTHING_LOST).flatten()
    expected = _pairs(ours["a.value"], ours["b.value"])
    for name, rival in RIVALS.items():
        found = rival(ordered)
        a, b = ("value", "value_right") if isinstance(found, pl.DataFrame) else ("a_value", "b_value")
        assert np.array_equal(expected, _pairs(found[a], found[b])), f"{name} finds other results"
    return len(expected)


def _pairs(a: Any, b: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of the rows of each result as one, sorted."""
    return np.sort(a.to_numpy() * (1 << 32) + b.to_numpy())


def _distance(rows: int) -> Case:
    random = np.random.default_rng(3)
    tables = [
        keyed(rows, seed)
        .append_column("x", pa.array(random.random(rows) * 100))
        .append_column("y", pa.array(random.random(rows) * 100))
        for seed in (4, 5)
    ]
    arrived = [arrival_order(table, seed) for seed, table in enumerate(tables)]

    def ours() -> pa.Table:
        near = "dist(a.x, a.y, b.x, b.y) < 1"
        joined = sw.join(*_streams(arrived), where=near, within="1 second", contract=NOTHING_LOST)
        results: pa.Table = joined.results
        return results

    def duck() -> pa.Table:
        near = "sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)) < 1"
        return _duck(tables, f"{near} and a.ts between b.ts - 1000000 and b.ts + 1000000")

    results = ours().num_rows
    assert results == duck().num_rows
    return Case(
        "local join by distance, out of order",
        lambda: nothing(ours()),
        lambda: nothing(duck()),
        1.5,
        "DuckDB, sorted input",
        {"rows": [rows, rows], "results": results},
    )


def _duck(tables: list[pa.Table], condition: str, b: str = "b") -> pa.Table:
    with duckdb.connect() as connection:
        for name, table in zip("ab", tables, strict=False):
            connection.register(name, table)
        columns = ", ".join(f"{name}.{column} as {name}_{column}" for name in "ab" for column in tables[0].column_names)
        sql = f"select greatest(a.ts, b.ts) as event_time, {columns} from a join {b} on {condition} order by event_time"
        results: pa.Table = connection.sql(sql).to_arrow_table()
        return results
