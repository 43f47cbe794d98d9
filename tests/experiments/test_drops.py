from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import DatasetError
from slackwater.experiments.drops import compare_drops, run
from slackwater.experiments.event_stream import stream_of_dataset, stream_of_file


@pytest.fixture(scope="module")
def stream():
    return stream_of_dataset("poisson-3", duration="5 seconds")


def promise(target: float = 0.01) -> sw.DropRatio:
    return sw.DropRatio(target, over="1 second", adaptation_interval="100 ms")


def test_what_is_late_under_a_constant_slack_is_what_needs_more(stream):
    late = run(stream, sw.FixedSlack("5 ms")).late
    assert np.array_equal(stream.needed > 5_000, late)


def test_a_contract_is_followed_by_its_hindsight_and_the_references(stream):
    runs = compare_drops(stream, [promise()])
    assert ["contract", "hindsight", *["reference"] * 4] == [each.kind for each in runs]
    assert ["none", "max", "AdaptiveMax", "NormalDelay"] == [each.policy for each in runs[2:]]


def test_hindsight_keeps_as_many_periods(stream):
    contract, best, *_ = (each.figures() for each in compare_drops(stream, [promise()]))
    assert contract["kept"] <= best["kept"]


def test_every_goal_is_compared_with_what_has_no_target(stream):
    runs = compare_drops(stream, [promise(), promise(0.1), sw.FixedSlack("5 ms")], hindsight=False)
    assert [0.01] * 6 + [0.1] * 6 == [each.goal.target for each in runs]
    assert ["contract"] * 2 == [each.kind for each in runs if each.policy == "fixed 5 ms"]


def test_series_has_a_row_for_each_measurement(stream):
    first, *_ = compare_drops(stream, [promise()], hindsight=False)
    figures, series = first.figures(), first.series()
    assert figures["measurements"] == series.num_rows
    assert figures["worst"] == series["dropped"].to_numpy().max()


def test_a_stream_that_ends_within_the_first_period_is_refused(stream):
    with pytest.raises(DatasetError, match="ends within the first period of 1 minute"):
        compare_drops(stream, [sw.DropRatio(0.01)])


def test_rows_of_a_file_without_a_time_are_left_out(tmp_path):
    table = pa.table({"ts": pa.array([3, None, 1, 2]), "seq": [0, 1, 3, 2]})
    pq.write_table(table, tmp_path / "a.parquet")
    stream = stream_of_file(str(tmp_path / "a.parquet"), event_time="ts", unit="us", arrival="seq")
    assert [3, 2, 1] == stream.events.time.tolist()
    assert [0, 1, 2] == stream.needed.tolist()
