"""Half of the rows that a query sustains: how they are found, and the streams that have them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.half_load import over_trigger
from benchmarks.micro_batches import STARTING, Latencies
from benchmarks.sustained import Blocks, Cost
from benchmarks.timed_streams import REACH_US, one, two, write_stream

SECOND = 1_000_000


def times(table, column):
    return table[column].cast(pa.int64()).to_numpy()


def test_what_rows_cost_is_told_by_the_batches_after_windows_are_full():
    blocks = Blocks((1_000, 2_000), filling=2, counted=3)
    took = [2 * rows // 10 + 100 for rows in blocks.rows()][STARTING:]
    took[:2], took[5:7] = [9_000, 9_000], [9_000, 9_000]
    assert Cost(fixed=100, each=0.2) == blocks.cost(took)


def test_a_batch_of_the_rows_that_are_sustained_takes_the_trigger():
    assert 4_500 == Cost(fixed=100, each=0.2).sustained(1_000)


def test_where_the_fixed_price_is_half_of_the_trigger_there_is_no_half_load():
    assert Cost(fixed=500, each=0.2).sustained(1_000) is None


def test_rows_that_seem_to_cost_nothing_are_an_error():
    with pytest.raises(ValueError, match="too few to tell"):
        Blocks((10, 20), filling=0, counted=1).cost([300, 290])


def test_a_query_over_its_trigger_too_often_does_not_sustain_half_load(capsys):
    assert 2 == over_trigger(1_000, [1_001, 1_001, 900, 1_000])
    assert "not sustained: 2 of 4 batches took more than 1000 ms" in capsys.readouterr().out


def test_a_query_over_its_trigger_once_says_nothing(capsys):
    assert 1 == over_trigger(1_000, [1_001, 900, 900, 1_000])
    assert not capsys.readouterr().out


def test_the_first_run_is_the_one_that_there_was():
    runs = iter([[5, 5, 5]])
    latencies = Latencies(lambda: next(runs), warm=[1, 2, 3])
    assert [2, 5] == [latencies.median(), latencies.median()]
    assert [3, 5] == pytest.approx([latencies.slow(), latencies.slow()], abs=0.1)


def test_clocks_go_on_from_file_to_file_whatever_their_rows_are():
    tables = [one(rows, number, SECOND)["in"] for number, rows in enumerate([1_000, 5_000])]
    first, second = (times(table, "event_time").max() for table in tables)
    assert 0.99 * SECOND <= second - first <= 1.01 * SECOND
    assert tables[0]["seq"][-1].as_py() < tables[1]["seq"][0].as_py()


def test_a_file_has_the_disorder_of_its_time_whatever_its_rows_are():
    for rows in (1_000, 20_000):
        event_times = times(one(rows, 0, SECOND)["in"], "event_time")
        delays = np.maximum.accumulate(event_times) - event_times
        assert 0.004 * SECOND < delays.mean() < 0.008 * SECOND  # 30 % of the rows, 20 ms each


def test_a_row_of_the_join_finds_one_of_the_other_stream():
    a, b = (
        np.concatenate([[*zip(times(t[name], "ts"), t[name]["key"].to_numpy(), strict=True)] for t in files])
        for name in "ab"
        for files in [[two(200, number, SECOND) for number in range(30)]]
    )
    near = np.abs(a[:, None, 0] - b[None, :, 0]) <= REACH_US // 2
    found = (near & (a[:, None, 1] == b[None, :, 1])).sum() / len(a)
    assert 0.7 < found < 1.1  # less than one, as there is nothing before the first row and after the last


def test_each_file_of_each_stream_is_written_with_its_rows(tmp_path):
    write_stream(tmp_path, two, [10, 20], SECOND)
    assert {"a", "b"} == {each.name for each in tmp_path.iterdir()}
    assert ["000.parquet", "001.parquet"] == sorted(each.name for each in (tmp_path / "a").iterdir())
