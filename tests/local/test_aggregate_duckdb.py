"""Final results equal what DuckDB computes from the sorted data: every function, 200 random plans."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw

PLANS = 200
FUNCTIONS = {
    "n": (sw.count(), "count(*)"),
    "known": (sw.count("i"), "count(i)"),
    "total": (sw.sum("i"), "sum(i)::bigint"),
    "total_f": (sw.sum("f"), "sum(f)"),
    "average": (sw.mean("i"), "avg(i)"),
    "average_f": (sw.mean("f"), "avg(f)"),
    "least": (sw.min("i"), "min(i)"),
    "least_f": (sw.min("f"), "min(f)"),
    "most": (sw.max("i"), "max(i)"),
    "most_f": (sw.max("f"), "max(f)"),
    "spread": (sw.variance("i"), "variance(i)"),
    "spread_f": (sw.variance("f"), "variance(f)"),
    "latest": (sw.max("seen"), "max(seen)"),
    "tail": (sw.quantile("i", 0.9), "quantile_disc(i, 0.9)"),
    "middle_f": (sw.quantile("f", 0.5), "quantile_disc(f, 0.5)"),
    "kinds": (sw.distinct("key"), "count(DISTINCT key)"),
    "kinds_i": (sw.distinct("i"), "count(DISTINCT i)"),
}
WITHIN = {"tail": {"rel": 0.0100001}, "middle_f": {"rel": 0.0100001}, "kinds_i": {"rel": 0.06, "abs": 1}}
EXACT = {"rel": 1e-9, "abs": 1e-9}


def random_table(random: np.random.Generator) -> pa.Table:
    rows = int(random.integers(1, 400))
    pace = int(random.choice([1, 10, 300]))
    times = np.arange(rows) * pace - np.floor(random.exponential(20 * pace, rows)) + random.choice([0, -10_000])
    texts = np.array(["a", "b", "ß", ""], object)
    return pa.table(
        {
            "ts": times.astype(np.int64),
            "key": pa.array(random.choice(texts, rows), mask=random.random(rows) < 0.1),
            "zone": random.integers(0, 3, rows) * 10**12,
            "i": pa.array(random.integers(-1_000, 1_000, rows), mask=random.random(rows) < 0.2),
            "f": pa.array(random.normal(0, 10, rows), mask=random.random(rows) < 0.2),
            "seen": pa.array(random.integers(0, 10**15, rows)).cast(pa.timestamp("us")),
        }
    )


def truth(rows: pa.Table, by: list[str], size: int, slide: int, names: list[str]) -> pa.Table:
    """Every row in every window that covers it, grouped."""
    keys = ", ".join(["w", *by])
    values = ", ".join(f"{FUNCTIONS[name][1]} AS {name}" for name in names)
    first, last = f"floor(ts / {slide}.0)", f"floor((ts + {size}) / {slide}.0) - 1"
    listed = f"SELECT *, unnest(generate_series({first}::bigint, ({last})::bigint)) AS w FROM rows"
    return duckdb.sql(f"SELECT {keys}, {values} FROM ({listed}) GROUP BY {keys}").to_arrow_table()


def as_rows(table: pa.Table, names: list[str]) -> list[list]:
    rows = [[None if row[name] is None else row[name] for name in names] for row in table.to_pylist()]
    return sorted(rows, key=lambda row: [str(value) for value in row[:4]])


@pytest.mark.parametrize("part", range(4))
def test_finals_equal_duckdb_over_the_sorted_data(part):
    random = np.random.default_rng(part)
    for _ in range(PLANS // 4):
        table = random_table(random)
        slide = int(random.integers(1, 200))
        size = slide * int(random.integers(1, 6)) + int(random.choice([0, random.integers(0, 200)]))
        by = [["key"], ["key", "zone"], ["zone"], []][int(random.integers(0, 4))]
        names = list(random.choice(list(FUNCTIONS), int(random.integers(1, 6)), replace=False))
        check(table, by, size, slide, names)


def check(table: pa.Table, by: list[str], size: int, slide: int, names: list[str]) -> None:
    bus = sw.stream(table, event_time="ts", unit="ms", max_ahead=None)
    found = sw.aggregate(
        bus,
        by=by,
        size=f"{size} ms",
        slide=f"{slide} ms",
        values={name: FUNCTIONS[name][0] for name in names},
        contract=sw.FixedSlack("1 hour"),
    )
    assert 0 == found.late.num_rows
    ends = found.results["window"].combine_chunks().field("end").cast(pa.int64()).to_numpy()
    windows = found.results.append_column("w", pa.array(ends // (slide * 1_000) - 1))
    columns = ["w", *by, *names]
    expected = as_rows(truth(table, by, size, slide, names), columns)
    actual = as_rows(windows, columns)
    assert len(expected) == len(actual)
    for left, right in zip(expected, actual, strict=True):
        assert right == [about(name, value) for name, value in zip(columns, left, strict=True)]


def about(name: str, value: Any) -> Any:
    """What is near enough to the truth."""
    inexact = isinstance(value, float) or name in WITHIN
    return pytest.approx(value, **WITHIN.get(name, EXACT)) if inexact and value is not None else value
