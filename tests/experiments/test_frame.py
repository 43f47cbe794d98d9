"""The frame of experiments: cells, files, verdicts, the guard."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from slackwater.errors import DatasetError, ParameterError
from slackwater.experiments.frame.baseline import compare_with, write_baseline
from slackwater.experiments.frame.catalog import load, names
from slackwater.experiments.frame.claims import Claim, Judged, at_least, at_most, judge, number, rises
from slackwater.experiments.frame.description import Cell, Experiment, grid
from slackwater.experiments.frame.results import Results
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.frame.runner import Asked, left_out, run_all
from slackwater.sources.real import VARIABLE


def experiment(run, *, configs=({"x": 1}, {"x": 2}), seeds=(1, 2), claims=(), **options):
    scales = ("smoke", "small", "paper")
    return Experiment(
        document="ours",
        section="",
        title="a test",
        about="",
        grids=dict.fromkeys(scales, configs),
        seeds=dict.fromkeys(scales, seeds),
        run=run,
        claims=claims,
        **options,
    )


def nobody(what, done, planned):
    pass


def run(described, folder, **asked):
    return run_all({"test": described}, Asked("small", folder, **asked), nobody)


def verdict(check, rows, scale="paper", **options):
    return judge(Claim("it is so", "Sec. 1", check, why="because", **options), Rows(rows), scale)["verdict"]


def rows_of(metric, *values):
    return [{"seed": seed, metric: value} for seed, value in enumerate(values)]


def test_a_cell_that_the_file_has_is_not_run_again(tmp_path):
    ran = []
    described = experiment(lambda cell: [ran.append(cell.key) or {"value": cell["x"]}])
    run(described, tmp_path)
    run(described, tmp_path)
    assert 4 == len(ran)


def test_a_run_that_was_stopped_goes_on_with_what_is_missing(tmp_path):
    ran = []

    def stops(cell):
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(cell.key)
        return [{"value": 1}]

    with pytest.raises(KeyboardInterrupt):
        run(experiment(stops), tmp_path)
    run(experiment(lambda cell: [ran.append(cell.key) or {"value": 1}]), tmp_path)
    assert 4 == len(ran) == len(set(ran))


def test_a_line_that_was_cut_off_is_run_again(tmp_path):
    described = experiment(lambda cell: [{"value": cell["x"]}])
    run(described, tmp_path)
    lines = tmp_path / "test.jsonl"
    lines.write_text(lines.read_text()[:-20])
    run(described, tmp_path)
    assert 4 == len(Results(tmp_path, "test").read())


def test_a_fresh_run_forgets_what_was_there(tmp_path):
    run(experiment(lambda cell: [{"value": 1}]), tmp_path)
    run(experiment(lambda cell: [{"value": 2}]), tmp_path, fresh=True)
    assert {2} == {line["rows"][0]["value"] for line in Results(tmp_path, "test").read().values()}


def test_a_line_says_configuration_seed_engine_and_versions(tmp_path):
    run(experiment(lambda cell: [{"value": 1}], configs=[{"x": 7}], seeds=(3,)), tmp_path)
    line = json.loads((tmp_path / "test.jsonl").read_text())
    assert ({"x": 7}, 3, "local") == (line["config"], line["seed"], line["engine"])
    assert {"python", "slackwater", "numpy"} <= set(line["versions"])


def test_one_seed_can_be_asked_for(tmp_path):
    run(experiment(lambda cell: [{"value": 1}]), tmp_path, seeds=(9,))
    assert {9} == {line["seed"] for line in Results(tmp_path, "test").read().values()}


def test_the_notice_counts_only_what_is_missing(tmp_path):
    described = experiment(lambda cell: [{"value": 1}])
    run(described, tmp_path, seeds=(1,))
    told = []
    run_all({"test": described}, Asked("small", tmp_path), lambda *what: told.append(what[1:]))
    assert [(0, 2), (1, 2), (2, 2)] == told


def test_cells_of_the_same_data_and_seed_come_together():
    described = experiment(lambda cell: [], configs=grid(target=[1, 2], set=["a", "b"]))
    order = [(cell["set"], cell.seed) for cell in described.cells("small")]
    assert len(set(order)) == 1 + sum(before != after for before, after in pairwise(order))


def test_spark_runs_the_smoke_scale_only(tmp_path):
    with pytest.raises(ParameterError, match="be smoke on Spark"):
        run(experiment(lambda cell: []), tmp_path, engine="spark")


def test_an_unknown_experiment_says_which_there_are():
    with pytest.raises(ParameterError, match="did you mean ji16-fig7"):
        load("ji16-fig77")


def test_experiments_are_in_the_order_of_the_documents():
    documents = [name.split("-")[0] for name in names()]
    assert ["ji16", "sun15", "kim", "prod", "ssg17", "ours"] == list(dict.fromkeys(documents))


@pytest.mark.parametrize(
    ("quoted", "values", "expected"),
    [(10.0, (10.9,), "pass"), (10.0, (11.2,), "differs"), (10.0, (9.0, 14.0), "pass")],
)
def test_a_number_agrees_if_it_is_near_or_within_the_spread(quoted, values, expected):
    assert expected == verdict(number(quoted, "k"), rows_of("k", *values))


@pytest.mark.parametrize(("value", "expected"), [(0.97, "pass"), (0.96, "differs")])
def test_a_share_agrees_within_two_points(value, expected):
    assert expected == verdict(number(0.99, "phi", "%"), rows_of("phi", value))


def test_a_bound_holds_for_every_configuration():
    rows = [{"seed": 1, "cell": name, "phi": value} for name, value in (("a", 0.99), ("b", 0.9))]
    assert "differs" == verdict(at_least(0.97, "phi"), rows)
    assert "pass" == verdict(at_most(0.99, "phi"), rows)


@pytest.mark.parametrize(("falls", "expected"), [(False, "pass"), (True, "differs")])
def test_a_trend_compares_the_ends(falls, expected):
    rows = [{"seed": 1, "g": g, "k": k} for g, k in ((1, 1.0), (10, 0.5), (100, 2.0))]
    assert expected == verdict(rises("k", "g", falls=falls), rows)


def test_what_was_not_run_cannot_be_compared():
    assert "cannot be compared" == verdict(number(1.0, "k", set="soccer"), rows_of("k", 1.0))


def test_what_needs_long_streams_is_compared_at_paper_scale_only():
    check, rows = number(1.0, "k"), rows_of("k", 1.0)
    assert "cannot be compared" == verdict(check, rows, "small", at_paper_scale=True)
    assert "pass" == verdict(check, rows, "paper", at_paper_scale=True)


def test_a_number_of_which_nobody_can_say_whether_it_agrees_cannot_be_compared():
    assert "cannot be compared" == verdict(lambda _: Judged("", None), [])


def test_the_reason_is_given_only_where_it_differs():
    agreeing, differing = (
        judge(Claim("", "", number(quoted, "k"), why="because"), Rows(rows_of("k", 1.0)), "paper") for quoted in (1, 2)
    )
    assert ("", "because") == (agreeing["reason"], differing["reason"])


def test_a_difference_without_a_reason_says_so():
    judged = judge(Claim("", "", number(2, "k")), Rows(rows_of("k", 1.0)), "paper")
    assert "The reason is not known." == judged["reason"]


def guarded(tmp_path, before, after, metric):
    """Keep a baseline of some values over seeds, then compare with others."""
    for folder, values in (("before", before), ("after", after)):
        described = experiment(
            lambda cell, values=values: [{metric: values[cell.seed - 1]}],
            configs=[{"x": 1}],
            seeds=range(1, len(values) + 1),
        )
        run(described, tmp_path / folder)
    write_baseline(tmp_path / "baseline.json", tmp_path / "before", ["test"])
    return compare_with(tmp_path / "baseline.json", tmp_path / "after", ["test"])


@pytest.mark.parametrize(
    ("metric", "before", "after", "worse"),
    [
        ("phi_nearly", [0.99], [0.98], 1),
        ("phi_nearly", [0.99], [0.988], 0),
        ("phi_nearly", [0.95, 0.99], [0.96, 0.96], 0),
        ("kept", [0.99], [1.0], 0),
        ("fulfilled", [0.99], [0.98], 1),
        ("ready", [0.9], [0.8], 1),
        ("average_slack_s", [1.0], [1.05], 1),
        ("average_slack_s", [1.0], [0.5], 0),
        ("average_slack_s", [1.0, 1.2], [1.19, 1.19], 0),
        ("reaction_s", [11.0], [16.0], 1),
        ("share", [1.0], [0.1], 0),
    ],
)
def test_the_guard_lets_pass_what_the_spread_explains(tmp_path, metric, before, after, worse):
    assert worse == len(guarded(tmp_path, before, after, metric)[1])


def test_without_a_baseline_the_guard_says_how_to_make_one(tmp_path):
    with pytest.raises(DatasetError, match="--keep"):
        compare_with(tmp_path / "none.json", tmp_path, ["test"])


def test_what_is_fulfilled_is_guarded_once(tmp_path):
    run(experiment(lambda cell: [{"fulfilled": 1.0, "kept": 1.0}], configs=[{"x": 1}]), tmp_path)
    write_baseline(tmp_path / "baseline.json", tmp_path, ["test"])
    assert [["fulfilled"]] == [
        list(each) for each in json.loads((tmp_path / "baseline.json").read_text())["test"].values()
    ]


def test_a_baseline_keeps_what_was_not_run(tmp_path):
    run(experiment(lambda cell: [{"kept": 1.0}]), tmp_path)
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps({"other": {"cell": {"kept": [1, 1, 1]}}}))
    write_baseline(path, tmp_path, ["test"])
    assert {"other", "test"} == set(json.loads(path.read_text()))


def test_a_real_set_that_is_not_here_is_left_out_with_a_word(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    described = experiment(lambda cell: [{"value": 1}], configs=[{"set": "nezha"}, {"set": "syn3"}])
    asked = Asked("small", tmp_path)
    assert {"syn3"} == {cell["set"] for cell in asked.cells(described)}
    assert VARIABLE in left_out({"test": described}, asked)


def test_a_key_does_not_depend_on_the_order_of_a_configuration():
    assert Cell({"a": 1, "b": 2}).key == Cell({"b": 2, "a": 1}).key
