from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.estimate.delay_histogram import MOST_BINS, DelayHistogram, bins_of, coarse_delay


def histogram(*delays: int) -> DelayHistogram:
    made = DelayHistogram(granularity=10)
    made.update(np.array(delays, np.int64))
    return made


def test_e4_a_coarse_delay_is_rounded_up():
    assert [0, 1, 1, 2, 2, 3] == coarse_delay(np.array([0, 1, 10, 11, 20, 21]), 10).tolist()


def test_shares_add_up_over_batches():
    made = histogram(0, 0, 7)
    made.update(np.array([15]))
    assert [0.5, 0.25, 0.25] == made.get().tolist()


def test_nothing_is_known_before_the_first_delay():
    assert [] == histogram().get().tolist()


def test_forgetting_the_largest_delay_shortens_the_distribution():
    made = histogram(0, 5, 35)
    made.remove(np.array([0, 0, 0, 0, 1]))
    assert [0.5, 0.5] == made.get().tolist()


def test_decay_weighs_the_past_down():
    made = histogram(0)
    made.decay(0.5)
    made.update(np.array([10]))
    assert [pytest.approx(1 / 3), pytest.approx(2 / 3)] == made.get().tolist()


def test_delays_past_the_last_bin_share_it():
    assert MOST_BINS == len(histogram(10**15, 10**17).get())
    assert [MOST_BINS - 1] == bins_of(np.array([10**17]), 10).tolist()


def test_the_snapshot_is_the_whole_truth():
    made = histogram(0, 5, 35)
    made.decay(0.3)
    restored = DelayHistogram(10, json.loads(json.dumps(made.snapshot())))
    assert made.get().tolist() == restored.get().tolist()
