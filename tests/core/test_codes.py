"""One code for several keys, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.codes import JointCodes


def columns(*each) -> list[np.ndarray]:
    return [np.array(column, np.int64) for column in each]


def test_the_last_key_counts_fastest():
    joint = JointCodes(columns([0, 0, 1, 1], [0, 2, 0, 2]), [2, 3])
    assert ([0, 2, 3, 5], 6) == (joint.codes.tolist(), joint.count)


def test_where_any_key_is_missing_there_is_no_code():
    joint = JointCodes(columns([0, -1, 1, -1], [1, 0, -1, -1]), [2, 2])
    assert [1, -1, -1, -1] == joint.codes.tolist()
    assert [-1, 3] == joint.of(columns([-1, 1], [1, 1]), 2).tolist()


def test_a_single_key_is_its_own_code_and_any_negative_one_is_none():
    joint = JointCodes(columns([2, -5, 0]), [3])
    assert ([2, -1, 0], 3) == (joint.codes.tolist(), joint.count)


def test_without_keys_all_have_the_same_code():
    joint = JointCodes([], [], 3)
    assert ([0, 0, 0], 1, [0, 0]) == (joint.codes.tolist(), joint.count, joint.of([], 2).tolist())


def test_a_key_without_codes_counts_as_one():
    assert 2 == JointCodes(columns([], []), [0, 2]).count


@pytest.mark.parametrize(("second", "codes", "count"), [(256, [5, 2 * 256 + 7], 65_536), (257, [0, 1], 2)])
def test_more_codes_than_are_worth_counting_are_narrowed_to_those_there_are(second, codes, count):
    joint = JointCodes(columns([0, 2], [5, 7]), [256, second])
    assert (codes, count) == (joint.codes.tolist(), joint.count)
    assert [codes[1], codes[0]] == joint.of(columns([2, 0], [7, 5]), 2).tolist()


def test_codes_four_times_as_many_as_events_are_counted_as_they_are():
    rows = 20_000
    assert 80_000 == JointCodes(columns(np.zeros(rows)), [80_000]).count
    assert 1 == JointCodes(columns(np.zeros(rows)), [80_001]).count


def test_others_than_the_narrowed_ones_have_no_code():
    joint = JointCodes(columns([3, 9], [4, 4]), [1_000, 1_000])
    assert [-1, 0, -1, 1, -1, -1] == joint.of(columns([0, 3, 3, 9, 9, 999], [0, 4, 5, 4, 3, 999]), 6).tolist()


def test_where_an_index_has_nothing_nothing_is_found():
    joint = JointCodes(columns([-1], [2]), [1_000, 1_000])
    assert ([-1], 1, [-1]) == (joint.codes.tolist(), joint.count, joint.of(columns([5], [5]), 1).tolist())


@given(st.lists(st.tuples(*[st.integers(-1, 2**40 - 1)] * 4), min_size=1, max_size=8), st.data())
def test_codes_of_keys_too_many_to_count_are_equal_where_the_keys_are(events, data):
    asking = data.draw(st.lists(st.sampled_from(events) | st.tuples(*[st.integers(-1, 3)] * 4), max_size=5))
    joint = JointCodes(list(np.array(events, np.int64).T), [2**40] * 4)
    codes, found = joint.codes.tolist(), joint.of(list(np.array(asking, np.int64).reshape(-1, 4).T), len(asking))
    known = {event: code for event, code in zip(events, codes, strict=True) if min(event) >= 0}
    assert sorted(set(known.values())) == list(range(len(known)))
    assert [known.get(each, -1) for each in asking] == found.tolist()


def test_two_keys_that_just_fit_into_a_code_are_not_narrowed_on_the_way():
    joint = JointCodes(columns([1, 1], [2**31 - 1, 0]), [2**31, 2**31])  # 2**62 codes
    assert [1, 0] == joint.codes.tolist()
    assert [1, -1] == joint.of(columns([1, 0], [2**31 - 1, 0]), 2).tolist()
