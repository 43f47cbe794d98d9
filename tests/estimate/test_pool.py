"""What buckets report adds up, whoever reports what and when."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.needed_slack import bin_of
from slackwater.estimate.pool import Pool, Statistics
from slackwater.measurement import NeededSlacks

SECOND = 1_000_000


def seen(slacks=(), lags=(), events=10, made=0.0) -> NeededSlacks:
    """Describe an interval of one stream."""
    slack = np.array(slacks, np.int64)
    return NeededSlacks(slack, np.ones(len(slack)), (np.array(lags, np.int64),), (events,), None, made)


def report(interval, *args, **kwargs) -> Statistics:
    return Statistics.of(seen(*args, **kwargs), interval)


def test_what_a_controller_sees_of_a_report_is_what_the_bucket_saw():
    needs = report(0, slacks=[0, 0, 700, 90_000], lags=[90_000, 700], events=8, made=3.0).needs(1)
    assert ([0, 700, 90_000], [2.0, 1.0, 1.0]) == (needs.slack.tolist(), needs.weight.tolist())
    assert ([700, 90_000], [1.0, 1.0]) == (needs.lags[0].tolist(), needs.lag_weights[0].tolist())
    assert ((8,), 3.0) == (needs.events, needs.made)


def test_a_report_has_one_row_for_each_bin_however_many_events_there_were():
    lags = np.random.default_rng(1).integers(1, 2_000, 50_000)
    assert len(report(0, slacks=lags, lags=lags, events=60_000)) < 2 * 400


def test_the_longest_lag_of_a_bin_stays_exact():
    assert 1_000_007 == report(0, lags=[1_000_003, 1_000_007, 1_000_001]).needs(1).lags[0].max()


@given(st.lists(st.integers(1, 10**13), min_size=1, max_size=30))
def test_a_row_stays_in_the_bin_of_the_slacks_it_stands_for(lags):
    needs = report(0, lags=lags, events=len(lags)).needs(1)
    assert np.bincount(bin_of(np.array(lags))).tolist() == (
        np.bincount(bin_of(needs.lags[0]), weights=needs.lag_weights[0]).tolist()
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 5_000), max_size=5)), max_size=8), st.randoms())
def test_a_sum_does_not_depend_on_how_it_is_put_together(given_reports, random):
    reports = [report(interval, slacks=slacks, lags=[s for s in slacks if s]) for interval, slacks in given_reports]
    shuffled = random.sample(reports, len(reports))
    by_twos = Statistics.sum([Statistics.sum(shuffled[n : n + 2]) for n in range(0, len(shuffled), 2)])
    for one, other in zip(Statistics.sum(reports).columns(), by_twos.columns(), strict=True):
        assert one.tolist() == other.tolist()


def test_an_interval_is_closed_once_the_fastest_clock_has_left_it():
    pool = Pool(SECOND, 1)
    pool.update([report(4), report(5), report(6)])
    assert [5 * SECOND, 6 * SECOND] == [at for at, _ in pool.close(clock=6 * SECOND)]
    assert [7 * SECOND] == [at for at, _ in pool.close(clock=7 * SECOND)]


def test_reports_of_several_buckets_are_one_interval():
    pool = Pool(SECOND, 1)
    pool.update([report(4, slacks=[10], made=1.0), report(4, slacks=[10, 20], made=1.0)])
    ((_, needs),) = pool.close(clock=5 * SECOND)
    assert ([2.0, 1.0], (20,), 2.0) == (needs.weight.tolist(), needs.events, needs.made)


def test_a_bucket_that_is_behind_holds_nobody_back_and_is_counted_with_the_next():
    pool = Pool(SECOND, 1)
    pool.update([report(9, events=3)])
    assert [(3,)] == [needs.events for _, needs in pool.close(clock=10 * SECOND)]
    pool.update([report(4, events=5)])  # what it reports of long ago
    assert [] == pool.close(clock=10 * SECOND)
    pool.update([report(10, events=2)])
    assert [(11 * SECOND, (7,))] == [(at, needs.events) for at, needs in pool.close(clock=11 * SECOND)]


def test_a_clock_that_falls_back_opens_nothing_again():
    pool = Pool(SECOND, 1)
    pool.update([report(9)])
    pool.close(clock=10 * SECOND)
    pool.update([report(4)])
    assert [] == pool.close(clock=5 * SECOND)


def test_a_pool_goes_on_from_its_snapshot():
    pool = Pool(SECOND, 1)
    pool.update([report(3, slacks=[5], events=4), report(4, slacks=[9], lags=[9], events=7)])
    pool.close(clock=4 * SECOND)
    again = Pool(SECOND, 1, json.loads(json.dumps(pool.snapshot())))
    both = [each.close(clock=5 * SECOND)[0][1] for each in (pool, again)]
    assert ([9], (7,)) == (both[1].slack.tolist(), both[1].events)
    assert (both[0].slack.tolist(), both[0].events) == (both[1].slack.tolist(), both[1].events)


def test_a_snapshot_of_other_intervals_is_forgotten():
    pool = Pool(SECOND, 1)
    pool.update([report(4)])
    assert [] == Pool(2 * SECOND, 1, pool.snapshot()).close(clock=90 * SECOND)
