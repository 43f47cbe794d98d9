"""Figures of batches as lines of a file."""

from __future__ import annotations

import datetime as dt

import pytest

from slackwater.errors import ParameterError
from slackwater.quality import latency_log
from slackwater.quality.latency_log import LATENCY, add_line, read_log


def figures(batch: int, p50: int | None = 7) -> dict:
    return {"operator": "join", "batch": batch, "read": 1, "written": 2, "rows": 3, "since": "read", "latency_p50": p50}


def test_what_is_written_is_read_back_with_times_as_times(tmp_path):
    add_line(tmp_path, figures(4))
    (row,) = read_log(tmp_path).to_pylist()
    assert ("join", 4, 7) == (row["operator"], row["batch"], row["latency_p50"])
    assert dt.datetime(1970, 1, 1, microsecond=2, tzinfo=dt.UTC) == row["written"]
    assert LATENCY == read_log(tmp_path).schema


def test_a_checkpoint_has_its_figures_in_a_subfolder(tmp_path):
    add_line(tmp_path / "slackwater" / "latency", figures(0))
    assert 1 == read_log(tmp_path).num_rows


def test_of_a_batch_that_was_replayed_the_last_line_counts(tmp_path):
    for batch, p50 in ((0, 1), (1, 2), (1, 30), (2, None)):
        add_line(tmp_path, figures(batch, p50))
    assert [1, 30, None] == read_log(tmp_path)["latency_p50"].to_pylist()


def test_a_line_that_a_crash_has_cut_is_left_out_and_spoils_no_other(tmp_path):
    add_line(tmp_path, figures(0))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes() + b'{"batch": 1, "rea')
    add_line(tmp_path, figures(1, 8))
    assert [7, 8] == read_log(tmp_path)["latency_p50"].to_pylist()


def test_old_batches_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(latency_log, "_BATCHES_PER_FILE", 2)
    monkeypatch.setattr(latency_log, "_FILES", 3)
    for batch in range(11):
        add_line(tmp_path, figures(batch))
    assert list(range(6, 11)) == read_log(tmp_path)["batch"].to_pylist()


def test_where_nothing_was_written_the_error_says_what_to_give(tmp_path):
    with pytest.raises(ParameterError, match=r"where must have figures of a query.*; give the checkpoint"):
        read_log(tmp_path)
