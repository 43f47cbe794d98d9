from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.experiments.comparison import compare, deciding_every
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import subject_of_dataset
from slackwater.experiments.written import write


@pytest.fixture(scope="module")
def replay():
    return Replay(subject_of_dataset("syn3", duration="2 minutes"))


def kinds(runs) -> list[tuple[str, str]]:
    return [(run.kind, run.policy.partition(" ")[0]) for run in runs]


def test_a_contract_is_followed_by_its_hindsight_and_the_references(replay):
    runs = compare(replay, [sw.Recall(0.9)])
    own = [("contract", "recall"), ("hindsight", "fixed"), ("mark", "best")]
    assert [*own, ("reference", "none"), ("reference", "max")] == kinds(runs)
    contract, best, _, none, longest = (run.figures() for run in runs)
    assert best["phi_nearly"] >= contract["phi_nearly"]
    assert 0 == none["average_slack_us"] < contract["average_slack_us"] < longest["average_slack_us"]


def test_the_best_slack_per_interval_is_never_above_the_constant_that_keeps_all(replay):
    (best,) = (run for run in compare(replay, [sw.Recall(0.9)]) if run.kind == "mark")
    everything = replay.hindsight(best.goal, 1.0).slack
    assert best.best.reached.all()
    assert 0 < best.figures()["average_slack_us"] <= best.figures()["largest_slack_us"] <= everything


def test_the_best_slack_keeps_its_period_and_the_next_smaller_one_tried_does_not(replay):
    (best,) = (run for run in compare(replay, [sw.Recall(0.9)]) if run.kind == "mark")
    tried = replay.constants(best.goal)
    recalls = {slack: each.recall[each.counts] for slack, each in tried.items()}
    for number, slack in enumerate(best.best.slack.tolist()):
        smaller = [each for each in tried if each < slack]
        assert recalls[slack][number] >= 0.99 * 0.9 - 1e-12
        assert all(recalls[each][number] < 0.99 * 0.9 for each in smaller)


def test_what_has_no_target_is_measured_for_every_goal(replay):
    contracts = [sw.Recall(0.9), sw.Recall(0.8), sw.FixedSlack("200 ms"), sw.MaxSlack()]
    runs = compare(replay, contracts, hindsight=False)
    once = [("contract", "recall"), ("contract", "fixed"), ("contract", "max"), ("reference", "none")]
    assert once * 2 == kinds(runs)
    assert [0.9] * 4 + [0.8] * 4 == [run.goal.target for run in runs]


def test_without_a_target_there_is_no_phi_and_no_hindsight(replay):
    runs = compare(replay, [sw.FixedSlack("200 ms")])
    assert ["fixed 200 ms", "none", "max"] == [run.policy for run in runs]
    assert {None} == {run.figures()["phi"] for run in runs}


def test_files_hold_every_run_and_every_decision_that_counts(replay, tmp_path):
    runs = compare(replay, [sw.Recall(0.9)], hindsight=False)
    write(runs, {"set": "syn3", "seed": 1}, figures=tmp_path / "a.jsonl", series=tmp_path / "a.parquet")
    figures = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    series = pq.read_table(tmp_path / "a.parquet")
    assert [("syn3", 1, number) for number in range(3)] == [(row["set"], row["seed"], row["run"]) for row in figures]
    assert sum(row["measurements"] for row in figures) == series.num_rows
    assert series["recall"].to_numpy()[: figures[0]["measurements"]].min() == figures[0]["lowest_recall"]


def test_a_deadline_keeps_its_limit_when_it_is_decided_at_another_interval():
    contract = sw.Deadline("6 seconds", latency="1 second")
    every = sw.Deadline("6 seconds", latency="1 second", adaptation_interval="5 seconds")
    assert every == deciding_every("5 seconds", contract)
