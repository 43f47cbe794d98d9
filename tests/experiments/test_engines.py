"""Comparing what two engines gave."""

from __future__ import annotations

import pytest

from slackwater.experiments.frame.description import Cell
from slackwater.experiments.frame.engines import compare_engines, in_process
from slackwater.experiments.frame.results import Results
from slackwater.experiments.frame.runner import Asked


def compared(tmp_path, spark, local):
    asked = Asked("smoke", tmp_path / "smoke-spark", engine="spark")
    for each, rows in ((asked, spark), (in_process(asked), local)):
        Results(each.folder, "test").add(Cell({"x": 1}, 1, each.engine), rows, 0.0, 0.0)
    return compare_engines(asked, in_process(asked), ["test"])


@pytest.mark.parametrize(
    ("spark", "local", "different"),
    [
        ([{"kept": 0.5}], [{"kept": 0.5}], 0),
        ([{"kept": 0.5}], [{"kept": 0.6}], 1),
        ([{"sum": 0.1 + 0.2}], [{"sum": 0.3}], 0),
        ([{"cost_us": 1.0}], [{"cost_us": 2.0}], 0),
        ([{"slack": [1.0, 2.0]}], [{"slack": [1.0, 3.0]}], 1),
        ([{"policy": "a"}], [{"policy": "b"}], 1),
        ([{"kept": 0.5}], [], 1),
        ([{"kept": 0.5}], [{}], 1),
    ],
)
def test_figures_of_a_cell_are_the_same_but_for_rounding_and_time(tmp_path, spark, local, different):
    cells, lines = compared(tmp_path, spark, local)
    assert (1, different) == (cells, len(lines))


def test_what_differs_is_named(tmp_path):
    _, (line,) = compared(tmp_path, [{"kept": 0.5, "late": 1}], [{"kept": 0.6, "late": 1}])
    assert line.startswith("differs: test")
    assert line.endswith(" kept")
