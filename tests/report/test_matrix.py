"""The one matrix of contracts, controllers and sets."""

from __future__ import annotations

from slackwater.report.matrix import TITLE, matrix_of
from slackwater.report.reproduction import read_experiments, write_page
from slackwater.report.reproduction_markdown import write_markdown
from tests.report.test_reproduction import claim, write_results


def results(tmp_path):
    """Results of two experiments of ours, and of one that is no part of the matrix."""
    shared = {"set": "syn3", "target": 0.95, "policy": "default", "fulfilled": 1.0, "average_slack_s": 2.0}
    for name, contract, inside in (
        ("ours-a", "Recall", True),
        ("ours-b", "DropRatio", True),
        ("ours-c", "None", False),
    ):
        rows = [{**shared, "contract": contract, "seed": 1}]
        write_results(tmp_path, claims=[claim()], rows=rows, document="ours", name=name, in_matrix=inside)
    return read_experiments(tmp_path)


def test_rows_of_all_experiments_in_it_are_in_one_table(tmp_path):
    heads, cells = matrix_of(results(tmp_path))
    assert "contract" == heads[0]
    assert ["Recall", "DropRatio"] == [row[0] for row in cells]


def test_there_is_none_without_experiments_of_it(tmp_path):
    write_results(tmp_path, claims=[claim()], rows=[])
    assert matrix_of(read_experiments(tmp_path)) is None


def test_the_page_and_the_document_show_it_once(tmp_path):
    found = results(tmp_path)
    page = write_page(tmp_path / "page.html", found, static=True).read_text()
    table = write_markdown(tmp_path / "table.md", found).read_text()
    assert 1 == page.count('<section id="matrix">')
    assert 1 == table.count(f"## {TITLE}")
