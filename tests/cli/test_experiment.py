from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "140"})


def test_an_experiment_and_its_report(tmp_path):
    shown = run("experiment", "sun15-fig6-2", "--scale", "smoke", "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    assert "neither of the two streams is always leading" in shown.stdout
    page, table = tmp_path / "page.html", tmp_path / "table.md"
    shown = run("report", "--results", str(tmp_path), "--output", str(page), "--markdown", str(table))
    assert 0 == shown.exit_code, shown.output
    assert "Out-of-sync spectrum" in page.read_text()
    assert "| the document says | where | ours | verdict |" in table.read_text()


def test_the_first_of_the_fixed_seeds_can_be_asked_for(tmp_path):
    shown = run("experiment", "sun15-fig6-2", "--scale", "smoke", "--seeds", "3", "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    assert [1, 2, 3] == json.loads((tmp_path / "smoke" / "sun15-fig6-2.json").read_text())["seeds"]


def test_all_experiments_are_listed():
    shown = run("experiment", "--list")
    assert 0 == shown.exit_code
    assert all(name in shown.stdout for name in ("ji16-fig7", "sun15-table6-3", "kim-fig6", "ours-recall"))


def test_a_baseline_that_was_better_fails_the_command(tmp_path):
    where = ("experiment", "ours-drops", "--scale", "smoke", "--output", str(tmp_path))
    baseline = tmp_path / "baseline.json"
    assert 0 == run(*where, "--keep", str(baseline)).exit_code
    assert 0 == run(*where, "--baseline", str(baseline)).exit_code
    better = json.loads(baseline.read_text().replace("average_slack_s", "average_slack_s"))
    for figures in better["ours-drops"].values():
        figures["average_slack_s"] = [0.0, 0.0, 0.0]
    baseline.write_text(json.dumps(better))
    shown = run(*where, "--baseline", str(baseline))
    assert 1 == shown.exit_code
    assert "worse: ours-drops" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("experiment",), "name must be given"),
        (("experiment", "ji16-fig77"), "did you mean ji16-fig7"),
        (("experiment", "kim-fig6", "--scale", "huge"), "--scale must be known"),
        (("experiment", "kim-fig6", "--engine", "flink"), "--engine must be known"),
        (("experiment", "kim-fig6", "--engine", "spark", "--scale", "small"), "--scale must be smoke on Spark"),
        (("experiment", "ji16-fig11", "--engine", "spark"), "--engine must be local for ji16-fig11"),
        (("experiment", "kim-fig6", "--seeds", "6"), "--seeds must be 1 to 5"),
        (("experiment", "kim-fig6", "--seeds", "2", "--seed", "7"), "--seeds must not be given with --seed"),
        (("report", "--results", "nowhere"), "has no results of any scale"),
    ],
)
def test_a_mistake_is_said_in_one_line(arguments, message):
    shown = run(*arguments)
    assert 1 == shown.exit_code
    assert message in shown.stderr
    assert 1 == len(shown.stderr.splitlines())
