from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.models.late_degree import mean_latency, quality_by_slack, sync_buffers

DEGREES = np.array([0.6, 0.2, 0.1, 0.1])


def test_e16_the_quality_estimate():
    assert 0.465 == pytest.approx(quality_by_slack((DEGREES, DEGREES), (3, 2), candidates=1)[0], abs=1e-12)


def test_e16_nothing_late_gives_full_quality():
    on_time = np.array([1.0])
    assert [1.0] == quality_by_slack((on_time, on_time), (3, 2), candidates=1).tolist()


@pytest.mark.parametrize(
    ("slacks", "buffers", "latency"), [((5, 7), (12, 0), 17), ((30, 7), (0, 13), 30)], ids=["A leads", "B leads"]
)
def test_e17_synchronization_buffers_and_latency(slacks, buffers, latency):
    assert (buffers, latency) == (sync_buffers((100, 90), slacks), mean_latency((100, 90), slacks))


def test_the_latency_is_the_same_with_the_streams_swapped():
    assert mean_latency((100, 90), (5, 7)) == mean_latency((90, 100), (7, 5))


def test_being_held_back_counts_as_slack():
    # Stream A is held back by one bin: {0.8, 0.1, 0.1}. .8*.6 + .8*.8 + .6*(.9 + 1) = 2.26, of 4.
    held = quality_by_slack((DEGREES, DEGREES), (3, 2), sync=(1, 0), candidates=1)
    assert [0.565] == held.round(12).tolist()


def brute_force(distributions, windows, sync, slack) -> float:
    """Eq. 5.10 and 5.12 with sums that end at W - 1, by loops."""

    def arrived(stream, i):
        return sum(distributions[stream][: slack + sync[stream] + i + 1])

    produced = arrived(0, 0) * arrived(1, 0)
    produced += arrived(0, 0) * math.fsum(arrived(1, i) for i in range(1, windows[1]))
    produced += arrived(1, 0) * math.fsum(arrived(0, i) for i in range(1, windows[0]))
    return produced / (windows[0] + windows[1] - 1)


distributions = st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any).map(lambda n: np.array(n) / sum(n))
small = st.integers(0, 4)


@given(st.tuples(distributions, distributions), st.tuples(st.integers(1, 12), st.integers(1, 12)), small, st.booleans())
def test_the_quality_agrees_with_equation_5_12_by_loops(degrees, windows, held, first):
    sync = (held, 0) if first else (0, held)
    expected = [brute_force(degrees, windows, sync, slack) for slack in range(9)]
    estimated = quality_by_slack(degrees, windows, sync=sync, candidates=9).tolist()
    assert pytest.approx(expected) == estimated
    assert sorted(estimated) == pytest.approx(estimated)
    assert pytest.approx(1.0) == estimated[-1]
