"""Which events of an interval are looked at."""

from __future__ import annotations

import numpy as np

from slackwater.core.sample import Sampler


def chosen(sampler: Sampler, *intervals: int) -> list[int]:
    """Choose among events of these intervals."""
    return sampler.choose(np.array(intervals, np.int64), intervals=max(intervals) + 1)[0].tolist()


def test_all_events_of_the_first_interval_are_chosen():
    assert [0, 1, 2, 3] == chosen(Sampler(2), 0, 0, 0, 0)


def test_an_interval_without_events_does_not_change_how_many_are_chosen():
    assert [0, 1, 2, 3, 4, 6] == chosen(Sampler(2), 0, 0, 0, 0, 2, 2, 2, 2)


def test_what_is_chosen_does_not_depend_on_batches():
    whole, cut = Sampler(2), Sampler(2)
    events = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    first = chosen(cut, *events[:5])
    later = cut.choose(np.array(events[5:]), intervals=2)[0] + 5
    assert chosen(whole, *events) == first + later.tolist()
