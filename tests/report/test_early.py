from __future__ import annotations

from slackwater.report.early import accuracy_over_earliness, early_rows, early_section


def row(**options):
    known = {"value": "n", "estimate": "raw", "aggressiveness": 0.25, "accuracy": 0.7005, "worst": 0.55, "held": None}
    return {**known, "early_us": -11.2e6, "final_us": 45e6, **options}


def test_a_table_has_the_rows_of_one_aggressiveness():
    rows = [row(), row(estimate="corrected", held=0.9012), row(aggressiveness=0.5)]
    assert [
        ("n", "raw", "70.05%", "55.0%", "", "-11.2 s", "45 s"),
        ("n", "corrected", "70.05%", "55.0%", "90.1%", "-11.2 s", "45 s"),
    ] == early_rows(rows, 0.25)


def test_a_figure_has_a_line_for_each_value_and_estimate():
    figure = accuracy_over_earliness([row(), row(estimate="corrected"), row(value="x<b>")])
    assert ["n, raw", "n, corrected", "x&lt;b&gt;, raw"] == [line.name for line in figure.data]


def test_a_section_names_its_contract():
    assert "Accuracy of early results: error 3%" == early_section("error 3%", [row()]).heading
