"""What the input has promised, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.core.cells import Cells
from slackwater.core.panes import Panes
from slackwater.core.punctuations import NOTHING_PROMISED, Promised, Punctuation
from slackwater.core.punctuations import _united as united
from slackwater.errors import ParameterError


def promised(*punctuations: Punctuation) -> Promised:
    out = NOTHING_PROMISED
    for each in punctuations:
        out = out.after(each)
    return out


def of_group(until: int, *groups: int) -> Punctuation:
    return Punctuation(until, groups=np.array(groups))


def broken(promise: Promised, *events: tuple[int, int]) -> list[int]:
    time, group = np.array(events, np.int64).T
    return promise.broken_by(time, group).tolist()


def test_an_event_at_the_time_of_a_punctuation_is_not_behind_it():
    assert [1, 0, 0] == broken(promised(Punctuation(20)), (19, 0), (20, 0), (21, 0))


def test_of_punctuations_for_all_the_latest_counts():
    assert [1, 0] == broken(promised(Punctuation(20), Punctuation(10)), (19, 0), (20, 0))


def test_a_range_begins_with_its_first_time_and_ends_before_its_last():
    assert [0, 10, 1, 0] == broken(promised(Punctuation(20, since=10)), (9, 0), (10, 0), (19, 0), (20, 0))


def test_a_range_that_an_event_is_not_in_breaks_no_other_promise():
    assert [5, 0] == broken(promised(Punctuation(20), Punctuation(40, since=30)), (15, 0), (25, 0))


def test_a_group_that_nothing_was_promised_of_breaks_nothing():
    assert [0, 1, 0, 0, 7] == broken(
        promised(of_group(20, 1, 3), of_group(10, 1), of_group(16, 6)), (5, 0), (19, 1), (20, 3), (5, 2), (9, 6)
    )


def test_of_all_that_covers_an_event_the_latest_counts():
    assert [10, 25] == broken(promised(Punctuation(15), of_group(30, 1)), (5, 0), (5, 1))


def test_what_a_punctuation_for_all_has_overtaken_is_forgotten():
    some = promised(of_group(20, 1), of_group(30, 2), Punctuation(20, since=5), Punctuation(40, since=35))
    after = some.after(Punctuation(20))
    assert (20, ((35, 40),), [2]) == (after.until, after.ranges, after.bounds.group.tolist())
    assert promised(of_group(20, 1), Punctuation(20)).bounds is None
    assert [1, 2] == some.after(Punctuation(19)).bounds.group.tolist()


@pytest.mark.parametrize(
    "promise", [Punctuation(20), Punctuation(20, since=10), of_group(20, 1)], ids=["all", "range", "group"]
)
def test_anything_that_was_promised_is_something(promise):
    assert not NOTHING_PROMISED
    assert promised(promise)


def test_ranges_that_meet_are_one():
    assert ((0, 15), (16, 30)) == united([(16, 20), (0, 10), (10, 15), (18, 30), (17, 19)])


def test_a_range_closes_with_those_that_it_meets():
    some = Promised(ranges=((0, 10), (20, 30)))
    assert [(0, 30), (12, 15), (None, 7)] == [
        some.around(each) for each in (Punctuation(20, since=10), Punctuation(15, since=12), Punctuation(7))
    ]


def test_a_range_that_was_overtaken_is_as_it_came():
    assert (5, 15) == promised(Punctuation(20)).around(Punctuation(15, since=5))


def test_a_window_is_closed_that_lies_within_a_range_or_before_what_is_promised_of_its_group():
    # Windows [0, 20), [10, 30), [20, 40) of group 0, and [0, 20), [10, 30) of group 1.
    cells = Cells(np.array([1, 2, 3, 1, 2]), np.array([0, 0, 0, 1, 1]), ())
    panes = Panes(size=20, slide=10)
    assert [False, True, False, False, True] == promised(Punctuation(30, since=10)).closed(panes, cells).tolist()
    assert [False, False, False, False, False] == promised(Punctuation(29, since=10)).closed(panes, cells).tolist()
    assert [False, False, False, True, False] == promised(of_group(20, 1)).closed(panes, cells).tolist()
    assert [False, False, False, False, False] == promised(of_group(19, 1)).closed(panes, cells).tolist()
    both = promised(of_group(20, 1), Punctuation(30, since=10))
    assert [False, True, False, True, True] == both.closed(panes, cells).tolist()


def test_only_a_punctuation_without_a_group_and_a_start_is_for_all():
    every = (Punctuation(1), Punctuation(1, since=0), of_group(1, 0))
    assert [True, False, False] == [each.is_for_all for each in every]


def test_a_range_of_a_group_is_refused():
    with pytest.raises(ParameterError, match="since"):
        Punctuation(2, since=1, groups=np.array([0]))
