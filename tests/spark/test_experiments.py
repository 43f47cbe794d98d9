"""Experiments on Spark give the figures of the run in process."""

from __future__ import annotations

import pytest

from slackwater.experiments.frame.catalog import load
from slackwater.experiments.frame.engines import compare_engines, in_process
from slackwater.experiments.frame.runner import Asked, run_all

pytestmark = pytest.mark.spark


def nobody(what, done, planned):
    pass


@pytest.mark.parametrize("name", ["sun15-fig6-3", "kim-fig6", "prod-table4-2", "ours-step"])
def test_an_experiment_gives_the_same_figures_on_spark(spark, name, tmp_path):
    asked = Asked("smoke", tmp_path / "smoke-spark", engine="spark")
    for each in (asked, in_process(asked)):
        run_all({name: load(name)}, each, nobody)
    assert (len(load(name).cells("smoke")), []) == compare_engines(asked, in_process(asked), [name])
