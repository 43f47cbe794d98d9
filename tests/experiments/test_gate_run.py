"""A gate taken through processing time: who waits, who was ready, and whether the deadline holds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.control import DeadlineSlack, Fixed
from slackwater.control.operator_model import TunedOperator
from slackwater.experiments.deadline import policy_for
from slackwater.experiments.frame.description import Cell
from slackwater.experiments.frame.ours_deadline import run_deadline
from slackwater.experiments.gate_run import OPERATOR, GateRun, GateSetting
from slackwater.sources.arrange import START, Emitted, arrange
from slackwater.sources.dataset import Dataset
from slackwater.sources.step import step

SETTING = GateSetting("6 seconds", "250 ms")


def run(dataset, controller, setting=SETTING):
    contract = setting.contract()
    policy = policy_for((TunedOperator(OPERATOR),), controller, contract)
    return GateRun(dataset, setting, contract, policy).run()


def streams(**moments):
    """Streams whose events come when they happen, at these seconds."""
    made = {}
    for name, seconds in moments.items():
        times = START + (np.asarray(seconds, np.float64) * 1e6).astype(np.int64)
        made[name] = Emitted(times, times, {"value": pa.array(np.arange(len(times)))})
    return Dataset("test", arrange(made), "")


def test_with_enough_slack_everything_is_ready():
    patient = GateSetting("30 seconds", "250 ms")  # the second stream is silent for 9 s when it falls behind
    ran = run(step(lag="1 second", duration="60 seconds"), Fixed("11 seconds"), patient)
    assert 1.0 == ran.share_ready
    assert 9.0 < ran.latency.max() / 1e6 <= 10.5


def test_without_slack_nobody_waits_longer_than_for_the_next_steps():
    ran = run(step(lag="1 second", duration="60 seconds"), Fixed("0 seconds"))
    assert ran.latency.max() <= 500_000
    assert ran.share_ready < 0.6


def test_more_slack_makes_more_events_ready():
    lagging = step(lag="1 second", duration="60 seconds")
    shares = [run(lagging, Fixed(f"{slack} seconds")).share_ready for slack in (0, 2, 5, 11)]
    assert sorted(shares) == shares


def test_what_a_deadline_leaves_keeps_it():
    ran = run(step(lag="1 second", duration="60 seconds"), DeadlineSlack())
    assert ran.latency.max() <= 6_000_000


def test_a_silent_stream_steps_aside_in_time():
    talking, silent = np.arange(0, 30, 0.1), [0.0, 30.0]
    ran = run(streams(a=talking, b=silent), Fixed("1 hour"))
    assert 0 < ran.latency.max() <= 6_000_000


def test_the_spread_is_how_far_the_streams_are_apart():
    ran = run(step(lag="1 second", duration="60 seconds"), Fixed("11 seconds"))
    assert 1.0 == pytest.approx(float(np.median(ran.spread[5:15])) / 1e6, abs=0.01)


def test_hindsight_is_a_constant_that_does_as_well():
    config = {"set": "step-lag", "duration": "60 seconds", "target": "6 seconds", "policy": "StaticLow"}
    row = run_deadline(Cell(config)).row
    assert 1.0 <= row["hindsight_s"] <= 1.5
    assert 1.0 == row["fulfilled"]
