"""Equal values have equal hashes, different ones different hashes, whatever their type and however they are chunked."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from slackwater.pipeline.hashes import hashes_of

DAY = datetime.date(2026, 1, 1)
COLUMNS = {
    "text": pa.array(["a", "", None, "a", "ab"]),
    "large text": pa.array(["a", "", None, "a", "ab"], pa.large_string()),
    "dictionary": pa.array(["a", "", None, "a", "ab"]).dictionary_encode(),
    "bytes": pa.array([b"a", b"", None, b"a", b"ab"]),
    "int": pa.array([1, 0, None, 1, -1], pa.int8()),
    "float": pa.array([0.0, 1.5, None, -0.0, float("nan")]),
    "decimal": pa.array([Decimal("1.5"), Decimal("1"), None, Decimal("1.5"), Decimal("2")]),
    "date": pa.array([DAY, DAY + datetime.timedelta(1), None, DAY, DAY + datetime.timedelta(2)]),
    "timestamp": pa.array([1, 2, None, 1, 3], pa.timestamp("ms", tz="UTC")),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_equal_values_have_equal_hashes_and_others_do_not(kind):
    found = hashes_of(pa.chunked_array([COLUMNS[kind]]))
    assert (found[0], 3) == (found[3], len({found[0], found[1], found[4]}))


@pytest.mark.parametrize("kind", COLUMNS)
def test_hashes_do_not_depend_on_chunks(kind):
    values = COLUMNS[kind]
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    whole, cut = (hashes_of(pa.chunked_array(parts)) for parts in ([values], [values[:1], values[1:4], values[4:]]))
    assert whole[valid].tolist() == cut[valid].tolist()


def test_a_text_has_the_hash_that_everybody_computes():
    assert [0xAF63DC4C8601EC8C, 0xCBF29CE484222325] == hashes_of(pa.chunked_array([["a", ""]])).astype(
        np.uint64
    ).tolist()


def test_booleans_are_told_apart():
    assert 2 == len(set(hashes_of(pa.chunked_array([[True, False, True]])).tolist()))
