from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.estimate.drift import BUCKETS_PER_LEVEL, EVENTS_PER_BUCKET, AdaptiveWindow, has_changed


def window(*batches) -> AdaptiveWindow:
    made = AdaptiveWindow(granularity=10)
    for delays in batches:
        made.update(np.asarray(delays, np.int64), np.zeros(len(delays), np.int64))
    return made


def noise(count: int, mean: float, seed: int = 1):
    return np.random.default_rng(seed).exponential(mean, count).astype(np.int64)


def bucket(count: int, delays: list[int]) -> list[float]:
    """A bucket of `count` events that repeat these delays."""
    times = count // len(delays)
    return [count, times * sum(delays), times * sum(d * d for d in delays), 0, max(delays)]


def test_stationary_delays_are_all_kept():
    assert 20_000 == window(noise(20_000, 100)).get().events


def test_a_change_forgets_what_came_before():
    recent = window(noise(10_000, 100), noise(10_000, 500, seed=2)).get()
    assert 9_000 < recent.events < 11_000


def test_the_histogram_and_the_largest_delay_shrink_with_the_window():
    recent = window(np.full(6_400, 990), np.zeros(6_400)).get()
    assert recent.events < 6_500
    few = window(np.full(640, 990), np.zeros(640_000)).get()
    assert (0, [1.0]) == (few.largest, few.probability.tolist())


def test_events_count_before_their_bucket_is_full():
    recent = window([0, 10, 20]).get()
    assert (3, 20, [1 / 3] * 3) == (recent.events, recent.largest, recent.probability.tolist())


def test_an_empty_window_knows_nothing():
    recent = window().get()
    assert (0, 0, 0.0, []) == (recent.events, recent.largest, recent.mean_ahead, recent.probability.tolist())


def test_the_mean_lead_is_over_all_events_of_the_window():
    made = AdaptiveWindow(granularity=10)
    made.update(np.zeros(40, np.int64), np.arange(40))
    assert pytest.approx(19.5) == made.get().mean_ahead


def test_the_memory_grows_with_the_logarithm_of_the_window():
    made = window(noise(100_000, 100))
    levels = math.log2(100_000 / EVENTS_PER_BUCKET)
    assert len(made.snapshot()["bins"]) <= BUCKETS_PER_LEVEL * levels
    assert all(0 < count <= BUCKETS_PER_LEVEL for count in made.snapshot()["levels"])


def test_the_bound_agrees_with_its_formula():
    # Two halves of 32: means 0 and d, variance d*d/4, 1/m = 1/16, R = d. d cancels out:
    # 1 > sqrt(2/16 * 1/4 * x) + 2/(3*16) * x with x = ln(2 ln(64) / 0.002) = 8.33 holds as 0.510 + 0.347 < 1.
    halves = np.array([bucket(32, [0]), bucket(32, [7])], np.float64)
    assert has_changed(halves)
    # Means 3.5 and 7, variance 9.19, R = 7: 3.5 is less than sqrt(2/16 * 9.19 * x) + 2/48 * 7 * x = 3.09 + 2.43.
    mixed = np.array([bucket(32, [0, 7]), bucket(32, [7])], np.float64)
    assert not has_changed(mixed)


def brute_force_change(delays, sizes) -> bool:
    """ADWIN's bound event by event, at the cuts between buckets."""
    n, largest = len(delays), max(delays)
    x = math.log(2 * math.log(n) / 0.002)
    variance = float(np.var(delays))
    for cut in np.cumsum(sizes)[:-1]:
        old, new = delays[:cut], delays[cut:]
        spread = 1 / len(old) + 1 / len(new)
        if abs(np.mean(old) - np.mean(new)) > math.sqrt(2 * spread * variance * x) + 2 / 3 * spread * largest * x:
            return True
    return False


@given(st.lists(st.integers(0, 60), min_size=2, max_size=5), st.integers(0, 9))
def test_the_bound_agrees_with_one_that_looks_at_every_event(means, seed):
    rng = np.random.default_rng(seed)
    parts = [rng.integers(0, mean + 1, 32) for mean in means]
    rows = np.array([[32, part.sum(), np.square(part).sum(), 0, part.max()] for part in parts], np.float64)
    every = np.concatenate(parts)
    if every.any():
        assert brute_force_change(every, [32] * len(parts)) == has_changed(rows)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 400), max_size=6), st.integers(0, 3))
def test_how_the_stream_is_cut_into_batches_makes_no_difference(cuts, seed):
    delays = np.concatenate((noise(200, 10, seed), noise(200, 3_000, seed)))
    whole, parts = window(delays), window(*np.split(delays, sorted(cuts)))
    assert json.dumps(whole.snapshot()) == json.dumps(parts.snapshot())


def test_restoring_after_every_prefix_gives_the_same_window():
    delays = np.concatenate((noise(300, 10), noise(300, 3_000)))
    undisturbed = window()
    for start in range(0, 600, 25):
        restored = AdaptiveWindow(10, json.loads(json.dumps(undisturbed.snapshot())))
        for made in (undisturbed, restored):
            made.update(delays[start : start + 25], delays[start : start + 25])
        assert undisturbed.snapshot() == restored.snapshot()
        assert undisturbed.get().probability.tolist() == restored.get().probability.tolist()


def test_the_batch_is_not_kept():
    made, delays = window(), np.array([5, 6])
    made.update(delays, delays)
    before = made.snapshot()
    delays[:] = 99
    assert before == made.snapshot()
