"""Memories of what results needed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.event_lags import EventLags
from slackwater.estimate.kernels import MOST_BINS, bin_of_one, tallied
from slackwater.estimate.needed_slack import NeededSlack, bin_of, slack_of_bin, slacks_of_bins
from slackwater.estimate.recent_recall import RecentRecall


@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=20))
def test_a_bin_reaches_to_what_is_in_it_and_not_two_percent_further(slacks):
    for slack, number in zip(slacks, bin_of(np.array(slacks)).tolist(), strict=True):
        assert slack <= slack_of_bin(number) <= slack * 1.0201


def test_the_bin_of_one_slack_is_that_of_all():
    ends = slacks_of_bins(np.arange(MOST_BINS))
    largest = np.iinfo(np.int64).max
    many = np.geomspace(1, 3e18, 20_000).astype(np.int64)
    slacks = np.concatenate(([-largest, -1, largest], many, ends - 1, ends, ends + 1))
    assert bin_of(slacks).tolist() == [bin_of_one(slack) for slack in slacks]


def test_sums_are_those_of_the_blocks():
    memory = NeededSlack(half_life=1e12)
    memory.update_counts(np.array([3.0, 1.0]))
    memory.update_counts(np.array([5.0, 0.0, 5.0]))
    sums = memory.get()
    assert (2, 14, 116) == pytest.approx((sums.blocks, sums.n, sums.n_n))
    assert [1 + 5, 5, 0] == pytest.approx(sums.m.tolist())
    assert [4 * 1 + 10 * 5, 10 * 5, 0] == pytest.approx(sums.n_m.tolist())
    assert [1 + 25, 25, 0] == pytest.approx(sums.m_m.tolist())


def test_a_block_counts_half_after_its_half_life():
    memory = NeededSlack(half_life=2)
    for _ in range(2):
        memory.update_counts(np.array([0.0]))
    memory = NeededSlack(half_life=2)
    memory.update_counts(np.array([8.0]))
    for _ in range(2):
        memory.update_counts(np.zeros(1))
    assert 4 == pytest.approx(memory.get().n)


def test_a_restored_memory_goes_on():
    memory = NeededSlack(half_life=3)
    memory.update_counts(np.array([3.0, 1.0]))
    restored = NeededSlack(3, json.loads(json.dumps(memory.snapshot())))
    for each in (memory, restored):
        each.update_counts(np.array([1.0, 0.0, 2.0]))
    assert memory.get().m_m.tolist() == restored.get().m_m.tolist()


def test_members_that_are_late_independently_make_results_later():
    lags = EventLags(10)
    lags.update([np.array([5, 5]), np.array([5])], [4, 4])
    missed = lags.missed()
    assert 1 - 0.5 * 0.75 == pytest.approx(missed[0])
    assert 0 == missed[-1]


def test_a_restored_memory_of_lags_goes_on():
    lags = EventLags(10)
    lags.update([np.array([5])], [4])
    restored = EventLags(10, json.loads(json.dumps(lags.snapshot())))
    assert lags.missed().tolist() == restored.missed().tolist()


def test_recall_is_that_of_the_last_period_of_event_time():
    recent = RecentRecall(10)
    for clock, made in ((5, 0), (10, 4), (15, 2)):
        recent.update(4, made)
        recent.close(clock)
    assert 6 / 8 == recent.get()


def test_after_a_silence_nothing_was_due():
    recent = RecentRecall(10)
    recent.update(4, 3)
    recent.close(5)
    recent.close(500)
    assert recent.get() is None


def test_what_is_due_in_a_part_of_an_interval_counts_when_it_ends():
    recent = RecentRecall(10, json.loads(json.dumps(RecentRecall(10).snapshot())))
    recent.update(4, 3)
    assert recent.get() is None
    recent = RecentRecall(10, json.loads(json.dumps(recent.snapshot())))
    recent.close(5)
    assert 0.75 == recent.get()


def test_a_tally_is_what_each_bin_weighs():
    slacks, weights = np.array([0, 7, 0, 1_000_000, 7]), np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    expected = np.bincount(bin_of(slacks), weights=weights)
    assert expected.tolist() == tallied(slacks, weights).tolist()
    assert np.bincount(bin_of(slacks)).tolist() == tallied(slacks, np.empty(0)).tolist()
