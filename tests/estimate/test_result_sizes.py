from __future__ import annotations

import json

from slackwater.estimate.productivity import IntervalSizes
from slackwater.estimate.result_sizes import ResultSizes


def sizes(remembered: int, *produced: int) -> ResultSizes:
    made = ResultSizes(remembered)
    for size in produced:
        made.update(IntervalSizes(size, 10))
    return made


def test_both_sums_are_over_the_same_intervals():
    assert IntervalSizes(5, 20) == sizes(2, 1, 2, 3).get()


def test_a_silence_pushes_old_intervals_out():
    made = sizes(3, 1, 2)
    made.update(IntervalSizes(4, 10), intervals=2)
    assert IntervalSizes(6, 20) == made.get()


def test_an_endless_silence_takes_no_memory():
    made = sizes(3, 1, 2)
    made.update(IntervalSizes(4, 10), intervals=10**15)
    assert IntervalSizes(0, 0) == made.get()


def test_a_period_of_one_interval_remembers_nothing():
    assert IntervalSizes(0, 0) == sizes(0, 1, 2).get()


def test_the_snapshot_is_the_whole_truth():
    made = sizes(2, 1, 2, 3)
    restored = ResultSizes(2, json.loads(json.dumps(made.snapshot())))
    for each in (made, restored):
        each.update(IntervalSizes(9, 9))
    assert made.get() == restored.get()
