from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.disorder.parts import PartNames


def codes_of(values: pa.Array) -> tuple[list[int], list[str | None]]:
    names = PartNames()
    return names.codes_of(values).tolist(), names.known


PLAIN = pa.array(["a", None, "b", None])
IN_DICTIONARY = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["a", None, "b"]))


@pytest.mark.parametrize("values", [PLAIN, PLAIN.dictionary_encode(), PLAIN.dictionary_encode("encode"), IN_DICTIONARY])
def test_null_is_a_part_of_its_own_however_it_is_stored(values):
    assert ([0, 1, 2, 1], ["a", None, "b"]) == codes_of(values)


@pytest.mark.parametrize("values", [pa.nulls(2, pa.string()), pa.nulls(2, pa.string()).dictionary_encode()])
def test_a_column_of_nulls_is_one_part(values):
    assert ([0, 0], [None]) == codes_of(values)


def test_a_value_that_a_dictionary_repeats_is_one_part():
    repeated = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0]), pa.array(["a", "b", "a"]))
    assert ([0, 1, 0], ["a", "b"]) == codes_of(repeated)


def test_a_value_that_a_dictionary_has_but_no_row_is_no_part():
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 1]), pa.array(["a", "b"]))
    assert ([0, 0], ["b"]) == codes_of(unused)
