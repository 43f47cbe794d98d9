from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.estimate.productivity import IntervalSizes, Productivity
from slackwater.measurement import Joined


def joined(*rows: tuple[int, bool, float, float]) -> Joined:
    """Rows of delay, in order, cross, results."""
    delay, in_order, cross, results = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Joined(np.array(delay, np.int64), np.array(in_order, bool), np.array(cross, float), np.array(results, float))


FIRST = joined((0, True, 4, 3), (5, True, 2, 1), (25, False, 0, 0))


def profiled(*intervals: Joined, **options) -> Productivity:
    made = Productivity(granularity=10, **options)
    for interval in intervals:
        made.update(interval)
        made.close()
    return made


def test_productivity_is_added_up_by_coarse_delay():
    profile = profiled(joined((0, True, 4, 3), (5, True, 2, 1), (9, True, 1, 0))).get()
    assert ([4, 3], [3, 1]) == (profile.cross.tolist(), profile.results.tolist())


def test_an_out_of_order_event_is_taken_for_the_most_productive_one():
    profile = profiled(FIRST).get()
    assert ([4, 2, 0, 4], [3, 1, 0, 3]) == (profile.cross.tolist(), profile.results.tolist())


def test_or_for_a_mean_one():
    profile = profiled(FIRST, out_of_order="mean").get()
    assert ([4, 2, 0, 3], [3, 1, 0, 2]) == (profile.cross.tolist(), profile.results.tolist())


def test_the_maximum_is_of_the_whole_interval_also_of_parts_that_come_later():
    made = Productivity(granularity=10)
    made.update(joined((25, False, 0, 0)))
    made.update(joined((0, True, 7, 5)))
    assert IntervalSizes(produced=5, true=10) == made.close()


def test_only_the_last_interval_counts():
    profile = profiled(FIRST, joined((0, True, 1, 1))).get()
    assert ([1], [1]) == (profile.cross.tolist(), profile.results.tolist())


@pytest.mark.parametrize("empty", [joined(), joined((50, False, 0, 0))], ids=["no events", "none in order"])
def test_an_interval_without_in_order_events_counts_for_nothing_and_changes_nothing(empty):
    made = profiled(FIRST)
    made.update(empty)
    assert IntervalSizes(0, 0) == made.close()
    assert [4, 2, 0, 4] == made.get().cross.tolist()


def test_the_snapshot_is_the_whole_truth():
    undisturbed = profiled(FIRST)
    undisturbed.update(FIRST)
    restored = Productivity(10, state=json.loads(json.dumps(undisturbed.snapshot())))
    assert undisturbed.close() == restored.close()
    assert undisturbed.snapshot() == restored.snapshot()
