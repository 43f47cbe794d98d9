"""What the simulation found, as the smallest cases that show it: what is decided is the same whatever the batches."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from tests.simulation.case import Case, Row
from tests.simulation.check import check

COUNTS = {"size": '"20 ms"', "slide": '"10 ms"', "values": "{'n': sw.count()}"}


def test_a_window_that_was_empty_when_it_closed_counts_against_the_bound_wherever_batches_end():
    contract = 'sw.RelativeError(0.05, confidence=0.95, adaptation_interval="10 ms", cap="2 ms")'
    rows = Row(0, 0, -19), Row(0, 1, 2), Row(0, 2, -7), Row(0, 3, 93)
    options = {**COUNTS, "size": '"9 ms"', "slide": '"3 ms"', "contract": contract}
    assert ["whole"] == check(Case("aggregate", options, rows, cuts=(2,))).compared


def test_what_a_controller_learns_of_errors_does_not_depend_on_where_batches_end():
    controller = 'control.PD(kp="20 ms", kd="9 ms", overall=True)'
    contract = f'sw.RelativeError(0.6, adaptation_interval="3 ms", controller={controller})'
    times = ((0, "a"), (23, "a"), (24, "a"), (16, "b"), (26, "a"), (27, "a"))
    rows = tuple(Row(0, step, time, key) for step, (time, key) in enumerate(times))
    case = Case("aggregate", {**COUNTS, "contract": contract, "by": "'key'"}, rows, cuts=(5,))
    assert ["whole"] == check(case).compared


def test_windows_from_before_all_that_is_remembered_are_shown_early_as_they_are():
    options = {**COUNTS, "contract": 'sw.FixedSlack("3000 days")', "early": "sw.Early(accuracy=0.5)"}
    rows = Row(0, 0, 10_119), Row(0, 1, 20_084)
    assert 5 <= check(Case("aggregate", options, rows)).results


def test_a_controller_of_two_streams_is_refused_for_three_when_the_plan_is_made():
    table = pa.table({"ts": [1], "key": [1]})
    streams = [sw.stream(table, name=f"s{number}", event_time="ts", unit="s") for number in range(3)]
    contract = sw.Recall(0.9, controller=sw.control.LateDegreeModel())
    with pytest.raises(ParameterError, match="controller must join two streams"):
        sw.join(*streams, on="key", within="1 second", contract=contract)


def test_which_delays_of_a_merge_are_samples_does_not_depend_on_where_batches_end():
    controller = "control.NormalDelay(estimate_every=5, sample_every=1, samples=5, floor=2, equation='12')"
    given = f'over="400 ms", adaptation_interval="100 ms", cap="300 ms", controller={controller}'
    came = (
        (3, 49, 488),
        (1, 51, 577),
        (1, 54, 574),
        (0, 55, 574),
        (0, 56, 597),
        (3, 57, 514),
        (3, 58, 554),
        (3, 59, 618),
    )
    rows = tuple(Row(stream, step, time, "a", 0) for stream, step, time in came)
    case = Case("merge", {"contract": f"sw.DropRatio(0.2, {given})"}, rows, streams=4, cuts=(3,))
    assert "whole" in check(case).compared
