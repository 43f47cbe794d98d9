"""Files that are not what they seem are refused by name."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.disorder.json_lines import check_json_lines
from slackwater.errors import DatasetError
from slackwater.local.files import read_files

NULLS = ["null", ' \r\n null\n{"ts": 1}', '{"ts": 1}\n\tnull\n', "\ufeffnull"]


@pytest.mark.parametrize("text", NULLS)
def test_a_row_that_is_null_is_refused(tmp_path, text):
    (tmp_path / "rows.json").write_text(text)
    with pytest.raises(DatasetError, match="has a row that is null"):
        read_files(tmp_path / "rows.json", "json")


def test_a_row_that_is_null_is_found_wherever_blocks_end(tmp_path, monkeypatch):
    monkeypatch.setattr("slackwater.disorder.json_lines._BLOCK", 7)
    for blanks in range(10):
        (tmp_path / "rows.json").write_text('{"ts": 1}\n' + " " * blanks + "null\n")
        with pytest.raises(DatasetError):
            check_json_lines(tmp_path / "rows.json")


def test_nulls_within_rows_are_fine(tmp_path):
    (tmp_path / "rows.json").write_text('{"ts": null, "x": [null]}\n{"ts": 1}\n')
    assert [None, 1] == read_files(tmp_path / "rows.json", "json")["ts"].to_pylist()


def test_a_text_that_is_no_text_is_refused(tmp_path):
    bad = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff"))
    pq.write_table(pa.table({"s": bad}), tmp_path / "rows.parquet")
    with pytest.raises(DatasetError, match="cannot be read"):
        read_files(tmp_path / "rows.parquet", "parquet")


def test_a_name_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "rows.csv").write_bytes(b"ts,\xff\n1,2\n")
    with pytest.raises(DatasetError, match="cannot be read"):
        read_files(tmp_path / "rows.csv", "csv")


def test_a_parquet_file_of_few_rows_that_says_it_has_many_is_refused(tmp_path):
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"ts": [5, 3, 9]}), file, compression="none")
    rows = b"\x16\x06\x26\x08"  # of the group: 3, and the field that follows
    assert 1 == file.read_bytes().count(rows)
    file.write_bytes(file.read_bytes().replace(rows, b"\x16\x7e\x26\x08"))
    with pytest.raises(DatasetError, match="has 3 rows, and 63 in its groups"):
        read_files(file, "parquet")


@pytest.mark.parametrize(("kind", "written"), [("csv", "ts,x,x\n5,1,2\n"), ("json", '{"ts": 5, "x": 1, "x": 2}\n')])
def test_a_column_that_is_asked_for_and_is_there_twice_is_refused(tmp_path, kind, written):
    file = tmp_path / f"twice.{kind}"
    file.write_text(written)
    with pytest.raises(DatasetError, match=r"has 2 columns .x.|specified twice"):
        read_files(file, kind, [("ts", "BIGINT"), ("x", "DOUBLE")])
