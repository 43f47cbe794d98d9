"""The adaptive method of Srivastava and Widom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.control import AdaptiveMax
from slackwater.errors import ParameterError


def one_at_a_time(delays, window):
    m, since, second, path = 0, 0, 0, []
    for delay in delays:
        if delay > m:
            m, since, second = delay, 0, 0
            path.append(m)
            continue
        path.append(m)
        since, second = since + 1, max(second, delay)
        if since == window:
            m, since, second = (m + second) // 2, 0, 0
    return path


@given(st.lists(st.integers(0, 20), max_size=80), st.integers(1, 9))
def test_the_path_equals_one_arrival_at_a_time(delays, window):
    path = AdaptiveMax(window=window).build().slack_path(np.array(delays, np.int64))
    assert one_at_a_time(delays, window) == path.tolist()


def test_a_larger_delay_counts_at_once():
    assert [0, 7, 7] == AdaptiveMax().build().slack_path(np.array([0, 7, 3])).tolist()


def test_without_disorder_the_slack_is_halved_window_by_window():
    path = AdaptiveMax(window=2).build().slack_path(np.array([8, 0, 0, 0, 0, 0]))
    assert [8, 8, 8, 4, 4, 2] == path.tolist()


def test_a_window_of_no_arrivals_is_refused():
    with pytest.raises(ParameterError, match="window must be a whole number >= 1"):
        AdaptiveMax(window=0)
