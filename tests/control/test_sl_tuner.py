from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from slackwater.contracts import Goal
from slackwater.control import SLTuner
from slackwater.control.graph_tuner import GraphTuner, Tuning
from slackwater.control.history import write_history
from slackwater.control.operator_model import Learning, TunedOperator
from slackwater.errors import DatasetError, ParameterError
from slackwater.measurement import Waited
from slackwater.models.graph import Graph
from tests.control.measurements import MS, SECOND, measured

GOAL = Goal(interval=SECOND, deadline=6 * SECOND)
QUIET = Waited(latency=200 * MS, processing=200 * MS, slack_ready=0, spread=10 * MS, events=500)


def interval(number: int, waited: Waited, intervals: int = 1):
    return replace(measured([0], intervals=intervals), at=number * SECOND, waited=waited)


def city(slack: int, second: int) -> Waited:
    """What a gate measures where one stream falls up to 7 s behind and catches up, once in 70 s."""
    spread = int(7 * SECOND * max(0.0, np.sin(2 * np.pi * second / 70)))
    unready = 500 if spread > slack else 0
    return Waited(min(slack, spread) + 250 * MS, 250 * MS, unready, spread, 1_000)


def lead(controller, seconds: range) -> list[tuple[int, Waited]]:
    """Take a controller through seconds of the city; return every slack and what it led to."""
    found = []
    for second in seconds:
        slack = controller.next_slack().microseconds
        happened = city(slack, second)
        controller.observe(interval(second, happened))
        found.append((slack, happened))
    return found


def test_in_quiet_times_the_slack_is_what_the_deadline_leaves():
    controller = SLTuner().build(None, GOAL)
    controller.observe(interval(1, QUIET))
    assert 5_700 * MS == controller.next_slack().microseconds  # the next step, with 200 ms of work, is the deadline


def test_no_deadline_is_missed_before_and_after_it_has_learned():
    ran = lead(SLTuner(learn_after=70, relearn_every=70).build(None, GOAL), range(210))
    assert max(happened.latency for _, happened in ran) < 6 * SECOND


def test_more_processing_leaves_less_to_wait():
    controller = SLTuner().build(None, GOAL)
    for second in range(5):
        controller.observe(interval(second, replace(QUIET, processing=3 * SECOND, latency=3 * SECOND)))
    assert controller.next_slack().microseconds < 3 * SECOND


def test_without_a_guard_a_tuner_trusts_what_it_expects():
    # In quiet times no slack leads to a longer latency, so it goes as high as the search does.
    controller = SLTuner(guard=False).build(None, GOAL)
    controller.observe(interval(1, QUIET))
    assert 6 * SECOND <= controller.next_slack().microseconds


def test_without_filling_a_slack_that_saves_nothing_is_not_raised():
    controller = SLTuner(fill=False).build(None, GOAL)
    controller.observe(interval(1, replace(QUIET, spread=0)))
    assert 0 == controller.next_slack().microseconds


def test_restoring_after_every_interval_gives_the_same_slacks():
    config = SLTuner(learn_after=5, relearn_every=7, memory=12, method="linear")
    undisturbed = config.build(None, GOAL)
    for second in range(30):
        restored = config.build(json.loads(json.dumps(undisturbed.snapshot())), GOAL)
        happened = interval(second, city(undisturbed.next_slack().microseconds, second), intervals=second % 3)
        undisturbed.observe(happened)
        restored.observe(happened)
        assert undisturbed.snapshot() == restored.snapshot()


def test_parts_of_an_interval_are_one():
    whole, parts = SLTuner().build(None, GOAL), SLTuner().build(None, GOAL)
    whole.observe(interval(1, Waited(900, 100, 7, 50, 30)))
    parts.observe(interval(1, Waited(900, 80, 3, 40, 10), intervals=0))
    parts.observe(interval(1, Waited(100, 100, 4, 50, 20)))
    assert whole.snapshot() == parts.snapshot()


def test_a_history_is_learned_at_once(tmp_path):
    rows = [(second * SECOND, slack, city(slack, second)) for slack in (SECOND, 4 * SECOND) for second in range(70)]
    columns = {
        "at": [at for at, _, _ in rows],
        "slack": [slack for _, slack, _ in rows],
        "parallelism": [1] * len(rows),
        "window": [0] * len(rows),
        "spread": [waited.spread for _, _, waited in rows],
        "latency": [waited.latency for _, _, waited in rows],
        "slack_ready": [waited.slack_ready for _, _, waited in rows],
    }
    write_history(tmp_path / "runs.parquet", pa.table(columns))
    controller = SLTuner(history=str(tmp_path / "runs.parquet"), learn_after=10_000).build(None, GOAL)
    assert controller.snapshot()["tuner"]["operators"]["operator"]["trained_on"] is not None
    assert max(happened.latency for _, happened in lead(controller, range(70, 140))) < 6 * SECOND


def test_a_history_that_is_not_there_is_an_error_that_says_how_to_write_one():
    with pytest.raises(DatasetError, match="write_history"):
        SLTuner(history="nowhere.parquet").build(None, GOAL)


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"alpha": 1}, {"method": "forest"}, {"memory": 0}, {"step": "0 s"}])
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SLTuner(**wrong)


def test_operators_share_one_deadline_and_slack_goes_where_it_saves_most():
    # Both are 2 s behind, and of the first three times as many events would be passed on too early: it gets all that
    # 3 s leave for 600 ms of work.
    chain = Graph.chain("join", "count")
    operators = [TunedOperator("join", waits="always"), TunedOperator("count", waits="always")]
    tuner = GraphTuner(chain, operators, Tuning(deadline=3 * SECOND), Learning())
    behind = Waited(latency=300 * MS, processing=300 * MS, slack_ready=0, spread=2 * SECOND, events=500)
    tuner.observe(0, {"join": replace(behind, events=1_500), "count": behind})
    assert {"join": 2_300 * MS, "count": 0} == tuner.slacks


def test_a_search_has_at_most_64_steps_to_the_deadline():
    deadline, wide = 64 * 10 - 1, 10
    tuner = GraphTuner(Graph.chain("join"), [TunedOperator("join")], Tuning(deadline, step=1), Learning())
    assert {"join": deadline // 2 // wide * wide} == tuner.slacks


def test_over_every_path_slacks_and_processing_stay_below_the_deadline():
    graph = Graph.chain("join", "count")
    operators = [TunedOperator("join"), TunedOperator("count")]
    tuner = GraphTuner(graph, operators, Tuning(deadline=3 * SECOND), Learning())
    for second in range(20):
        tuner.observe(second * SECOND, {name: city(slack, second) for name, slack in tuner.slacks.items()})
        assert sum(tuner.slacks.values()) + 2 * 250 * MS < 3 * SECOND
