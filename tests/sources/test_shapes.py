from __future__ import annotations

import numpy as np
import pytest

from slackwater.sources import values
from slackwater.sources.dataset import delays_of, event_times_of
from slackwater.sources.shapes import SHAPES, happening, traveling
from slackwater.time import Duration

LENGTH = Duration.of("2000 seconds")


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_about_600_events_in_30_seconds(shape):
    assert pytest.approx(600, rel=0.1) == values(arrivals=shape).rows / 2000 * 30


@pytest.mark.parametrize("shape", SHAPES)
def test_events_are_out_of_order_once_they_travel(shape):
    delays = delays_of(values(arrivals=shape, max_delay="0.5 seconds").streams["s"])
    assert np.mean(delays > 0) > 0.3


@pytest.mark.parametrize("shape", SHAPES)
def test_events_that_do_not_travel_are_in_order(shape):
    assert 0 == delays_of(values(arrivals=shape).streams["s"]).max()


def test_skewed_events_happen_at_the_end_of_every_ten_seconds(random):
    times = happening(random, "skewed", length=LENGTH, per_second=20)
    first, *_, last = np.histogram(times % 10_000_000, bins=5)[0]
    assert last > 3 * first


def test_a_drifting_rate_moves_slowly_and_far(random):
    counts = np.histogram(happening(random, "drifting", length=LENGTH, per_second=200), bins=200)[0]
    assert counts.max() > 1.4 * counts.min()
    assert np.abs(np.diff(counts)).max() < 0.2 * counts.mean()


def test_normal_travel_is_spread_by_a_quarter_of_its_mean(random):
    travel = traveling(random, "normal", np.zeros(20_000, np.int64), usual=Duration.of("1 second"))
    assert pytest.approx((1e6, 2.5e5), rel=0.03) == (travel.mean(), travel.std())


def test_skewed_travel_has_a_long_tail(random):
    travel = traveling(random, "skewed", np.zeros(20_000, np.int64), usual=Duration.of("1 second"))
    assert np.quantile(travel, 0.99) > 20 * np.median(travel)


def test_the_same_seed_gives_the_same_stream():
    first, again = (event_times_of(values(arrivals="drifting", seed=5).streams["s"]) for _ in range(2))
    assert first.tolist() == again.tolist()
