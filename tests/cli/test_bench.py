from __future__ import annotations

import importlib
import sys

import pytest
from typer.testing import CliRunner

from slackwater.cli.bench import find_repository
from slackwater.cli.main import app
from slackwater.contracts import DropRatio
from slackwater.errors import SlackwaterError

HARNESS = """
from slackwater.plan.contract_text import contract_text

def main(name, *, quick, repeat, contract):
    print(name, quick, repeat, contract if contract is None else contract_text(contract))
    return 0 if name == "known" else 3
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository whose benchmarks only say how they were called."""
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").touch()
    (tmp_path / "benchmarks" / "harness.py").write_text(HARNESS)
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("benchmarks", "benchmarks.harness"):
        sys.modules.pop(name, None)


def test_benchmarks_are_found_from_a_folder_below(repository):
    below = repository / "docs" / "decisions"
    below.mkdir(parents=True)
    assert repository == find_repository(below)


def test_without_the_repository_the_error_says_so(tmp_path):
    with pytest.raises(SlackwaterError, match="benchmarks are part of the repository"):
        find_repository(tmp_path)


def test_harness_gets_what_was_asked_for(repository, monkeypatch):
    monkeypatch.chdir(repository)
    shown = CliRunner().invoke(app, ["bench", "known", "--quick", "--repeat", "5"])
    assert (0, "known True 5 None\n") == (shown.exit_code, shown.stdout)


def test_exit_code_is_that_of_the_harness(repository, monkeypatch):
    monkeypatch.chdir(repository)
    assert 3 == CliRunner().invoke(app, ["bench", "unknown"]).exit_code


def test_harness_gets_the_contract_that_the_text_says(repository, monkeypatch):
    monkeypatch.chdir(repository)
    shown = CliRunner().invoke(app, ["bench", "known", "--contract", "drop 1%"])
    assert "known False 5 drop 0.01 over 1 minute\n" == shown.stdout


def test_a_contract_that_cannot_be_read_is_refused_before_anything_runs(repository, monkeypatch):
    monkeypatch.chdir(repository)
    shown = CliRunner().invoke(app, ["bench", "known", "--contract", "dropp 1%"])
    assert (1, "") == (shown.exit_code, shown.stdout)


def test_a_benchmark_that_takes_no_contract_says_which_do(capsys):
    harness = importlib.import_module("benchmarks.harness")
    assert 2 == harness.main("join", contract=DropRatio(0.01))
    assert "reorder-contract" in capsys.readouterr().out


@pytest.mark.parametrize("family", ["reorder", "join"])
def test_a_family_runs_all_that_begin_with_its_name(family):
    harness = importlib.import_module("benchmarks.harness")
    assert [part for part in harness.PARTS if part.startswith(family)] == list(harness.NAMES[family])
