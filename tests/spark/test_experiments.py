"""Experiments on Spark give the figures of the run in process."""

from __future__ import annotations

import pytest

from slackwater.experiments.frame.catalog import load

pytestmark = pytest.mark.spark
MEASURED_IN_TIME = {"cost_us", "took_s"}


def rows_on(name, engine):
    """Return what all cells of the smoke scale give, but for what is measured in time."""
    described = load(name)
    return [
        {key: value for key, value in row.items() if key not in MEASURED_IN_TIME}
        for cell in described.cells("smoke", engine)
        for row in described.run(cell)
    ]


@pytest.mark.parametrize("name", ["sun15-fig6-3", "kim-fig6"])
def test_an_experiment_gives_the_same_figures_on_spark(spark, name):
    assert rows_on(name, "local") == rows_on(name, "spark")
