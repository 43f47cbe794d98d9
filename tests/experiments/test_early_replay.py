"""Early results of a query, raw and corrected, by how early they are."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.experiments.early_replay import SHARES, compare_early, summarize
from slackwater.experiments.window_stream import windows_of_dataset


@pytest.fixture(scope="module")
def rows():
    stream = windows_of_dataset("freeway", duration="2 hours")
    return compare_early(stream, [sw.FixedSlack("30 seconds")], shown=0.3, notice=lambda *_: None)


def accuracy(rows, value, estimate):
    return [row["accuracy"] for row in rows if (row["value"], row["estimate"]) == (value, estimate)]


def test_every_share_is_run_raw_and_corrected(rows):
    found = {(row["aggressiveness"], row["estimate"]) for row in rows}
    assert {(share, how) for share in (*SHARES, 0.3) for how in ("raw", "corrected")} == found


def test_earlier_sums_are_less_accurate(rows):
    found = accuracy(rows, "volume", "raw")
    assert sorted(found, reverse=True) == found


def test_corrected_sums_are_more_accurate_than_raw_ones(rows):
    raw, corrected = (accuracy(rows, "volume", how) for how in ("raw", "corrected"))
    assert all(better > plain for plain, better in zip(raw, corrected, strict=True))


def test_early_results_come_before_the_end_and_final_ones_the_slack_after_it(rows):
    (row,) = (row for row in rows if (row["aggressiveness"], row["value"], row["estimate"]) == (0.5, "speed", "raw"))
    assert -30e6 == pytest.approx(row["early_us"], abs=6e6)
    assert 30e6 == pytest.approx(row["final_us"], abs=6e6)


def test_only_corrected_results_have_intervals(rows):
    assert {None} == {row["held"] for row in rows if row["estimate"] == "raw"}
    assert all(0.8 < row["held"] < 1 for row in rows if row["estimate"] == "corrected" and row["value"] == "speed")


def test_a_stream_that_is_too_short_has_no_figures():
    stream = windows_of_dataset("freeway", duration="5 minutes")
    assert [] == summarize(stream.plan(sw.NoSlack(), sw.Early(aggressiveness=0.5)))
