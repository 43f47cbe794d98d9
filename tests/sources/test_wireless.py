from __future__ import annotations

import numpy as np
import pytest

from slackwater.sources import delays_of, wireless
from slackwater.sources.arrange import START
from slackwater.sources.dataset import event_times_of


@pytest.fixture(scope="module")
def counts():
    return np.bincount((event_times_of(wireless().streams["records"]) - START) // 1_000_000)


@pytest.mark.parametrize(("duration", "records"), [("90 s", 14_000), ("180 s", 28_000), ("360 s", 56_000)])
def test_lengths_of_table_4_3_have_their_number_of_records(duration, records):
    assert pytest.approx(records, rel=0.03) == wireless(duration=duration).rows


def test_spikes_of_the_figure_have_400_to_800_records(counts):
    assert ((400 <= counts[[30, 53, 54, 62]]) & (counts[[30, 53, 54, 62]] <= 850)).all()


def test_other_seconds_have_at_most_about_300_records(counts):
    assert np.delete(counts, [30, 53, 54, 62]).max() < 350


def test_burst_at_62_is_sustained_to_75(counts):
    assert counts[63:76].min() > 200


def test_burst_at_30_is_followed_by_calm(counts):
    assert counts[31:53].max() < 100


def test_records_arrive_in_order():
    assert 0 == delays_of(wireless().streams["records"]).max()


def test_counters_have_short_runs_and_no_trend():
    steps = np.diff(wireless().streams["records"]["counter"].to_numpy())
    assert 0.8 < np.mean(steps == 1) < 0.95
    assert (steps < 0).any()
