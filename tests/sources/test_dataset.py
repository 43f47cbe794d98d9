from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.errors import ColumnError, DatasetError
from slackwater.sources import Dataset, delays_of, summarize, syn3
from slackwater.sources.dataset import _replace


def table(*event_times: int, arrival: list[int] | None = None) -> pa.Table:
    times = pa.array(event_times, pa.timestamp("us", tz="UTC"))
    return pa.table({"event_time": times, "arrival": arrival or list(range(len(event_times)))})


def test_writing_and_reading_gives_the_same_dataset(tmp_path):
    dataset = syn3(duration="5 seconds")
    assert dataset == Dataset.read(dataset.write(tmp_path / "syn3"))


def test_reading_keeps_the_order_of_the_streams(tmp_path):
    dataset = Dataset("d", {"z": table(1), "a": table(2, arrival=[1])}, "")
    assert ["z", "a"] == list(Dataset.read(dataset.write(tmp_path)).streams)


def test_readme_has_rows_share_out_of_order_and_delay_quantiles(tmp_path):
    Dataset("d", {"s": table(1000, 4000, 3000, 5000)}, "Four events.").write(tmp_path)
    readme = (tmp_path / "README.md").read_text()
    assert "Four events." in readme
    assert "| s | 4 | 25.0 | 0 | 0 | 0 | 0 | 1 |" in readme


def test_summary_of_an_empty_stream_has_no_figures():
    assert "| s | 0 | - |" in summarize(Dataset("d", {"s": table()}, ""))


def test_delay_is_measured_against_the_largest_event_time_seen():
    assert [0, 0, 3, 1, 0] == delays_of(table(5, 9, 6, 8, 9)).tolist()


def test_merged_has_all_events_in_arrival_order():
    dataset = Dataset("d", {"a": table(1, 3, arrival=[0, 2]), "b": table(2, arrival=[1])}, "")
    assert [0, 1, 0] == dataset.merged()["stream"].to_pylist()


def test_missing_folder_is_a_dataset_error(tmp_path):
    with pytest.raises(DatasetError, match="is not a folder"):
        Dataset.read(tmp_path / "nowhere")


def test_folder_without_parquet_is_a_dataset_error(tmp_path):
    with pytest.raises(DatasetError, match="has no Parquet file"):
        Dataset.read(tmp_path)


def test_folder_with_other_streams_is_not_mixed(tmp_path):
    Dataset("old", {"x": table(1)}, "").write(tmp_path)
    with pytest.raises(DatasetError, match="other streams"):
        Dataset("new", {"y": table(1)}, "").write(tmp_path)


def test_stream_name_that_leaves_the_folder_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="stream named"):
        Dataset("d", {"../x": table(1)}, "").write(tmp_path)


def test_failed_write_leaves_no_half_file(tmp_path):
    def fail(path):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        _replace(tmp_path / "s.parquet", fail)
    assert [] == list(tmp_path.iterdir())


def test_millisecond_ts_serves_as_event_time(tmp_path):
    pq.write_table(pa.table({"ts": [1500], "x": [1]}), tmp_path / "s.parquet")
    stream = Dataset.read(tmp_path).streams["s"]
    assert [1_500_000] == stream["event_time"].cast(pa.int64()).to_pylist()
    assert ["event_time", "arrival", "x"] == stream.column_names


def test_streams_without_arrival_are_merged_by_arrival_time(tmp_path):
    for name, times in {"a": [1, 4], "b": [2, 3]}.items():
        pq.write_table(pa.table({"event_time": times, "arrival_time": times}), tmp_path / f"{name}.parquet")
    assert [0, 3] == Dataset.read(tmp_path).streams["a"]["arrival"].to_pylist()


def test_table_without_event_time_names_its_columns(tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "s.parquet")
    with pytest.raises(ColumnError, match="columns are: x"):
        Dataset.read(tmp_path)


def test_equal_seeds_write_equal_bytes(tmp_path):
    first, second = (syn3(duration="1 second").write(tmp_path / name) for name in ("one", "two"))
    assert (first / "s1.parquet").read_bytes() == (second / "s1.parquet").read_bytes()
    assert np.array_equal(np.arange(300), Dataset.read(first).merged()["arrival"].to_numpy())
