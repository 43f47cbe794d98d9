from __future__ import annotations

import numpy as np
import pytest

import slackwater as sw
from slackwater.errors import DatasetError
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import Subject, subject_of_dataset
from slackwater.quality.recall import after_first_period

PERIOD = 10_000_000


@pytest.fixture(scope="module")
def subject():
    return subject_of_dataset("syn3", duration="40 seconds")


@pytest.fixture(scope="module")
def replay(subject):
    return Replay(subject)


def result_times(subject: Subject, contract) -> np.ndarray:
    """The results themselves, from the public operator."""
    query = subject.query
    joined = sw.join(*subject.streams, on=query.on, within=query.within, contract=contract)
    return joined.results["event_time"].cast("int64").to_numpy()


@pytest.fixture(scope="module")
def few():
    """Streams with so few results that all of them can be listed."""
    full = subject_of_dataset("syn3", duration="40 seconds")
    streams = tuple(
        sw.stream(
            each.frame.take(list(range(0, 4_000, 8))), name=each.node.name, event_time="event_time", arrival="arrival"
        )
        for each in full.streams
    )
    return Subject(full.name, full.description, full.query, streams)


@pytest.mark.parametrize("contract", [sw.NoSlack(), sw.FixedSlack("300 ms"), sw.Recall(0.9, over="10 seconds")])
def test_recall_is_that_of_the_listed_results_before_each_watermark(few, contract):
    true, produced = result_times(few, sw.FixedSlack("1 hour")), result_times(few, contract)
    measured = Replay(few).measure(contract, PERIOD)
    for watermark, recall in zip(measured.watermark[12:].tolist(), measured.recall[12:].tolist(), strict=True):
        found, there = (np.sum((each >= watermark - PERIOD) & (each < watermark)) for each in (produced, true))
        assert pytest.approx(found / there if there else 1.0) == recall
    assert (len(produced), len(produced) / len(true)) == (measured.produced, measured.share)


def test_the_first_period_does_not_count(replay):
    measured = replay.measure(sw.NoSlack(), PERIOD)
    assert 30 == measured.counts.sum() == pytest.approx(len(measured.at) - 10, abs=1)
    expected = after_first_period(measured.at, int(measured.at[0]), PERIOD)
    assert expected.tolist() == measured.counts.tolist()


def test_waiting_for_the_largest_delay_loses_nothing(replay):
    contract = sw.FixedSlack(sw.time.Duration(replay.truth.largest_delay))
    measured = replay.measure(contract, PERIOD)
    assert 1.0 == measured.share == measured.recall.min()


def test_average_slack_is_that_of_the_decisions_that_count(replay):
    measured = replay.measure(sw.MaxSlack(), PERIOD)
    assert measured.slack[measured.counts].mean() == measured.average_slack


def test_hindsight_is_the_smallest_on_the_grid_that_does(replay):
    goal = sw.Recall(0.95, over="10 seconds").goal()
    found = replay.hindsight(goal, share=0.9)
    shares = {slack: replay.measure(sw.FixedSlack(f"{slack} us"), PERIOD).phi(0.95).nearly
              for slack in (found.slack - 10_000, found.slack)}  # fmt: skip
    assert shares[found.slack] >= 0.9 > shares[found.slack - 10_000]


def test_nothing_is_run_twice(subject):
    told: list[str] = []
    replay = Replay(subject, notice=lambda what, done, planned: told.append(f"{what} {done}"))
    for _ in range(2):
        replay.measure(sw.NoSlack(), PERIOD)
    assert ["the in-order truth 0", "the in-order truth 1", "none 1", "none 2"] == told


def test_streams_shorter_than_a_period_are_refused(replay):
    with pytest.raises(DatasetError, match="ends within the first period of 1 minute"):
        replay.measure(sw.NoSlack(), 60_000_000)


def test_a_controller_that_cannot_join_three_streams_says_so(replay):
    with pytest.raises(sw.errors.ParameterError, match="join two streams"):
        replay.measure(sw.Recall(0.9, over="10 seconds", controller=sw.control.LateDegreeModel()), PERIOD)
