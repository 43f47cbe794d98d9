"""Every experiment, at the smoke scale: it runs, and what it writes can be judged and shown."""

from __future__ import annotations

import json

import pytest

from slackwater.experiments.frame.catalog import load, names
from slackwater.experiments.frame.description import SCALES
from slackwater.experiments.frame.runner import Asked, run_all
from slackwater.report.reproduction import read_experiments, write_page
from slackwater.report.reproduction_markdown import write_markdown


def nobody(what, done, planned):
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The results of all experiments that need no data from elsewhere."""
    path = tmp_path_factory.mktemp("results")
    run_all({name: load(name) for name in names()}, Asked("smoke", path), nobody)
    return path


@pytest.mark.parametrize("name", names())
def test_an_experiment_gives_rows_with_all_that_it_shows(folder, name):
    described = load(name)
    rows = [row for line in (folder / f"{name}.jsonl").read_text().splitlines() for row in json.loads(line)["rows"]]
    shown = {column.name for column in described.table} | {plot.y.name for plot in described.plots}
    assert set() == shown - {key for row in rows for key in row}


@pytest.mark.parametrize("name", names())
def test_every_claim_has_a_place_and_a_verdict(folder, name):
    claims = json.loads((folder / f"{name}.json").read_text())["claims"]
    assert [] == [claim for claim in claims if not claim["where"] or not claim["says"]]
    assert {claim["verdict"] for claim in claims} <= {"pass", "differs", "cannot be compared"}


@pytest.mark.parametrize("name", names())
def test_every_scale_has_cells_of_its_own(name):
    described = load(name)
    for scale in SCALES:
        keys = [cell.key for cell in described.cells(scale)]
        assert keys
        assert len(keys) == len(set(keys))


def test_the_paper_scale_of_a_generated_set_has_five_seeds():
    assert {1, 2, 3, 4, 5} == {cell.seed for cell in load("ji16-fig7").cells("paper")}


def test_a_real_set_is_run_once_whatever_the_seeds():
    seeds = {cell.seed for cell in load("ours-recall").cells("paper") if cell["set"] == "nezha"}
    assert {1} == seeds


def test_a_report_is_made_from_the_results_alone(folder, tmp_path):
    found = read_experiments(folder)
    assert list(names()) == [each.summary["name"] for each in found]
    page = write_page(tmp_path / "report.html", found).read_text()
    assert all(f'id="{name}"' in page for name in names())
    table = write_markdown(tmp_path / "REPRODUCTION.md", found).read_text()
    assert all(f"## {name}: " in table for name in names())
