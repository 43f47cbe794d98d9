"""Functions: in process those that give the same as on Spark; every other names the engine that has it."""

from __future__ import annotations

import datetime as dt
import math

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.sql.functions import LOCAL

# One call for each function that is let through in process, and for the operators that engines disagree about.
CALLS = [
    *("abs(x)", "ceil(y)", "floor(y)", "round(y, 1)", "sqrt(abs(y))", "exp(x)", "ln(z)", "log10(z)", "power(x, 2)"),
    *("pow(z, 3)", "sign(x)", "mod(x, 3)", "pi()", "sin(y)", "cos(y)", "tan(y)", "atan(y)", "atan2(y, 2.0D)"),
    *("radians(y)", "degrees(y)", "greatest(x, 2, n)", "least(x, 2, n)", "coalesce(n, x)", "nvl(n, x)", "ifnull(n, 5)"),
    *("nullif(x, 3)", "if(x > 1, 'a', 'b')", "concat(s, '-', s)", "upper(s)", "lower(s)"),
    *("length(s)", "trim(s)", "ltrim(s)", "rtrim(s)", "substring(s, 2, 2)", "substr(s, 2)", "replace(s, 'b', 'x')"),
    *("startswith(s, ' a')", "endswith(s, 'c')", "contains(s, 'B')", "left(s, 2)", "right(s, 2)", "lpad(s, 6, '.')"),
    *("rpad(s, 6, '.')", "reverse(s)", "repeat(s, 2)", "year(t)", "month(t)", "day(t)", "hour(t)", "minute(t)"),
    *("second(t)", "date_trunc('HOUR', t)", "cast(x AS STRING)", "cast(y AS INT)", "try_cast(s AS INT)"),
    *("dist(x, y, z, 1.5D)", "min(x, z)", "max(x, z)", "x / 2", "x div 2", "x % 2", "-x % 3", "x <=> n", "s || 'x'"),
    *("CASE WHEN x > 1 THEN 'many' ELSE 'few' END", "x BETWEEN 1 AND 2", "s LIKE '% b%'", "x IN (1, 2)", "NOT x > 1"),
    *("cast(y AS DECIMAL(10,2))", "t + INTERVAL 5 SECONDS", "y * 1e3", "x = 1.0", 's = "x"', "n > 1 OR x > 0"),
]
ROWS = pa.table(
    {
        "ts": [1, 2, 3],
        "x": [1, -5, 3],
        "y": [0.25, -2.5, 7.125],
        "z": [1, 10, 1000],
        "n": pa.array([None, None, 4], pa.int64()),
        "s": [" a b", "Bcd ", "x"],
        "t": pa.array([dt.datetime(2024, 5, 1, 8, 30, 15, tzinfo=dt.UTC)] * 3, pa.timestamp("us", tz="UTC")),
    }
)
QUERY = f"SELECT {', '.join(f'{call} AS c{number}' for number, call in enumerate(CALLS))} FROM rows WITH NO SLACK"


def names_in(calls: list[str]) -> set[str]:
    return {name for name in LOCAL if any(f"{name}(" in call for call in calls)}


def test_every_function_that_is_let_through_is_compared():
    assert LOCAL == names_in(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_of_the_subset_runs_in_process(call):
    rows = sw.stream(ROWS, event_time="ts", unit="s")
    assert 3 == sw.sql(f"SELECT {call} AS found FROM rows WITH NO SLACK", rows=rows).results.num_rows


@pytest.mark.spark
def test_the_subset_gives_the_same_on_spark(spark):
    here = sw.sql(QUERY, rows=sw.stream(ROWS, event_time="ts", unit="s")).results.to_pylist()
    frame = spark.createDataFrame(ROWS)
    there = sw.sql(QUERY, rows=sw.stream(frame, event_time="ts", unit="s")).results.toArrow().to_pylist()
    different = [
        (call, [row[f"c{number}"] for row in here], [row[f"c{number}"] for row in there])
        for number, call in enumerate(CALLS)
        if not all(same(a[f"c{number}"], b[f"c{number}"]) for a, b in zip(here, there, strict=True))
    ]
    assert [] == different


def same(here: object, there: object) -> bool:
    if isinstance(here, float) and isinstance(there, float):
        return math.isclose(here, there, rel_tol=1e-12)
    return here == there


@pytest.mark.spark
def test_a_function_that_spark_lacks_is_an_error_at_its_place(spark):
    frame = sw.stream(spark.createDataFrame(ROWS), event_time="ts", unit="s")
    with pytest.raises(sw.SqlError, match="column 8") as caught:
        sw.sql("SELECT list_sum(x) FROM rows WITH NO SLACK", rows=frame)
    assert "Spark" in str(caught.value)
