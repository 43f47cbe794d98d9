"""What a report makes of the results of experiments."""

from __future__ import annotations

import json

import pytest

from slackwater.report.reproduction import read_experiments, write_page
from slackwater.report.reproduction_axes import axis_of
from slackwater.report.reproduction_markdown import write_markdown
from slackwater.report.reproduction_plots import COLORS, figure_of

X, Y = {"name": "x", "head": "target", "unit": ""}, {"name": "y", "head": "slack", "unit": "s"}
PLOT = {
    "heading": "Slack",
    "caption": "",
    "x": X,
    "y": Y,
    "lines": ["policy"],
    "panels": [],
    "kind": "lines",
    "x_log": False,
    "y_log": False,
    "where": {},
}


def row(x, y, *, policy="a", seed=1, **more):
    return {"x": x, "y": y, "policy": policy, "seed": seed, **more}


def claim(verdict="pass", says="it holds", **more):
    return {"says": says, "where": "Sec. 1", "ours": "1", "verdict": verdict, "reason": "", **more}


def write_results(folder, *, claims, rows, document="JI16", name="ji16-fig1", **more):
    """Write the files of one experiment, as `slackwater experiment` does."""
    summary = {
        "name": name,
        "document": document,
        "section": "Sec. 1",
        "title": "a figure",
        "about": "made by hand",
        "scale": "small",
        "seeds": [1],
        "versions": {"slackwater": "0"},
        "table": [Y],
        "plots": [PLOT],
        "claims": claims,
        **more,
    }
    line = {"config": {"set": "syn3"}, "seed": 1, "engine": "local", "rows": rows}
    (folder / f"{name}.json").write_text(json.dumps(summary))
    (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    return folder


def test_a_plot_without_rows_is_not_drawn():
    assert figure_of(PLOT, [{"policy": "a", "seed": 1}]) is None


def test_seeds_are_drawn_as_their_mean_with_the_spread():
    line = figure_of(PLOT, [row(1, 2.0), row(1, 4.0, seed=2)]).data[0]
    assert ([3.0], [1.0], [1.0]) == (list(line.y), list(line.error_y.array), list(line.error_y.arrayminus))


def test_a_policy_has_the_same_color_in_every_figure_of_an_experiment():
    rows = [row(1, 1.0, policy="a", kind="p"), row(1, 1.0, policy="b", kind="q")]
    figure = figure_of({**PLOT, "where": {"kind": "q"}}, rows)
    assert [("b", COLORS[1])] == [(line.name, line.line.color) for line in figure.data]


def test_more_policies_than_colors_do_not_share_one_in_a_figure():
    rows = [row(1, 1.0, policy=str(number), kind=number % 2) for number in range(12)]
    figure = figure_of({**PLOT, "where": {"kind": 1}}, rows)
    assert 6 == len({line.line.color for line in figure.data})


def test_each_value_of_the_panel_has_an_axis_of_its_own():
    rows = [row(1, 1.0, set=name) for name in ("syn3", "soccer")]
    figure = figure_of({**PLOT, "panels": ["set"]}, rows)
    assert ["syn3", "soccer"] == [note.text for note in figure.layout.annotations]


def test_a_series_shows_the_first_seed_and_gaps_where_a_logarithm_has_no_place():
    plot = {**PLOT, "kind": "over_time", "y_log": True}
    figure = figure_of(plot, [row([1, 2], [5, 5], seed=2), row([1, 2], [0, 3], seed=1)])
    assert (None, 3) == tuple(figure.data[0].y)


@pytest.mark.parametrize(("values", "expected"), [([1, 5], None), ([1, 50], "log")])
def test_an_axis_is_logarithmic_only_if_the_values_span_a_decade(values, expected):
    assert expected == axis_of(Y, values, log=True).get("type")


def test_bars_of_shares_begin_at_zero():
    share = {"name": "phi", "head": "Φ", "unit": "%"}
    assert 0 == axis_of(share, [0.97, 0.99], log=False, bars=True)["range"][0]


def test_text_of_results_is_shown_as_text(tmp_path):
    hostile = "<script>alert(1)</script>"
    write_results(tmp_path, claims=[claim(says=hostile)], rows=[row(1, 1.0)], title=hostile)
    page = write_page(tmp_path / "page.html", read_experiments(tmp_path)).read_text()
    assert hostile not in page


def test_the_page_counts_verdicts(tmp_path):
    write_results(tmp_path, claims=[claim(), claim(), claim("differs", reason="because")], rows=[row(1, 1.0)])
    page = write_page(tmp_path / "page.html", read_experiments(tmp_path)).read_text()
    assert "<tr><td>all</td><td></td><td></td><td>2</td><td>1</td><td>0</td></tr>" in page
    assert "because" in page


def test_a_bar_in_a_claim_does_not_end_its_cell(tmp_path):
    write_results(tmp_path, claims=[claim(says="|clk_A - clk_B|")], rows=[row(1, 1.0)])
    table = write_markdown(tmp_path / "table.md", read_experiments(tmp_path)).read_text()
    assert r"| \|clk_A - clk_B\| | Sec. 1 | 1 | pass |" in table


def test_our_own_questions_have_their_figures_in_the_table(tmp_path):
    rows = [row(1, 1.5, policy="default"), row(1, 3.0, policy="MaxSlack")]
    write_results(tmp_path, claims=[], rows=rows, document="ours", name="ours-test")
    table = write_markdown(tmp_path / "table.md", read_experiments(tmp_path)).read_text()
    assert "| default | 1.5 s |" in table


def test_a_cell_that_was_run_again_counts_once(tmp_path):
    write_results(tmp_path, claims=[], rows=[row(1, 1.0)])
    lines = tmp_path / "ji16-fig1.jsonl"
    lines.write_text(lines.read_text() * 2 + '{"cut')
    assert 1 == len(read_experiments(tmp_path)[0].rows)


def test_an_experiment_that_was_run_at_two_scales_is_shown_at_the_first(tmp_path):
    for scale in ("paper", "small"):
        (tmp_path / scale).mkdir()
        write_results(tmp_path / scale, claims=[], rows=[row(1, 2.0)], scale=scale)
    write_results(tmp_path / "small", claims=[], rows=[row(1, 2.0)], name="ji16-fig2")
    found = read_experiments(tmp_path / "paper", tmp_path / "small")
    assert [("ji16-fig1", "paper"), ("ji16-fig2", "small")] == [
        (each.summary["name"], each.summary["scale"]) for each in found
    ]
    assert "Run at the paper scale: 1 of 2 experiments." in write_markdown(tmp_path / "all.md", found).read_text()
