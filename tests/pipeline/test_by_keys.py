"""Keys of `by=` as numbers."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.errors import ColumnError
from slackwater.pipeline.by_keys import number_keys

NOBODY = pa.table({"key": pa.array([], pa.string())})
VALUES = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([1, 2, None]))


def numbers(values, type_=None):
    column = pa.array(values, type_)
    return number_keys(pa.table({"key": column[:0]}), pa.table({"key": column})).tolist()


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a"],
        [7, -3],
        [True, False],
        [b"b", b"a"],
        [dt.date(2024, 1, 2), dt.date(2024, 1, 1)],
        [dt.datetime(2024, 1, 2, tzinfo=dt.UTC), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
        [Decimal("1.5"), Decimal("1.25")],
        [1.5, -2.5],
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_keys_of_any_plain_type_are_numbered_as_they_come(values):
    first, second = values
    assert [0, 1, 0, 2, 2, 1] == numbers([first, second, first, None, None, second])


def test_the_two_zeros_are_one_key_and_so_are_all_nan():
    assert [0, 0, 1, 1, 2] == numbers([0.0, -0.0, math.nan, -math.nan, None])


def test_dictionaries_are_compared_by_value():
    assert [0, 1, 0] == numbers(["a", "b", "a"], pa.dictionary(pa.int8(), pa.string()))


def test_chunks_do_not_matter():
    rows = pa.table({"key": pa.chunked_array([["a", "b"], [], ["b", "c", "a"]])})
    assert [0, 1, 1, 2, 0] == number_keys(NOBODY, rows).tolist()


def test_no_rows_have_no_keys():
    assert [] == number_keys(NOBODY, NOBODY).tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(VALUES, max_size=20), st.lists(VALUES, max_size=20))
def test_several_columns_are_one_key_and_known_keys_keep_their_numbers(before, after):
    known = list(dict.fromkeys(before))
    expected = {key: number for number, key in enumerate(dict.fromkeys(known + after))}
    tables = [
        pa.table({"line": pa.array([k[0] for k in keys], pa.string()), "n": pa.array([k[1] for k in keys], pa.int64())})
        for keys in (known, after)
    ]
    found = number_keys(*tables)
    assert [expected[key] for key in after] == found.tolist()
    assert np.int64 == found.dtype


def test_a_nested_column_cannot_be_a_key():
    stream = sw.stream(pa.table({"ts": [1], "k": [[1]]}), event_time="ts", unit="s")
    with pytest.raises(ColumnError, match=r"'k' is list<.*>, which cannot be a key"):
        sw.reorder(stream, contract=sw.NoSlack(), by="k")
