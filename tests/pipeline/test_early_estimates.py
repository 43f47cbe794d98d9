from __future__ import annotations

import json

import numpy as np
import pytest

from slackwater.core.panes import Panes
from slackwater.pipeline.early_estimates import EarlyEstimates
from slackwater.pipeline.early_pending import MOST_GROUPS, MOST_PROMISES, Pending, Promise

SLIDE = 1_600
PANES = Panes(SLIDE, SLIDE)
KINDS = ("total", "total", "other", "most")


class Stream:
    """Windows of about 100 events, each prodded half way."""

    def __init__(self, estimates, seed=1, groups=1):
        self.estimates, self.random, self.groups, self.window = estimates, np.random.default_rng(seed), groups, 0

    def next(self):
        """Run one window; return its estimates and its final values."""
        count = self.random.poisson(100 * self.groups)
        times = np.sort(self.random.integers(0, SLIDE, count))
        value, group = self.random.uniform(0, 10, count), self.random.integers(0, self.groups, count)
        half = times < SLIDE // 2
        self.estimates.update(self.window * SLIDE + times[half])
        early = self.known(group[half], value[half])
        out = self.estimates.early(self.window, *early, clock=self.window * SLIDE + SLIDE // 2, slack=0)
        self.estimates.update(self.window * SLIDE + times[~half])
        final = self.known(group, value)
        self.estimates.final(self.window, *final, closed_to=(self.window + 1) * SLIDE)
        self.window += 1
        return out, final[2]

    def known(self, group, value):
        groups = np.unique(group)
        rows = np.bincount(group, minlength=self.groups)[groups].astype(np.float64)
        total = np.bincount(group, value, minlength=self.groups)[groups]
        most = np.array([value[group == each].max() for each in groups])
        return groups, rows, np.stack((rows, total, total / rows, most))


def estimates(**options) -> EarlyEstimates:
    return EarlyEstimates(PANES, KINDS, **options)


def promise(window=0, groups=1) -> Promise:
    column, table = np.ones(groups), np.ones((len(KINDS), groups))
    return Promise(window, -4, -800, np.arange(groups), column, column, column, table, table, table, table, table)


def after(windows, *, groups=1, **options):
    stream = Stream(estimates(**options), groups=groups)
    return [stream.next() for _ in range(windows)]


def test_counts_and_sums_are_about_what_they_will_be():
    ratios = np.array([out.value[:2, 0] / final[:2, 0] for out, final in after(60)[20:]])
    assert [1.0, 1.0] == pytest.approx(ratios.mean(axis=0).tolist(), abs=0.03)


def test_half_of_a_window_is_covered_half_way():
    assert 0.5 == pytest.approx(np.mean([out.coverage[0] for out, _ in after(60)[20:]]), abs=0.02)


def test_nine_of_ten_intervals_hold_the_final_value():
    held = [(out.low <= final) & (final <= out.high) for out, final in after(500)[20:]]
    assert [0.9, 0.9, 0.9] == pytest.approx(np.mean(held, axis=0)[:3, 0].tolist(), abs=0.02)


def test_more_confidence_gives_wider_intervals():
    sure, unsure = (after(100, confidence=confidence)[-1][0] for confidence in (0.95, 0.5))
    assert (sure.high - sure.low)[0, 0] > 2 * (unsure.high - unsure.low)[0, 0]


def test_there_are_no_intervals_before_finals_have_come():
    assert np.isnan(after(1)[0][0].low[0, 0])


def test_a_maximum_so_far_is_a_sure_lower_bound():
    assert all(out.low[3, 0] <= final[3, 0] for out, final in after(60))


def test_raw_estimates_are_what_has_come():
    out, _ = after(60, estimate="raw")[-1]
    assert out.value[0, 0] < 80


def test_each_group_has_its_own_estimate():
    out, final = after(60, groups=5)[-1]
    assert (4, 5) == out.value.shape == final.shape
    assert pytest.approx(500, rel=0.15) == out.value[0].sum()


def test_nothing_depends_on_being_saved_and_restored():
    stream, other = Stream(estimates(), groups=3), Stream(estimates(), groups=3)
    for _ in range(40):
        saved, known = json.loads(json.dumps(other.estimates.snapshot())), other.estimates.known
        other.estimates = EarlyEstimates(PANES, KINDS, state=saved, known=known)
        expected, restored = stream.next()[0], other.next()[0]
    assert expected.high.tolist() == restored.high.tolist()


def test_of_many_groups_a_sample_is_remembered():
    pending = Pending(len(KINDS))
    pending.add(promise(groups=1000))
    ((found, _),) = pending.take(0, np.arange(1000))
    assert MOST_GROUPS / 2 < len(found.group) <= MOST_GROUPS


def test_promises_that_wait_are_bounded():
    pending = Pending(len(KINDS))
    for window in range(2 * MOST_PROMISES):
        pending.add(promise(window))
    assert MOST_PROMISES == len(pending.snapshot())


def test_a_promise_is_taken_with_the_places_of_its_groups():
    pending = Pending(len(KINDS))
    pending.add(promise(groups=2))
    ((_, at),) = pending.take(0, np.array([-1, 0, 1, 5]))
    assert [1, 2] == at.tolist()


def test_promises_about_windows_that_had_no_result_are_forgotten():
    pending = Pending(len(KINDS))
    pending.add(promise(window=3))
    assert [] == list(pending.take(4, np.array([0])))
    assert [] == pending.snapshot()


def test_promises_follow_their_groups_to_other_codes():
    pending = Pending(len(KINDS))
    pending.add(promise(groups=2))
    pending.renamed(np.array([8, 3]))
    ((found, _),) = pending.take(0, np.array([3, 8]))
    assert [3, 8] == found.group.tolist()
