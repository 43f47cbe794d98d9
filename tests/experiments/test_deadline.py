"""The traffic application of SSG17 Sec. 6, shorter than in the documents: two cycles of the bus delays."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from slackwater.control import Fixed, SLTuner, StaticHigh, StaticLow
from slackwater.deadline import Deadline
from slackwater.errors import DatasetError
from slackwater.experiments.deadline import DeadlineRun, compare_deadlines, policy_of
from slackwater.experiments.prediction import compare_predictors, logged_runs
from slackwater.experiments.traffic_run import STEP, Ran, TrafficRun
from slackwater.sources.catalog import load

SECOND = 1_000_000
SIX = Deadline("6 seconds")
CONFIGS = {
    "tuner": SLTuner(learn_after=70, relearn_every=70),
    "low": StaticLow(),
    "high": StaticHigh("10 seconds"),
    "less": Fixed("500 ms"),
}


@cache
def city():
    return load("traffic", duration="140 seconds")


@cache
def ran(policy: str, counts: bool = False) -> Ran:
    return TrafficRun(city(), policy_of(CONFIGS[policy], SIX, counts=counts), counts).run()


def unready(run: Ran) -> int:
    return int(run.column("jams", "slack_ready").sum())


def test_the_tuner_misses_no_deadline():
    assert ran("tuner").latency.max() < 6 * SECOND


def test_waiting_for_everything_misses_the_deadline_and_passes_nothing_on_too_early():
    assert ran("high").latency.max() > 6 * SECOND
    assert 0 == unready(ran("high"))


def test_the_tuner_detects_nearly_what_waiting_for_everything_detects():
    assert ran("tuner").detected.sum() >= 0.95 * ran("high").detected.sum()


def test_the_tuner_passes_on_too_early_less_than_half_of_what_a_low_slack_does():
    assert unready(ran("tuner")) <= unready(ran("low")) / 2


def test_a_latency_is_at_most_the_slack_the_step_and_the_work():
    assert ran("low").latency.max() <= SECOND + 2 * STEP


def test_less_slack_passes_more_on_and_detects_less():
    assert unready(ran("less")) > unready(ran("low"))
    assert ran("less").detected.sum() < ran("low").detected.sum()


def test_operators_that_share_a_deadline_keep_it_together():
    both = ran("tuner", counts=True)
    assert both.latency.max() < 6 * SECOND
    assert (both.slack["jams"] + both.slack["numbers"]).max() < 6 * SECOND


def test_windows_lose_what_comes_behind_them_unless_they_wait():
    assert 0 == ran("high", counts=True).late
    assert ran("less", counts=True).late > 0


def test_the_same_run_gives_the_same_figures():
    again = TrafficRun(city(), policy_of(CONFIGS["tuner"], SIX)).run()
    assert ran("tuner").latency.tolist() == again.latency.tolist()
    assert ran("tuner").slack["jams"].tolist() == again.slack["jams"].tolist()


def test_figures_say_how_often_the_deadline_was_missed_from_the_first_interval_on():
    run = DeadlineRun("StaticHigh", "reference", 6 * SECOND, ran("high"), int(ran("high").detected.sum()))
    figures = run.figures()
    assert np.count_nonzero(ran("high").latency >= 6 * SECOND) == figures["missed"] > 0
    assert (1.0, 0) == (figures["share"], figures["slack_ready"])
    assert len(ran("high").at) == run.series().num_rows == figures["measurements"]


def test_a_data_set_without_an_application_is_refused():
    with pytest.raises(DatasetError, match="those that have: traffic, traffic-growing"):
        compare_deadlines(load("syn3", duration="1 second"), [SIX])


def test_gaussian_processes_predict_held_out_halves_as_well_as_in_ssg17_table_1():
    history = logged_runs(load("traffic", duration="70 seconds"), ["1 second", "4 seconds", "8 seconds"])
    found = {(each["trained_on"], each["features"], each["method"]): each for each in compare_predictors(history)}
    best = found["random", "SSG17 eq. 6", "gaussian"]
    assert best["latency"] <= 0.10
    assert best["slack_ready"] <= 0.25
    assert best["latency"] < found["random", "SSG17 eq. 6", "linear"]["latency"]
