"""How the JVM and the Python workers of a session are started."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from slackwater.spark.java_start import PLACE, archive_for, java_options, noting_options
from slackwater.spark.session import java_found


def test_a_session_maps_the_archive_of_classes_that_is_there(tmp_path, monkeypatch):
    archive = tmp_path / "some classes.jsa"
    monkeypatch.setenv(PLACE, str(archive))
    assert "SharedArchiveFile" not in java_options("17")
    archive.touch()
    assert f"-XX:SharedArchiveFile={archive}" in shlex.split(java_options("17"))


def test_options_of_users_come_last_and_so_win():
    assert java_options("17", "-Xss4m -Xint").endswith(" -Xss4m -Xint")


def test_another_java_has_another_archive(monkeypatch):
    monkeypatch.delenv(PLACE, raising=False)
    assert archive_for("17.0.1") != archive_for("17.0.2")


def test_the_archive_belongs_to_the_environment(monkeypatch):
    monkeypatch.delenv(PLACE, raising=False)
    assert Path(sys.prefix) in archive_for("17").parents


def test_a_jvm_is_told_where_to_write_its_classes(tmp_path):
    assert f"-XX:ArchiveClassesAtExit={tmp_path}" in shlex.split(noting_options(tmp_path))


@pytest.mark.spark
def test_the_jvm_of_a_session_has_mapped_the_archive(spark):
    archive = archive_for(java_found())
    if not archive.is_file():
        pytest.skip("no archive of classes in this environment; `slackwater prepare` makes it")
    jvm = spark._jvm.java.lang.ProcessHandle.current().pid()
    assert str(archive) in Path(f"/proc/{jvm}/maps").read_text()


@pytest.mark.spark
def test_workers_are_forked_from_a_process_that_has_loaded_slackwater(spark):
    def parents(batches):
        for batch in batches:
            line = Path(f"/proc/{os.getppid()}/cmdline").read_text()
            yield pa.record_batch({"said": [line] * batch.num_rows})

    (row,) = spark.range(1).mapInArrow(parents, "said STRING").collect()
    assert "slackwater.spark.daemon" in row.said
