from __future__ import annotations

import json

from slackwater.estimate.rate import ArrivalRate


def rate(*counts: tuple[int, int], state=None) -> ArrivalRate:
    made = ArrivalRate(streams=2, interval=100, remembered=2, state=state)
    for arrived in counts:
        made.update(arrived)
        made.close()
    return made


def test_the_rate_is_over_the_last_intervals():
    assert [0.15, 0.25] == rate((99, 99), (10, 20), (20, 30)).get().tolist()


def test_parts_of_an_interval_add_up():
    made = rate()
    made.update((4, 1))
    made.update((6, 1))
    made.close()
    assert [0.1, 0.02] == made.get().tolist()


def test_an_open_interval_does_not_count_yet():
    made = rate((10, 10))
    made.update((50, 50))
    assert [0.1, 0.1] == made.get().tolist()


def test_nothing_arrives_in_a_silence():
    made = rate((10, 10))
    made.update((20, 0))
    made.close(intervals=2)
    assert [0.1, 0.0] == made.get().tolist()


def test_the_rate_is_zero_at_first():
    assert [0, 0] == rate().get().tolist()


def test_the_snapshot_is_the_whole_truth():
    made = rate((10, 20))
    made.update((1, 2))
    restored = rate(state=json.loads(json.dumps(made.snapshot())))
    made.close()
    restored.close()
    assert made.get().tolist() == restored.get().tolist()
