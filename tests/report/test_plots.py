from __future__ import annotations

import numpy as np
import pytest

from slackwater.report.plots import (
    MOST_POINTS,
    buffered_over_time,
    delay_distribution,
    exceedance,
    late_over_time,
    slack_over_time,
    thin,
)
from slackwater.report.tables import read_run
from tests.report.builders import write_run


@pytest.fixture
def runs(tmp_path):
    return [
        read_run("fixed", write_run(tmp_path / "fixed", slack=[20_000] * 3, late_by=[5, 7])),
        read_run("max", write_run(tmp_path / "max", slack=[1_000, 2_000, 40_000])),
    ]


def series(figure) -> dict[str, list[float]]:
    return {trace.name: list(trace.y) for trace in figure.data}


def test_slack_is_shown_in_ms_per_policy(runs):
    assert {"fixed": [20, 20, 20], "max": [1, 2, 40]} == series(slack_over_time(runs))


def test_time_axis_is_event_time(runs):
    assert "1970-01-01T00:00:02.000" == slack_over_time(runs).data[0].x[2]


def test_the_first_line_is_drawn_over_the_others(runs):
    drawn = slack_over_time(runs).data
    assert drawn[0].zorder == max(line.zorder for line in drawn) > drawn[-1].zorder


def test_late_rows_are_counted_per_interval(runs):
    assert {"fixed": [0, 0, 2], "max": [0, 0, 0]} == series(late_over_time(runs))


def test_buffered_rows_are_shown_per_policy(runs):
    assert {"fixed": [0, 1, 2], "max": [0, 1, 2]} == series(buffered_over_time(runs))


def test_delay_distribution_has_logarithmic_axes_and_falls():
    figure = delay_distribution({"bus": np.array([0, 0, 1_000, 5_000, 90_000])})
    assert ("log", "log") == (figure.layout.xaxis.type, figure.layout.yaxis.type)
    assert sorted(series(figure)["bus"], reverse=True) == series(figure)["bus"]


def test_stream_in_order_has_an_empty_distribution():
    assert [0, 0] == [len(column) for column in exceedance(np.zeros(5, np.int64))]


def test_very_different_slacks_get_a_logarithmic_axis(tmp_path):
    wide = read_run("max", write_run(tmp_path, slack=[10, 10, 5_000_000]))
    assert "log" == slack_over_time([wide]).layout.yaxis.type


def test_long_series_is_thinned_and_keeps_its_peak():
    values = np.zeros(100_001, np.int64)
    values[54_321] = 7
    at, kept = thin(np.arange(100_001), values)
    assert len(at) == len(kept) <= MOST_POINTS
    assert 7 == kept.max()


def test_thinned_counts_keep_their_sum():
    assert 100_001 == thin(np.arange(100_001), np.ones(100_001, np.int64), reduce=np.add)[1].sum()


def test_names_from_data_are_text_and_not_markup(tmp_path):
    run = read_run("<a href='x'>%{y}", write_run(tmp_path, slack=[1]))
    (trace,) = slack_over_time([run]).data
    assert "<a" not in trace.name + trace.hovertemplate
    assert 1 == trace.hovertemplate.count("%{y")
