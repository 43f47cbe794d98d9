"""Bursts in the model of processing time: the second one is followed by busy seconds (PROD Fig. 4.4, B)."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.experiments.bursts import BurstCase, run_burst


@pytest.fixture(scope="module")
def runs():
    sideline = sw.Sideline(over=330, pace=250, one_in=100)
    return [run_burst(BurstCase(sideline=each, size=1, duration="60 seconds")) for each in (None, sideline)]


def test_windows_after_a_burst_are_sooner_final_if_it_is_set_aside(runs):
    plain, aside = (run.latency[~run.bursty].max() for run in runs)
    assert plain > 2 * aside


def test_only_windows_of_a_burst_wait_if_it_is_set_aside(runs):
    _, aside = runs
    assert (aside.bursty == aside.was_early).all()
    assert aside.bursty.any()
