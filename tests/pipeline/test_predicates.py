"""Conditions bound to rows: masks, and predicates that all give DuckDB's answer."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.errors import ConditionError
from slackwater.pipeline.predicates import CallablePredicate, NumericPredicate, SqlPredicate
from tests.pipeline.conditions import bound, every_pair

# filters


def test_a_stream_without_filters_passes_as_a_whole():
    assert bound(None, "a.x > 1", a={"x": [1]}, b={"x": [1]}).passes(1) is None


def test_all_filters_of_a_stream_must_hold_and_null_does_not():
    condition = bound(None, "a.x > 1 and a.s = 'y'", a={"x": [1, 2, 3, None], "s": ["y", None, "y", "y"]}, b={"z": [1]})
    assert [False, False, True, False] == condition.passes(0).tolist()


def test_a_filter_that_is_never_true_lets_nothing_pass():
    assert [False, False] == bound(None, "1 = 0", a={"x": [1, 2]}, b={"y": [1]}).passes(0).tolist()


def test_a_filter_reads_texts_as_texts_and_integers_with_64_bits():
    words = pa.array(["in", "out"]).dictionary_encode()
    bytes_ = pa.array([100, 100], pa.int8())
    condition = bound(None, "a.s like 'o%' and a.x * a.x > 9000", a={"s": words, "x": bytes_}, b={"y": [1]})
    assert [False, True] == condition.passes(0).tolist()


def test_a_filter_that_fails_on_a_row_says_which_and_why():
    condition = bound(None, "cast(a.s as int) > 1", a={"s": ["5", "five"]}, b={"y": [1]})
    with pytest.raises(ConditionError, match=r"CAST\(a.s AS INT\) > 1' failed: Could not convert string 'five'"):
        condition.passes(0)


def test_a_null_that_no_result_can_have_keeps_a_row_from_passing():
    condition = bound(None, "a.x > b.x", a={"x": [1, None]}, b={"x": [0]})
    assert [True, False] == condition.passes(0).tolist()
    assert condition.passes(1) is None


def test_a_function_of_one_stream_is_a_filter():
    condition = bound(None, lambda a: np.array(a["x"]) > 1, a={"x": [1, 2]}, b={"y": [1]})
    assert [False, True] == condition.passes(0).tolist()
    assert () == condition.predicates


def test_a_struct_field_can_be_filtered():
    condition = bound(None, "place.floor > 1", a={"place": [{"floor": 1}, {"floor": 2}]}, b={"y": [1]})
    assert [False, True] == condition.passes(0).tolist()


def test_times_are_read_in_utc():
    at = pa.array([dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)], pa.timestamp("us", tz="UTC"))
    condition = bound(None, "hour(a.at) = 12 and a.at = timestamptz '2024-07-01 12:00:00'", a={"at": at}, b={"y": [1]})
    assert [True] == condition.passes(0).tolist()


# predicates in SQL


def test_what_is_not_numeric_is_left_to_duckdb():
    predicate = bound(None, "a.s < b.s", a={"s": ["x", "y", None]}, b={"s": ["y"]}).predicates[0]
    assert isinstance(predicate, SqlPredicate)
    assert [True, False, False] == predicate.holds([np.arange(3), np.zeros(3, np.int64)]).tolist()


def test_a_predicate_can_span_three_streams():
    predicate = bound(None, "a.x + b.x > c.x", a={"x": [1, 2]}, b={"x": [1]}, c={"x": [2]}).predicates[0]
    assert (0, 1, 2) == predicate.streams
    assert [False, True] == predicate.holds([np.array([0, 1]), np.array([0, 0]), np.array([0, 0])]).tolist()


def test_no_candidates_give_an_empty_answer():
    condition = bound(None, "a.s < b.s and a.x < b.x", a={"s": ["x"], "x": [1]}, b={"s": ["y"], "x": [2]})
    none = [np.array([], np.int64)] * 2
    assert [[], []] == [predicate.holds(none).tolist() for predicate in condition.predicates]


def test_many_threads_do_not_see_each_other():
    predicate = bound(None, "a.s < b.s", a={"s": ["p", "q"]}, b={"s": ["q"]}).predicates[0]
    rows = [np.arange(2), np.zeros(2, np.int64)]
    with ThreadPoolExecutor(4) as pool:
        assert [[True, False]] * 40 == list(pool.map(lambda _: predicate.holds(rows).tolist(), range(40)))


# predicates compiled

NUMBERS = (st.integers(-5, 5), st.integers(-(2**53) - 5, 2**53 + 5), st.integers(-(2**63), 2**63 - 1))
FLOATS = st.floats() | st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.5])
CONDITIONS = (
    "a.n > b.n",
    "a.n <= b.f and a.f >= b.f",
    "a.f = 0 + b.f",
    "a.f <> b.f or a.n < b.n",
    "not (a.f > b.n)",
    "not (a.n > b.n and a.f > b.f)",
    "a.n - b.n between -2 and 2",
    "a.f between b.n and 2.5",
    "a.n between b.f and 2",
    "abs(a.n - b.n) < 3",
    "abs(a.f - b.f) < 0.5",
    "a.n + b.n > 2.5",
    "a.n / b.n > 0.5",
    "a.f / b.f > b.n",
    "a.n * b.n = 4",
    "-a.n < b.n",
    "sqrt(a.f * b.f) < 1.1",
    "sqrt(a.n) < b.n",
    "(a.f - b.f) ** 2 + power(a.n - b.n, 2) < 9",
    "dist(a.f, a.n, b.f, b.n) < 3.5",
    "least(a.n, b.n) > -1",
    "greatest(a.f, b.f, 1) >= 2",
    "least(a.f, b.n) = a.f",
    "a.n % 3 = b.n % 3",
    "a.n // -2 > b.n // 3",
    "a.n > b.n * 1e3",
    "a.f > b.n::double and true",
)


def answers(where: str, a: pa.Table, b: pa.Table) -> tuple[list[bool] | str, list[bool] | str, bool]:
    """What the chosen predicates say for every pair, what DuckDB says, and whether the first were compiled."""
    condition = bound(None, where, a=a, b=b)
    rows = every_pair(a.num_rows, b.num_rows)
    asked = answer([SqlPredicate(each, condition.columns) for each in condition.condition.residuals], rows)
    for stream, of_stream in enumerate(rows):
        passing = condition.passes(stream)
        assert passing is None or not np.asarray(asked)[~passing[of_stream]].any()
    compiled = all(isinstance(each, NumericPredicate) for each in condition.predicates)
    return answer(condition.predicates, rows), asked, compiled


def answer(predicates, rows) -> list[bool] | str:
    try:
        return np.logical_and.reduce([predicate.holds(rows) for predicate in predicates]).tolist()
    except ConditionError as error:
        return str(error)


@pytest.mark.parametrize("where", CONDITIONS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_compiled_condition_says_what_duckdb_says(where, data):
    numbers, nulls = data.draw(st.sampled_from(NUMBERS)), data.draw(st.sampled_from([(), (None,)]))
    tables = [
        pa.table(
            {
                "n": pa.array(data.draw(rows_of(numbers, nulls)), pa.int64()),
                "f": pa.array(data.draw(rows_of(FLOATS, nulls)), pa.float64()),
            }
        )
        for _ in "ab"
    ]
    compiled, asked, _ = answers(where, *tables)
    assert asked == compiled


def rows_of(values, nulls):
    return st.lists(values | st.sampled_from(nulls) if nulls else values, min_size=4, max_size=4)


@pytest.mark.parametrize("where", CONDITIONS)
def test_conditions_over_ordinary_numbers_are_compiled(where):
    table = pa.table({"n": [1, 2], "f": [0.5, 2.0]})
    if "/ b.n" not in where:
        assert answers(where, table, table)[2]


def test_a_compiled_condition_is_right_to_the_last_bit():
    random = np.random.default_rng(7)
    tables = [pa.table({"x": random.normal(0, 30, 2000), "y": random.normal(0, 30, 2000)}) for _ in "ab"]
    condition = bound(None, "dist(a.x, a.y, b.x, b.y) < 25 or (a.x - b.x) ** 2 = a.y", a=tables[0], b=tables[1])
    rows = [random.integers(0, 2000, 200_000) for _ in "ab"]
    asked = SqlPredicate(condition.condition.residuals[0], condition.columns)
    assert isinstance(condition.predicates[0], NumericPredicate)
    assert (asked.holds(rows) == condition.predicates[0].holds(rows)).all()


@pytest.mark.parametrize(
    "where",
    [
        "a.n * 0.1 > b.n",  # decimals
        "a.n + b.n * 3000000000000000000 > 1",  # may overflow
        "a.n % b.n = 0",  # b.n may be 0
        "a.n = 1 or b.n is null",
        "power(a.n, b.n) > 2",
        "a.g > b.g",  # floats of 32 bits
        "case when a.n > b.n then true else false end",
        "a.s || b.s = 'x'",
    ],
)
def test_what_could_differ_is_left_to_duckdb(where):
    table = pa.table({"n": [0, 7], "g": pa.array([1, 2], pa.float32()), "s": ["x", ""]})
    compiled, asked, was_compiled = answers(where, table, table)
    assert not was_compiled
    assert asked == compiled


def test_nulls_where_they_may_lead_to_true_are_left_to_duckdb():
    tables = [pa.table({"n": [0, None], "m": [5, 5]}) for _ in "ab"]
    assert ([True, True, True, True], False) == answers("a.n > b.n or a.m = b.m", *tables)[::2]
    assert ([True, False, False, False], True) == answers("(a.n > b.n or a.n = b.n) and b.m = a.m", *tables)[::2]


def test_an_overflow_is_an_error_that_names_the_condition():
    tables = {"a": {"n": [2**62]}, "b": {"n": [2**62]}}
    predicate = bound(None, "a.n + b.n > 1", **tables).predicates[0]
    with pytest.raises(ConditionError, match=r"'a\.n \+ b\.n > 1' failed: Overflow"):
        predicate.holds([np.array([0]), np.array([0])])


def test_a_kernel_is_called_with_columns_and_rows_of_both_streams():
    predicate = bound(None, "a.x + a.y < b.x", a={"x": [1, 5], "y": [0.5, 0.5]}, b={"x": [2]}).predicates[0]
    left, right = predicate.columns
    assert [True, False] == [predicate.kernel(left, row, right, 0) for row in (0, 1)]


def test_the_same_condition_is_compiled_once():
    conditions = [bound(None, "a.x < b.x", a={"x": [value]}, b={"x": [2]}) for value in (1, 2)]
    assert conditions[0].predicates[0].kernel is conditions[1].predicates[0].kernel


# functions


@pytest.mark.parametrize("convert", [np.array, pa.array, pd.Series, list, lambda values: pa.chunked_array([values])])
def test_a_function_may_return_any_kind_of_boolean_array(convert):
    predicate = called(lambda a, b: convert([True, False]))
    assert [True, False] == predicate.holds([np.array([0, 1]), np.array([0, 0])]).tolist()


def called(function) -> CallablePredicate:
    predicate = bound(None, function, a={"x": [10, 20], "s": ["p", "q"]}, b={"x": [1]}).predicates[0]
    assert isinstance(predicate, CallablePredicate)
    return predicate


def test_a_function_gets_aligned_rows_of_the_streams_that_it_names():
    seen = []
    predicate = called(lambda b, a: seen.append((a.to_pydict(), b.to_pydict())) or [True, True])
    assert (0, 1) == predicate.streams
    predicate.holds([np.array([1, 0]), np.array([0, 0])])
    assert [({"x": [20, 10], "s": ["q", "p"]}, {"x": [1, 1]})] == seen


def test_null_from_a_function_is_not_true():
    assert [True, False] == called(lambda a, b: pa.array([True, None])).holds([np.arange(2), np.zeros(2, int)]).tolist()


def test_a_function_is_not_called_without_candidates():
    assert [] == called(lambda a, b: 1 / 0).holds([np.array([], np.int64)] * 2).tolist()


@pytest.mark.parametrize(
    ("returned", "named"),
    [
        (True, "bool"),
        (None, "NoneType"),
        (np.array([True]), "ndarray of 1 x bool"),
        (pa.array([1, 0]), "Int64Array of 2 x int64"),
        (np.ones((2, 2), bool), "ndarray"),
    ],
)
def test_a_function_that_returns_something_else_is_an_error_that_names_it(returned, named):
    def near(a, b):
        return returned

    with pytest.raises(ConditionError, match=f"'near' failed: it returned {named}; return a boolean array with one"):
        called(near).holds([np.arange(2), np.zeros(2, np.int64)])


@pytest.mark.parametrize("compare", [lambda a, b: a["x"] > b["x"], lambda a, b: a["x"] == b["x"]], ids=[">", "=="])
def test_a_function_that_compares_columns_by_an_operator_of_python_is_told_what_does(compare):
    tables = {"a": {"x": [1, 2]}, "b": {"x": [1]}}
    predicate = bound(None, compare, **tables).predicates[0]
    with pytest.raises(ConditionError, match=r'pyarrow\.compute as pc, such as pc\.greater\(a\["x"\], b\["x"\]\)'):
        predicate.holds([np.arange(2), np.zeros(2, np.int64)])


def test_an_exception_inside_a_function_is_chained():
    with pytest.raises(ConditionError, match="'<lambda>' failed: KeyError") as raised:
        called(lambda a, b: a["nosuch"]).holds([np.arange(2), np.zeros(2, np.int64)])
    assert isinstance(raised.value.__cause__, KeyError)
