"""Bands bound to rows: looking into nearby cells only gives what looking everywhere gives.

Which cells are looked into does not depend on how a condition is judged. So all conditions are tried as plain Python,
and a few compiled, which takes seconds for each; `test_predicates` has what compiled conditions say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slackwater.core import probe
from slackwater.core.bound import Seeds
from slackwater.core.combine import Combiner
from slackwater.core.probe import Pool
from slackwater.core.work import Work
from slackwater.errors import ConditionError
from slackwater.pipeline import kernels, predicates
from slackwater.pipeline.predicates import bind
from slackwater.plan.condition import analyze_condition

CONDITIONS = [
    "abs(a.x - b.x) < 5",
    "abs(a.x - b.x) <= 0.1",
    "a.x between b.x - 5 and b.x + 5",
    "a.x - b.x <= 5 and b.x - a.x <= 5",
    "a.x - b.x >= -5 and a.x - b.x <= 2",
    "a.x <= b.x + 5 and b.x <= a.x + 1",
    "dist(a.x, a.y, b.x, b.y) < 5",
    "dist(a.x, a.y, b.x, b.y) <= 1e-3",
    "abs(a.x - b.x) + abs(a.y - b.y) <= 3",
    "abs(a.x / 100 - b.x) < 5",
    "abs(a.x + b.x) < 5 and a.y > b.y",
    "abs(a.x - b.x - 1000000) < 5",
    "abs(a.x - b.x) < 1e-120",
    "abs(a.x - b.x) < 1e90",
]
COMPILED = ["a.x - b.x >= -5 and a.x - b.x <= 2", "dist(a.x, a.y, b.x, b.y) < 5"]
WILD = [0.0, -0.0, 5.0, -5.0, 0.1, 4.999999999999999, 5.000000000000001, 1e6, 1e15, 1e16, 1e17, 1e17 + 16, 1e300,
        -1e300, 1.7e308, 5e-324, 1e-130, math.inf, -math.inf, math.nan]  # fmt: skip
FLOATS = st.one_of(st.sampled_from(WILD), st.floats(-30, 30), st.floats(), st.integers(-20, 20).map(float), st.none())
INTEGERS = st.one_of(st.integers(-20, 20), st.sampled_from([2**53 + 1, 2**62, -(2**62), 2**63 - 1]), st.none())
ROWS = st.lists(st.tuples(FLOATS, FLOATS), max_size=12)


@contextmanager
def interpreted() -> Iterator[None]:
    """Let Python run what would be compiled for a condition: the condition, and the loops that take it in."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        for module in (kernels, probe):
            patch.setattr(module, "compiled_source", lambda function: function)
        patch.setattr(predicates, "kernel_of", kernels.kernel_of.__wrapped__)  # none of these is to be remembered
        patch.setattr(predicates, "_each", predicates._each.py_func)
        yield


def table(rows, kind):
    xs, ys = zip(*rows, strict=True) if rows else ((), ())
    return pa.table({"x": pa.array(xs, kind), "y": pa.array(ys, kind)})


def found(where, tables, only):
    """All pairs of rows, in the order in which they are found, and how many each row of the first stream has."""
    condition = bind(analyze_condition(None, where, [("a", tables[0].schema), ("b", tables[1].schema)]), tables)
    pools = []
    for each in tables:
        rows = np.arange(each.num_rows)
        pools.append(Pool(rows, rows, np.full(len(rows), -1)))
    work = Work(only)
    combiner = Combiner(condition, tuple(pools), work)
    times = np.arange(tables[0].num_rows)
    seeds = Seeds(0, times, (times - 99,) * 2, (times + 99,) * 2, times)
    bound = combiner.combinations(seeds)
    listed = list(zip(bound.rows[0].tolist(), bound.rows[1].tolist(), strict=True))
    used = {bands for step in work.steps.values() for bands in step.bands}
    return listed, combiner.count(seeds).tolist(), used


def same_either_way(where, tables):
    results = []
    for only in ("nested", "band"):
        try:
            results.append(found(where, tables, only)[:2])
        except ConditionError as error:  # integers that overflow in DuckDB do so either way
            results.append(str(error))
    return results[0] == results[1]


@pytest.mark.parametrize("where", CONDITIONS)
@settings(max_examples=40)
@example([(math.nan, 0.0)], [(math.nan, 0.0), (1.0, 0.0)])
@example([(math.inf, 0.0), (1e17, 0.0)], [(math.inf, 0.0), (1e17 + 16, 0.0)])
@given(ROWS, ROWS)
def test_a_search_in_nearby_cells_finds_what_a_search_everywhere_finds(where, left, right):
    with interpreted():
        assert same_either_way(where, [table(left, pa.float64()), table(right, pa.float64())])


@pytest.mark.parametrize("where", CONDITIONS)
@settings(max_examples=20)
@given(
    st.lists(st.tuples(INTEGERS, INTEGERS), max_size=12), st.lists(st.tuples(st.integers(-9, 9), INTEGERS), max_size=12)
)
def test_the_same_holds_for_integers(where, left, right):
    with interpreted():
        assert same_either_way(where, [table(left, pa.int64()), table(right, pa.int64())])


@pytest.mark.parametrize("where", COMPILED)
@settings(max_examples=40)
@given(ROWS, ROWS)
def test_the_same_holds_for_compiled_conditions(where, left, right):
    assert same_either_way(where, [table(left, pa.float64()), table(right, pa.float64())])


@pytest.mark.parametrize("where", CONDITIONS)
def test_every_condition_above_is_searched_by_cells_when_told_to(where):
    tables = [table([(1.0, 2.0), (3.0, 4.0)], pa.float64())] * 2
    with interpreted():
        assert () not in found(where, tables, "band")[2]


def test_partners_lie_at_most_one_cell_apart_however_large_the_numbers():
    values = np.array([x * 10.0**e for e in range(-5, 20) for x in (1, -1, 1.5, 7.77)])
    near = np.concatenate((values, np.nextafter(values, np.inf), values + 5, values - 5))
    tables = [pa.table({"x": near, "y": near})] * 2
    condition = bind(analyze_condition(None, "abs(a.x - b.x) <= 5", [(n, tables[0].schema) for n in "ab"]), tables)
    cells = [condition.bands[0].cells(stream) for stream in (0, 1)]
    close = np.abs(np.subtract.outer(near, near)) <= 5
    assert np.abs(np.subtract.outer(*cells))[close].max() <= 1


def test_a_condition_that_duckdb_must_judge_gives_no_cells():
    wide = pa.table({"x": [2**62, -(2**62)]})
    condition = bind(analyze_condition(None, "abs(a.x - b.x) < 5", [(n, wide.schema) for n in "ab"]), [wide] * 2)
    assert not condition.bands[0].usable


def test_floats_of_32_bits_are_no_band():
    schema = pa.schema([("x", pa.float32())])
    assert () == analyze_condition(None, "abs(a.x - b.x) < 5", [("a", schema), ("b", schema)]).bands
