from __future__ import annotations

import datetime as dt
import json
import sys
import types

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, DatasetError, ParameterError

START = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def rows() -> pa.Table:
    random = np.random.default_rng(1)
    times = 1_700_000_000_000 + np.arange(3_000) * 10 - random.integers(0, 100, 3_000)
    return pa.table({"ts": times, "seq": np.arange(3_000), "key": random.integers(0, 5, 3_000), "x": np.ones(3_000)})


def test_every_format_gives_the_same_profile(rows, tmp_path):
    pq.write_table(rows, tmp_path / "a.parquet", row_group_size=700)
    pyarrow.csv.write_csv(rows, tmp_path / "a.csv")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    expected = sw.profile(rows, event_time="ts", by="key").to_dict()
    for name in ("a.parquet", "a.csv", "a.jsonl"):
        found = sw.profile(tmp_path / name, event_time="ts", by="key").to_dict()
        assert name == found["subject"].pop("source")
        assert {**expected, "subject": found["subject"]} == found


def test_several_files_are_one_stream_in_the_order_given(rows, tmp_path):
    paths = [tmp_path / "b.parquet", tmp_path / "a.parquet"]
    for path, part in zip(paths, (rows.slice(0, 1_000), rows.slice(1_000)), strict=True):
        pq.write_table(part, path)
    assert sw.profile(rows, event_time="ts").delays.to_dict() == sw.profile(paths, event_time="ts").delays.to_dict()


def test_a_folder_stands_for_its_files(rows, tmp_path):
    for part in range(3):
        pq.write_table(rows.slice(part * 1_000, 1_000), tmp_path / f"part-{part}.parquet")
    assert 3_000 == sw.profile(tmp_path, event_time="ts").rows


def test_files_out_of_arrival_order_are_sorted(rows, tmp_path):
    shuffled = rows.take(np.random.default_rng(2).permutation(3_000))
    pq.write_table(shuffled, tmp_path / "a.parquet", row_group_size=700)
    expected = sw.profile(rows, event_time="ts", arrival="seq", by="key").to_dict()
    found = sw.profile(tmp_path / "a.parquet", event_time="ts", arrival="seq", by="key").to_dict()
    found["subject"]["source"] = "frame"
    assert expected == found


def test_times_with_and_without_a_zone_in_two_files_are_refused(tmp_path):
    for name, zone in (("a", "UTC"), ("b", None)):
        pq.write_table(pa.table({"ts": pa.array([0], pa.timestamp("us", tz=zone))}), tmp_path / f"{name}.parquet")
    with pytest.raises(
        ColumnError, match=r"stream 'b.parquet': column 'ts' is a time without a time zone, but a time with"
    ):
        sw.profile([tmp_path / "a.parquet", tmp_path / "b.parquet"], event_time="ts")


def test_mixed_zones_in_a_csv_are_text_that_cannot_be_read(tmp_path):
    (tmp_path / "a.csv").write_text("ts\n2024-05-01T08:00:00Z\n2024-05-01T08:00:00\n")
    with pytest.raises(ColumnError, match="not all times of one kind"):
        sw.profile(tmp_path / "a.csv", event_time="ts", parse=True)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "is empty: not even a header"),
        ("a.parquet", "not parquet", "cannot be read"),
        ("a.txt", "ts", "is of no known kind; give a file that ends in .parquet, .csv"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(DatasetError, match=rf"{name}.*{message}"):
        sw.profile(tmp_path / name, event_time="ts")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DatasetError, match="is not there"):
        sw.profile(tmp_path / "a.csv", event_time="ts")


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="must hold rows"):
        sw.profile(tmp_path, event_time="ts")


def test_a_csv_with_a_header_alone_has_no_rows(tmp_path):
    (tmp_path / "a.csv").write_text("ts,key\n")
    assert 0 == sw.profile(tmp_path / "a.csv", event_time="ts").rows


def test_a_missing_column_names_the_file_and_the_nearest(rows, tmp_path):
    pq.write_table(rows, tmp_path / "a.parquet")
    with pytest.raises(ColumnError, match=r"stream 'a.parquet': column 'kei' does not exist; did you mean key\?"):
        sw.profile(tmp_path / "a.parquet", event_time="ts", by="kei")


def test_a_delta_table_needs_a_package_and_says_which(tmp_path, monkeypatch):
    (tmp_path / "_delta_log").mkdir()
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(DatasetError, match="needs deltalake; install the package that reads it: pip install deltalake"):
        sw.profile(tmp_path, event_time="ts", arrival="seq")


def test_an_iceberg_table_needs_a_package_and_says_which(tmp_path, monkeypatch):
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    with pytest.raises(DatasetError, match="pip install pyiceberg"):
        sw.profile(tmp_path, event_time="ts", arrival="seq")


def test_a_table_without_an_order_needs_an_arrival_column(tmp_path):
    (tmp_path / "_delta_log").mkdir()
    with pytest.raises(DatasetError, match="whose rows have no order; name the column that orders them: --arrival"):
        sw.profile(tmp_path, event_time="ts")


def test_a_delta_table_is_read_through_its_package(rows, tmp_path, monkeypatch):
    """With a stand-in for the package: what is tested is how we call it."""
    (tmp_path / "_delta_log").mkdir()
    dataset = pyarrow.dataset.dataset(rows)
    table = types.SimpleNamespace(to_pyarrow_dataset=lambda: dataset)
    monkeypatch.setitem(sys.modules, "deltalake", types.SimpleNamespace(DeltaTable=lambda path: table))
    assert 3_000 == sw.profile(tmp_path, event_time="ts", arrival="seq").rows
