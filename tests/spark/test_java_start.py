"""How the JVM and the Python workers of a session are started."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest

from slackwater.spark import python_start
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


def test_a_process_that_ends_soon_does_without_the_second_compiler():
    assert "-XX:TieredStopAtLevel=1" in java_options("17", short_lived=True)
    assert "TieredStopAtLevel" not in java_options("17")


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


LAUNCHER = Path(python_start.__file__).with_name("python-without-archives.sh")


def test_python_starts_without_the_archives_that_spark_puts_on_its_path(tmp_path):
    spark, own = "/opt/spark/python/lib", str(tmp_path)
    path = f"{spark}/pyspark.zip:{spark}/py4j-0.10.9.9-src.zip:{own}:/opt/spark/jars/spark-core_2.13-4.3.0.jar"
    found = subprocess.run(
        [str(LAUNCHER), "-c", "import os; print(os.environ['PYTHONPATH'])"],
        env={"PYTHONPATH": path, "SLACKWATER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert own == found.stdout.strip()


@pytest.mark.parametrize(("module", "said"), [("transform_with_state_driver_worker", ""), ("pyspark.daemon", "types")])
def test_only_the_process_that_describes_the_state_is_quiet(module, said):
    found = subprocess.run(
        [str(LAUNCHER), "-c", "print('types')", f"pyspark.sql.streaming.{module}"],
        env={"SLACKWATER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said == found.stdout.strip()


def test_python_is_that_of_users_where_they_name_one(monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", "python-of-mine")
    python_start.name_python(local=True)
    assert "python-of-mine" == os.environ["PYSPARK_PYTHON"]


def test_a_cluster_gets_this_python_even_after_a_local_session(monkeypatch):
    for name in ("PYSPARK_PYTHON", "SLACKWATER_PYTHON"):
        monkeypatch.setenv(name, "")  # so that what follows is undone
        monkeypatch.delenv(name)
    python_start.name_python(local=True)
    assert str(LAUNCHER) == os.environ["PYSPARK_PYTHON"]
    python_start.name_python(local=False)
    assert sys.executable == os.environ["PYSPARK_PYTHON"]


def test_a_pyspark_that_is_only_on_the_path_needs_the_archives(monkeypatch, tmp_path):
    assert python_start.has_pyspark_installed()
    monkeypatch.setattr(pyspark, "__file__", str(tmp_path / "pyspark" / "__init__.py"))
    assert not python_start.has_pyspark_installed()


@pytest.mark.spark
def test_workers_run_this_python_and_import_the_installed_pyspark(spark):
    def said(batches):
        import pyspark

        for batch in batches:
            yield pa.record_batch(
                {"python": [sys.prefix] * batch.num_rows, "file": [pyspark.__file__] * batch.num_rows}
            )

    (row,) = spark.range(1).mapInArrow(said, "python STRING, file STRING").collect()
    assert (sys.prefix, pyspark.__file__) == (row.python, row.file)


_ENDS_WHILE_PYTHON_STARTS = """
import atexit, time, slackwater as sw
atexit.register(lambda: print("under way:", len(tracker.getActiveJobsIds())))  # after all that a session has registered
tracker = sw.session(app="brief", short_lived=True).sparkContext.statusTracker()
until = time.monotonic() + 20
while not tracker.getActiveJobsIds() and time.monotonic() < until:
    pass
print("has begun:", time.monotonic() < until)
"""


@pytest.mark.spark
def test_a_process_that_ends_while_python_starts_waits_for_it_and_no_job_fails():
    done = subprocess.run([sys.executable, "-c", _ENDS_WHILE_PYTHON_STARTS], capture_output=True, text=True, check=True)
    assert ["has begun: True", "under way: 0"] == done.stdout.splitlines()
