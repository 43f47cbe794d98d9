from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import ParameterError
from slackwater.sources import delays_of, values
from slackwater.sources.dataset import event_times_of


def test_density_95_gives_about_600_events_per_30_seconds():
    assert pytest.approx(600, rel=0.05) == values().rows / 2000 * 30


def test_next_event_is_in_the_same_second_with_probability_95_percent():
    steps = np.diff(event_times_of(values().streams["s"]))
    assert {0, 1_000_000} == set(steps.tolist())
    assert pytest.approx(0.95, abs=0.005) == np.mean(steps == 0)


def test_stream_runs_from_0_to_2000_seconds():
    times = event_times_of(values().streams["s"])
    assert (0, 1999e6) == (times.min(), times.max())


def test_uniform_values_fill_0_to_999():
    drawn = values().streams["s"]["value"].to_numpy()
    assert (0, 999) == (drawn.min(), drawn.max())
    assert pytest.approx(499.5, abs=5) == drawn.mean()


@pytest.mark.parametrize("deviation", [100, 400, 1000])
def test_normal_values_have_mean_500_and_the_given_deviation(deviation):
    drawn = values(distribution="normal", deviation=deviation).streams["s"]["value"].to_numpy()
    assert pytest.approx(500, abs=deviation / 40) == drawn.mean()
    assert pytest.approx(deviation, rel=0.03) == drawn.std()


def test_without_delay_the_stream_is_in_order():
    assert 0 == delays_of(values().streams["s"]).max()


def test_delays_of_half_a_second_put_some_events_one_second_behind():
    delays = delays_of(values(max_delay="0.5 seconds").streams["s"])
    assert {0, 1_000_000} == set(delays.tolist())


def test_density_of_one_is_refused():
    with pytest.raises(ParameterError, match="density"):
        values(density=1.0)
