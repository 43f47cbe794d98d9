from __future__ import annotations

import pytest

from slackwater.cli.demo.folder import prepare
from slackwater.errors import ParameterError


def test_new_folder_is_made(tmp_path):
    assert (tmp_path / "a" / "b").is_dir() is False
    assert prepare(tmp_path / "a" / "b").root.is_dir()


def test_folder_of_an_earlier_demo_is_emptied(tmp_path):
    folder = prepare(tmp_path / "demo")
    old = folder.outputs("max") / "results"
    old.mkdir(parents=True)
    prepare(tmp_path / "demo")
    assert not old.exists()


def test_file_that_somebody_put_into_a_demo_folder_stays(tmp_path):
    prepare(tmp_path / "demo")
    notes = tmp_path / "demo" / "notes.txt"
    notes.write_text("mine")
    prepare(tmp_path / "demo")
    assert "mine" == notes.read_text()


def test_folder_of_somebody_else_is_refused_and_left_alone(tmp_path):
    precious = tmp_path / "data"
    precious.mkdir()
    with pytest.raises(ParameterError, match="choose another with --output"):
        prepare(tmp_path)
    assert [precious] == list(tmp_path.iterdir())


def test_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "demo").write_text("a file")
    with pytest.raises(ParameterError, match="must be a folder"):
        prepare(tmp_path / "demo")


def test_link_in_a_demo_folder_is_removed_and_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    folder = prepare(tmp_path / "demo")
    folder.data.symlink_to(elsewhere)
    prepare(tmp_path / "demo")
    assert (elsewhere / "precious").exists()
    assert not folder.data.is_symlink()
