"""Codes of keys: equal where DuckDB says that the keys are."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import ConditionError
from slackwater.pipeline.predicates import SqlPredicate
from tests.pipeline.conditions import bound, every_pair


def equal_pairs(left, right) -> set[tuple[int, int]]:
    """The pairs of rows of two columns that have the same key."""
    condition = bound("k", left={"k": left}, right={"k": right})
    a, b = condition.codes(0, 0), condition.codes(0, 1)
    assert max([*a, *b, -1]) < condition.code_count(0)
    return {(i, j) for i in range(len(a)) for j in range(len(b)) if a[i] == b[j] >= 0}


def test_equal_keys_have_equal_codes_in_all_streams():
    assert {(0, 1), (2, 1), (1, 2)} == equal_pairs([7, 9, 7], [8, 7, 9])


def test_null_has_no_code_and_equals_nothing():
    assert {(1, 1)} == equal_pairs([None, 1], [None, 1])
    assert {(1, 1)} == equal_pairs([None, "a"], [None, "a"])
    assert {(1, 1)} == equal_pairs([None, 0.5], [None, 0.5])
    assert {(1, 1)} == equal_pairs([None, 2**60, 0], [None, 2**60])


@pytest.mark.parametrize("others", [pa.array([1, 2]), pa.array(["a"]), pa.array([True]), pa.nulls(1)])
def test_a_key_column_without_a_type_equals_nothing(others):
    assert set() == equal_pairs(pa.nulls(2), others)
    assert set() == equal_pairs(others, pa.nulls(0))


def test_integers_of_a_small_range_keep_their_distances():
    condition = bound("k", a={"k": [1000, 1003]}, b={"k": pa.array([1001], pa.int16())})
    assert [[0, 3], [1]] == [condition.codes(0, stream).tolist() for stream in (0, 1)]
    assert 4 == condition.code_count(0)


def test_integers_of_a_large_range_are_hashed_to_dense_codes():
    condition = bound("k", a={"k": [-(2**63), 2**63 - 1]}, b={"k": [0, -(2**63)]})
    assert 3 == condition.code_count(0)
    assert condition.codes(0, 0)[0] == condition.codes(0, 1)[1]


def test_unsigned_integers_beyond_the_signed_ones_are_not_confused_with_them():
    assert {(1, 0)} == equal_pairs(pa.array([2**64 - 1, 5], pa.uint64()), [5, -1])


def test_floats_equal_as_numbers_do():
    assert {(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)} == equal_pairs([0.0, -0.0, np.nan], [-0.0, 0.0, -np.nan])


def test_integers_equal_floats_and_decimals_of_the_same_value():
    assert {(0, 1)} == equal_pairs([2, 3], [2.5, 2.0])
    assert {(0, 1)} == equal_pairs([2, 3], pa.array([Decimal("2.50"), Decimal("2.00")]))


def test_texts_are_equal_however_they_are_stored():
    plain = ["a", "b", None]
    for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        assert {(0, 1)} == equal_pairs(plain, pa.array(["c", "a"]).cast(kind))


def test_bytes_are_equal_however_they_are_stored():
    assert {(0, 1)} == equal_pairs([b"ab", b"cd"], pa.array([b"xx", b"ab"], pa.binary(2)))


def test_times_are_equal_whatever_their_unit_and_zone():
    start = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)
    in_dublin = pa.array([start, start + dt.timedelta(seconds=1)], pa.timestamp("us", tz="Europe/Dublin"))
    assert {(0, 0)} == equal_pairs(pa.array([start], pa.timestamp("s")), in_dublin)
    assert {(0, 0)} == equal_pairs(pa.array([start], pa.date32()), pa.array([start], pa.date64()))
    assert {(0, 0)} == equal_pairs(pa.array([5], pa.duration("s")), pa.array([5000], pa.duration("ms")))


def test_bools_are_keys():
    assert {(0, 1), (1, 0)} == equal_pairs([True, False, None], [False, True])


def test_keys_that_do_not_fit_a_common_type_are_an_error_with_a_remedy():
    far = pa.array([dt.datetime(9000, 1, 1, tzinfo=dt.UTC)], pa.timestamp("us"))
    with pytest.raises(ConditionError, match=r"k = k.*cast the columns"):
        equal_pairs(far, pa.array([1], pa.timestamp("ns")))


def test_empty_tables_have_no_codes():
    assert set() == equal_pairs(pa.array([], pa.int64()), pa.array([], pa.int64()))
    assert set() == equal_pairs(pa.array([], pa.string()), pa.array([], pa.string()))


def test_chunks_make_no_difference():
    chunked = pa.chunked_array([["a"], ["b", "a"], []])
    assert {(0, 1), (2, 1)} == equal_pairs(chunked, pa.chunked_array([["c", "a"]]))


@given(st.lists(st.none() | st.floats(), max_size=8), st.lists(st.none() | st.integers(-3, 3), max_size=8))
def test_codes_say_what_duckdb_says_about_equality(left, right):
    tables = {"a": {"k": pa.array(left, pa.float64())}, "b": {"k": pa.array(right, pa.int64())}}
    codes = bound("k", **tables)
    asked = SqlPredicate(bound(None, "a.k + 0 = b.k", **tables).condition.residuals[0], codes.columns)
    rows = every_pair(len(left), len(right))
    a, b = codes.codes(0, 0)[rows[0]], codes.codes(0, 1)[rows[1]]
    assert asked.holds(rows).tolist() == ((a == b) & (a >= 0)).tolist()
