"""What a checkpoint says of the files of each batch; no Spark needed."""

from __future__ import annotations

import pytest

from tests.chaos.inputs import read_input, rows_of, streams_of, write_input
from tests.chaos.planned import is_usual, planned, write_as_planned

USUAL = [(0, 0), (1, 1), (2, 2), (2, 2)]  # the last one drains
TWO_AT_ONCE = [(0, 0), (2, 1), (2, 2)]  # the first stream had noted a file before its driver died


@pytest.fixture
def folder(tmp_path):
    write_input(tmp_path, streams_of(rows_of(90, seed=1), 2, seed=1), files=3)
    return tmp_path


def note(folder, offsets):
    (folder / "checkpoint" / "offsets").mkdir(parents=True)
    for batch, lasts in enumerate(offsets):
        lines = ["v1", "{}", *(f'{{"logOffset":{last}}}' for last in lasts), "-"]
        (folder / "checkpoint" / "offsets" / str(batch)).write_text("\n".join(lines))


def test_batches_of_one_file_of_each_stream_are_usual(folder):
    note(folder, USUAL)
    assert is_usual(folder)


def test_a_batch_of_two_files_is_not_usual(folder):
    note(folder, TWO_AT_ONCE)
    assert not is_usual(folder)


def test_offsets_say_which_files_of_each_stream_a_batch_took(folder):
    note(folder, TWO_AT_ONCE)
    assert {"a": [(0,), (1, 2)], "b": [(0,), (1,), (2,)]} == planned(folder)


def test_the_input_as_planned_has_the_same_rows_in_fewer_files(folder):
    note(folder, TWO_AT_ONCE)
    write_as_planned(folder, folder / "copy")
    assert {"a": 2, "b": 3} == {each.name: len(list(each.iterdir())) for each in (folder / "copy" / "in").iterdir()}
    assert read_input(folder) == read_input(folder / "copy")
