"""Parquet files are not believed how many rows they have, wherever one is read."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.board.folders import BatchFolder
from slackwater.control.history import read_history
from slackwater.errors import DatasetError
from slackwater.experiments.subject import read_rows
from slackwater.local.files import read_files as read_locally
from slackwater.parquet import claimed_rows, parquet_batches, read_parquet
from slackwater.report.replay import read_replay
from slackwater.report.tables import read_run
from slackwater.sources.dataset import Dataset
from slackwater.sources.replay import read_files
from tests.lying import ROWS, lying_file

TOO_MANY = 1_000_000_000  # 8 GB a column
WHOLE, TS, X, GROUP = range(4)


@pytest.fixture
def lying(tmp_path):
    """A file of three rows that claims many everywhere."""
    file = tmp_path / "lying.parquet"
    file.write_bytes(lying_file(TOO_MANY))
    return file


def _written(folder: Path, body: bytes) -> Path:
    file = folder / "written.parquet"
    file.write_bytes(body)
    return file


def test_a_file_that_does_not_lie_is_read_in_the_order_of_the_names(tmp_path):
    file = _written(tmp_path, lying_file(ROWS))
    assert {"x": [1.5, 2.5, None], "ts": [5, 3, 9]} == read_parquet(file, ["x", "ts"]).to_pydict()
    assert pq.read_table(file).equals(read_parquet(file), check_metadata=True)
    assert ROWS == claimed_rows(file)


def test_a_file_without_rows_has_its_columns(tmp_path):
    file = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"a": pa.array([], pa.int32()), "b": pa.array([], pa.string())}), file)
    assert pa.schema([("b", pa.string())]) == read_parquet(file, ["b"]).schema


def test_fewer_rows_than_claimed_are_noticed_and_no_room_is_made_for_the_others(lying):
    batches, before = parquet_batches(lying, rows=1_000), pa.total_allocated_bytes()
    assert ROWS == next(batches).num_rows
    assert pa.total_allocated_bytes() - before < 1_000_000
    with pytest.raises(DatasetError, match=r"says that it has 1,000,000,000 rows, and has 3"):
        next(batches)


@pytest.mark.parametrize("place", [WHOLE, GROUP])
def test_groups_that_do_not_add_up_are_noticed_before_anything_is_read(tmp_path, place):
    file = _written(tmp_path, lying_file(TOO_MANY, only=place))
    with pytest.raises(DatasetError, match="in its groups"):
        claimed_rows(file)


def test_fewer_rows_than_there_are_may_not_be_claimed_either(tmp_path):
    with pytest.raises(DatasetError, match="says that it has"):
        read_parquet(_written(tmp_path, lying_file(1, only=GROUP)))


@pytest.mark.parametrize("names", [["y"], ["ts", "y"]])
def test_a_column_that_is_not_there_is_named(tmp_path, names):
    with pytest.raises(DatasetError, match=r"has no column 'y'; it has: ts, x"):
        read_parquet(_written(tmp_path, lying_file(ROWS)), names)


def test_a_column_that_is_there_twice_is_refused_where_it_is_named(tmp_path):
    file = tmp_path / "twice.parquet"
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), file)
    with pytest.raises(DatasetError, match="has 2 columns 'a'"):
        read_parquet(file, ["a"])


READERS = {
    "a bounded stream": lambda file: read_locally(file, "parquet"),
    "a profile": lambda file: sw.profile(file, event_time="ts", unit="ms"),
    "a file of a replay": read_rows,
    "files as streams": lambda file: read_files(file, event_time="ts"),
    "a dataset": lambda file: Dataset.read(file.parent),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_whoever_reads_rows_of_a_user_notices(lying, read):
    with pytest.raises(DatasetError, match="says that it has 1,000,000,000 rows"):
        read(lying)


def test_a_report_of_a_replay_notices(lying, tmp_path):
    (tmp_path / "replay.jsonl").write_text(json.dumps({"quality": "recall"}) + "\n")
    with pytest.raises(DatasetError, match="says that it has"):
        read_replay(tmp_path / "replay.jsonl", lying)


def test_a_history_notices(lying):
    with pytest.raises(DatasetError, match="is no history"):
        read_history(lying, ("slack",))


def test_a_board_leaves_out_a_batch_that_lies(tmp_path):
    batch = tmp_path / "batch=0"
    batch.mkdir()
    (batch / "part-0.parquet").write_bytes(lying_file(TOO_MANY))
    assert [] == list(BatchFolder(tmp_path).read())


def test_a_report_of_a_run_notices_results_that_do_not_add_up(tmp_path):
    for name in ("decisions", "results"):
        (tmp_path / name).mkdir()
    _written(tmp_path / "results", lying_file(TOO_MANY, only=GROUP))
    with pytest.raises(DatasetError, match="in its groups"):
        read_run("a", tmp_path)
