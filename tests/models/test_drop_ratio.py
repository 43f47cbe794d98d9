"""How many events KIM's buffer has to hold."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.models.drop_ratio import (
    critical_point,
    drop_probability,
    events_to_hold,
    events_to_hold_at_high_rates,
    exact_drop_ratio,
    exact_events_to_hold,
    slack_holding,
)


@pytest.mark.parametrize(("ratio", "z"), [(0.05, 1.645), (0.01, 2.326), (0.005, 2.576), (0.001, 3.090)])
def test_e19_critical_points(ratio, z):
    assert z == round(critical_point(ratio), 3)


def test_e20_equation_11():
    assert 32902 == round(events_to_hold(0.01, deviation=1e6, gap=100))
    assert 35.7 == round(events_to_hold(0.01, deviation=1e3, gap=100), 1)


def test_e20_equation_12():
    assert 32900 == pytest.approx(events_to_hold_at_high_rates(0.01, deviation=1e6, gap=100), abs=1)
    assert 32.9 == round(events_to_hold_at_high_rates(0.01, deviation=1e3, gap=100), 1)


@pytest.mark.parametrize("deviation", [0.1, 3, 1000])
@pytest.mark.parametrize("ratio", [0.3, 0.05, 0.001])
def test_e20_equation_11_is_the_root_of_equation_10(ratio, deviation):
    assert ratio == pytest.approx(drop_probability(events_to_hold(ratio, deviation, 1.0), deviation, 1.0))


def test_without_deviation_only_the_gaps_count():
    assert critical_point(0.01) ** 2 == pytest.approx(events_to_hold(0.01, deviation=0, gap=1))


def test_events_that_come_all_at_once_cannot_be_bounded_by_number():
    assert math.inf == events_to_hold(0.01, deviation=1, gap=0) == events_to_hold_at_high_rates(0.01, 1, 0)


def test_of_events_that_come_all_at_once_the_exact_condition_drops_all():
    assert 1.0 == exact_drop_ratio(5, deviation=1, gap=0)
    assert 2**40 == exact_events_to_hold(0.01, deviation=1, gap=0)  # where it gives up


def test_without_deviation_and_gaps_the_limit_of_small_gaps_holds():
    assert events_to_hold(0.01, deviation=0, gap=1e-9) == pytest.approx(events_to_hold(0.01, deviation=0, gap=0))


def test_where_half_may_be_dropped_nothing_is_held_of_events_that_come_all_at_once():
    assert 0 == events_to_hold(0.5, deviation=1, gap=0)


@pytest.mark.parametrize("ratio", [0.5, 0.9])
def test_where_half_may_be_dropped_nothing_needs_to_be_held(ratio):
    assert 0 == events_to_hold(ratio, deviation=1, gap=0.1) == events_to_hold_at_high_rates(ratio, 1, 0.1)


@pytest.mark.parametrize(("deviation", "ratio"), [(10, 0.01), (30, 0.005), (50, 0.001)])
def test_equation_11_holds_a_third_more_than_the_condition_needs(deviation, ratio):
    exact = exact_events_to_hold(ratio, deviation, 1.0)
    assert 0.72 == pytest.approx(exact / events_to_hold(ratio, deviation, 1.0), abs=0.015)
    assert exact_drop_ratio(exact, deviation, 1.0) <= ratio < exact_drop_ratio(exact - 1, deviation, 1.0)


@pytest.mark.parametrize(("events", "per_gap"), [(1, 0.5), (1, 4.0), (3, 2.0), (12, 10.0), (40, 25.0)])
def test_the_exact_share_is_that_of_poisson_counts_by_delay(events, per_gap):
    normal, step = NormalDist(), 0.002
    share = 0.0
    for x in np.arange(-8, 8, step) + step / 2:
        mean = per_gap * (x * normal.cdf(x) + normal.pdf(x))
        fewer = sum(math.exp(-mean) * mean**n / math.factorial(n) for n in range(events))
        share += normal.pdf(x) * step * (1 - fewer)
    assert share == pytest.approx(exact_drop_ratio(events, deviation=per_gap, gap=1.0), rel=2e-3, abs=1e-6)


def test_what_is_in_order_is_never_dropped():
    assert 0.0 == exact_drop_ratio(1, deviation=0, gap=1)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.floats(0.1, 60))
def test_the_slack_holds_events_for_the_span_on_average(delays, span):
    slack = slack_holding(span, np.array(delays))
    assert span == pytest.approx(np.maximum(slack - np.array(delays), 0).mean())
