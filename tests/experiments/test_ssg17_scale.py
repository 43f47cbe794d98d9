"""When a measured speedup can be judged."""

from __future__ import annotations

import pytest

from slackwater.experiments.frame.claims import judge
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.reproduced.ssg17_fig9 import EXPERIMENT


def verdict(two, load):
    """Judge the first claim, of nodes that were measured, on two cores."""
    rows = [
        {"policy": "measured", "nodes": nodes, "processed": processed, "seed": 1, "load": load, "cores": 2}
        for nodes, processed in ((1, 1.0), (2, two))
    ]
    return judge(EXPERIMENT.claims[0], Rows(rows), "small")["verdict"]


@pytest.mark.parametrize(("two", "expected"), [(1.9, "pass"), (1.7, "differs")])
def test_nodes_are_almost_linear_from_ninety_percent_on(two, expected):
    assert expected == verdict(two, load=1.0)


def test_nodes_on_a_busy_machine_cannot_be_compared():
    assert "cannot be compared" == verdict(1.9, load=3.0)
