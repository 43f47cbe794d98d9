"""Figures that are drawn without a script."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from slackwater.report.reproduction import read_experiments, write_page
from slackwater.report.reproduction_plots import figure_of
from slackwater.report.svg_axis import axis_for
from slackwater.report.svg_figure import svg_of
from tests.report.test_reproduction import PLOT, claim, row, write_results


def drawn(rows, **plot):
    return ElementTree.fromstring(svg_of(figure_of({**PLOT, **plot}, rows), "a figure"))


def texts(svg):
    return [each.text for each in svg.iter("text")]


def lines(svg):
    return [each.get("d") for each in svg.iter("path") if each.get("class") == "line"]


def test_a_figure_names_its_axes_with_their_units():
    assert {"target", "slack (s)"} <= set(texts(drawn([row(1, 2.0), row(2, 3.0)])))


def test_each_line_is_in_the_legend():
    svg = drawn([row(1, 2.0), row(1, 3.0, policy="b")])
    assert ["a", "b"] == [text for text in texts(svg) if text in ("a", "b")]


def test_larger_values_are_higher():
    heights = [float(each.get("y")) for each in drawn([row(1, 2.0), row(2, 3.0)]).iter("use")]
    assert heights[0] > heights[1]


def test_equal_steps_of_a_logarithm_are_equally_far_apart():
    svg = drawn([row(1, 1.0), row(2, 10.0), row(3, 100.0)], y_log=True)
    low, middle, high = (float(each.get("y")) for each in svg.iter("use"))
    assert middle - high == pytest.approx(low - middle, abs=0.11)


def test_a_value_that_no_logarithm_has_leaves_a_gap():
    rows = [{"x": [1, 2, 3, 4], "y": [1.0, 0.0, 20.0, 30.0], "policy": "a", "seed": 1}]
    (path,) = lines(drawn(rows, kind="over_time", y_log=True))
    assert 2 == path.count("M")


def test_bars_begin_at_zero():
    (bar,) = drawn([row("one", 97.0)], kind="bars", lines=[]).iter("rect")
    assert float(bar.get("height")) > 200


def test_seeds_are_shown_as_a_spread():
    svg = drawn([row(1, 2.0), row(1, 3.0, seed=2)])
    assert 1 == len([each for each in svg.iter("path") if each.get("class") == "spread"])


def test_a_spread_has_the_color_of_its_line_and_stands_clear_of_others():
    svg = drawn([row(1, y, policy=policy, seed=seed) for policy in "ab" for seed, y in ((1, 2.0), (2, 3.0))])
    spreads = [each for each in svg.iter("path") if each.get("class") == "spread"]
    assert 2 == len({each.get("style") for each in spreads})
    assert 2 == len({each.get("d").split()[0] for each in spreads})


def test_a_few_bars_do_not_fill_the_figure():
    (bar,) = drawn([row("one", 97.0)], kind="bars", lines=[]).iter("rect")
    assert float(bar.get("width")) < 60


def test_text_from_results_is_shown_as_text():
    assert "<b>" in texts(drawn([row(1, 2.0, policy="<b>"), row(1, 3.0)]))


def test_each_panel_has_its_own_range():
    svg = drawn(
        [row(1, 2.0, set="u"), row(2, 3.0, set="u"), row(1, 2e6, set="v"), row(2, 3e6, set="v")], panels=["set"]
    )
    assert {"u", "v", "2M"} <= set(texts(svg))


def test_an_axis_of_one_value_shows_it():
    axis = axis_for({}, [5.0, 5.0], 0, 100, "never")
    assert axis.low < 5.0 < axis.high


def test_a_static_page_has_figures_but_no_script(tmp_path):
    write_results(tmp_path, claims=[claim()], rows=[{"x": 1, "y": 2.0, "policy": "a"}])
    page = write_page(tmp_path / "page.html", read_experiments(tmp_path), static=True).read_text()
    assert '<svg class="static"' in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
