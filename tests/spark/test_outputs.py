"""Where outputs may be written: each in a folder of its own, which has no batches of another run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, ParameterError
from slackwater.spark.call import RESULTS
from slackwater.spark.outputs import ParquetFolder, batch_writer, checked_destinations
from slackwater.spark.packets import to_bytes
from slackwater.spark.source_folders import source_folders
from slackwater.spark.staged import Output, Staging
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.run import run as run_pipeline

NO_COLUMNS = {"results": (), "late": (), "decisions": ()}


def check(checkpoint: object = "checkpoint", *, reads: Sequence[tuple[str, str]] = (), **folders: object) -> list[str]:
    """Return the outputs that may be written so."""
    where = os.fspath(checkpoint)
    return list(checked_destinations(folders, checkpoint=where, columns=NO_COLUMNS, reads=reads))


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "late", ["{}/out", "{}/out/", "{}/./out", "{}/x/../out", "out", "file:{}/out", "file://{}/out"]
)
def test_two_outputs_are_not_written_to_one_folder_however_it_is_spelled(here, late):
    with pytest.raises(ParameterError, match=f"late must not be that of results .*{here}/out.*give each its own"):
        check(results=here / "out", late=late.format(here))


def test_two_outputs_are_not_written_to_one_folder_that_has_two_names(here):
    (here / "other").symlink_to(here / "out")
    with pytest.raises(ParameterError, match="late must not be that of results"):
        check(results="out", late="other")


@pytest.mark.parametrize(
    ("results", "late"),
    [
        ("out", "out/late"),
        ("out/results", "out"),
        ("s3a://data/out", "s3a://data//out/"),
        ("s3a://data/out", "s3a://data/x/../out"),
        ("s3a://data/out", "s3a://data/out/late"),
        ("hdfs:/out", "hdfs:///out"),
    ],
)
def test_no_output_is_within_another(here, results, late):
    with pytest.raises(ParameterError, match=r"late must not be that of results .* nor within or around it"):
        check(results=results, late=late)


@pytest.mark.parametrize("results", ["checkpoint", "checkpoint/state", ".", "file:{}/checkpoint/offsets"])
@pytest.mark.parametrize("checkpoint", ["checkpoint", "{}/checkpoint", "file:{}/checkpoint"])
def test_no_output_is_within_or_around_the_checkpoint(here, results, checkpoint):
    with pytest.raises(ParameterError, match="results must not be that of checkpoint"):
        check(checkpoint.format(here), results=results.format(here))


@pytest.mark.parametrize(
    ("results", "late"),
    [("out", "out-late"), ("s3a://data/out", "s3a://other/out"), ("/data/out", "s3a://data/out"), ("a/out", "b/out")],
)
def test_folders_side_by_side_are_fine(here, results, late):
    assert ["results", "late"] == check(results=results, late=late)


@pytest.mark.parametrize(
    ("reads", "results"),
    [
        ("in", "in"),
        ("in", "file:{}/in/"),
        ("in", "in/out"),
        ("in", "."),
        ("s3a://data/in", "s3a://data/in/out"),
    ],
)
def test_no_output_is_written_where_a_stream_reads(here, reads, results):
    with pytest.raises(ParameterError, match=f"results must not be that of stream 'bus' .'{reads}'.*nor within or aro"):
        check(reads=[("stream 'bus'", reads)], results=results.format(here))


@pytest.mark.parametrize("checkpoint", ["in", "in/checkpoint", "file:{}/in"])
def test_no_checkpoint_is_written_where_a_stream_reads(here, checkpoint):
    with pytest.raises(ParameterError, match="checkpoint must not be that of stream 'bus'"):
        check(checkpoint.format(here), reads=[("stream 'bus'", "in")], results="out")


def test_outputs_beside_what_streams_read_are_fine(here):
    assert ["results"] == check(reads=[("stream 'bus'", "in"), ("stream 'bus'", "in2")], results="in3")


def with_batches(folder: Path, *numbers: int) -> Path:
    for number in numbers:
        (folder / f"batch={number}").mkdir(parents=True)
    return folder


def begun(checkpoint: Path, *, planned: int, committed: int) -> Path:
    """Make the logs of a query that was stopped."""
    for log, batches in (("offsets", planned), ("commits", committed)):
        (checkpoint / log).mkdir(parents=True)
        for number in range(batches):
            (checkpoint / log / str(number)).touch()
    return checkpoint


@pytest.mark.parametrize("results", ["out", "{}/out", "file:{}/out", "file://{}/out"])
def test_a_folder_with_batches_is_refused_for_a_new_checkpoint_however_it_is_spelled(here, results):
    with_batches(here / "out", 0)
    with pytest.raises(ParameterError, match="results must be empty when the checkpoint is new"):
        check(results=results.format(here))


@pytest.mark.parametrize("checkpoint", ["checkpoint", "{}/checkpoint", "file:{}/checkpoint", "file://{}/checkpoint"])
def test_a_query_goes_on_from_its_checkpoint_however_it_is_spelled(here, checkpoint):
    with_batches(here / "out", 0, 1)
    begun(here / "checkpoint", planned=2, committed=2)
    assert ["results"] == check(checkpoint.format(here), results="out")


@pytest.mark.parametrize(
    ("planned", "committed"),
    [
        (4, 3),  # killed before the commit: batch 3 comes again
        (3, 3),  # a damaged plan of batch 3 was deleted: it is put together anew
    ],
)
def test_the_batch_that_comes_first_may_be_there_since_all_of_it_is_replaced(here, planned, committed):
    begun(here / "checkpoint", planned=planned, committed=committed)
    assert ["results", "late"] == check(results=with_batches(here / "out", 1, 2, 3), late=with_batches(here / "l", 3))


@pytest.mark.parametrize(("planned", "committed"), [(4, 3), (3, 3)])
@pytest.mark.parametrize("late", ["late", "file:{}/late"])
def test_batches_of_an_abandoned_run_are_refused_and_named(here, planned, committed, late):
    begun(here / "checkpoint", planned=planned, committed=committed)
    with_batches(here / "late", 1, 4, 7, 12)
    with pytest.raises(ParameterError) as caught:
        check(results=with_batches(here / "out", 0, 1, 2, 3), late=late.format(here))
    assert str(caught.value).startswith("late must have no batch after 3, with which the checkpoint goes on, got ")
    assert "a run that the checkpoint does not know has written batch=4 to batch=12: move or delete" in str(
        caught.value
    )
    assert late.format(here) == caught.value.value


def keep_about(checkpoint: Path, **outputs: object) -> None:
    """Write down which outputs the query had when it last began."""
    (checkpoint / "slackwater").mkdir()
    said = {name: None if where is None else str(where) for name, where in outputs.items()}
    (checkpoint / "slackwater" / "query.json").write_text(json.dumps({"outputs": said}))


@pytest.mark.parametrize("known", [{}, {"results": "{}/out", "late": None}, {"results": None}])
@pytest.mark.parametrize("is_there", [True, False])
def test_an_output_without_a_batch_of_those_committed_is_a_warning(here, known, is_there):
    begun(here / "checkpoint", planned=3, committed=3)
    keep_about(here / "checkpoint", **{name: where and where.format(here) for name, where in known.items()})
    if is_there:
        (here / "out").mkdir()
    with pytest.warns(
        UserWarning, match=r"results has no batch in 'out', .* goes on with batch 3: those before are not"
    ):
        assert ["results"] == check(results="out")


def test_outputs_that_are_whole_new_or_elsewhere_are_no_warning(here, recwarn):
    begun(here / "checkpoint", planned=3, committed=3)
    keep_about(here / "checkpoint", results=with_batches(here / "old", 0, 1), late=None, decisions=here / "decisions")
    check(results="out", late="late", decisions=with_batches(here / "decisions", 2))  # older ones may be deleted
    check("new", results="out")
    begun(here / "first", planned=1, committed=0)
    check("first", results="out")
    assert [] == [str(each.message) for each in recwarn]


def test_folders_that_cannot_be_looked_into_are_taken_on_trust(here):
    begun(here / "checkpoint", planned=1, committed=1)
    assert ["results"] == check(results="s3a://data/out")
    assert ["results"] == check("s3a://data/checkpoint", results=with_batches(here / "out", 9))


def test_each_output_has_columns_of_its_own(tmp_path):
    columns = {**NO_COLUMNS, "late": ("ts", "batch")}
    assert checked_destinations(
        {"results": tmp_path / "out"}, checkpoint=str(tmp_path / "c"), columns=columns, reads=()
    )
    with pytest.raises(ColumnError, match="'late': column 'batch' has the name of the batch folders"):
        checked_destinations({"late": tmp_path / "out"}, checkpoint=str(tmp_path / "c"), columns=columns, reads=())


def test_nothing_is_planned_in_a_batch_whose_outputs_buckets_write(tmp_path):
    folder = tmp_path / "results"
    staging = Staging({RESULTS: Output(str(folder), pa.schema([("a", pa.int64())]), "none")})
    write = batch_writer(lambda packets, kind: packets, {"results": ParquetFolder(str(folder))}, staging)
    bodies = pa.array([to_bytes(pa.table({"a": [1, 2]}))], pa.binary())
    found = {"kind": pa.array([RESULTS], pa.int8()), "bucket": [0], "file": pa.nulls(1, pa.binary()), "body": bodies}
    packets = Mock(spec=["toArrow", "sparkSession"])  # nothing more can be asked of Spark
    packets.toArrow.return_value = pa.table(found)
    write(packets, 0)
    assert [1, 2] == pq.read_table(folder / "batch=0", partitioning=None)["a"].to_pylist()


def show(folder: Path, number: int, *times: int) -> None:
    """Let a file come, in which rows are as late as they are out of order."""
    path = folder / "in" / f"{number}.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"ts": times, "seq": range(10 * number, 10 * number + len(times))}), path)
    os.utime(path, (1_700_000_000 + number,) * 2)


def run(spark, folder: Path, checkpoint: object = "checkpoint") -> None:
    frame = spark.readStream.schema("ts BIGINT, seq BIGINT").option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    stream = sw.stream(frame, event_time="ts", unit="s", arrival="seq")
    sw.reorder(stream, contract=sw.NoSlack()).start(
        results=folder / "results",
        late=folder / "late",
        checkpoint=folder / checkpoint,
        trigger={"availableNow": True},
    ).awaitTermination()


def written(folder: Path, output: str) -> list[int]:
    tables = [pq.read_table(file, partitioning=None) for file in (folder / output).glob("batch=*/*.parquet")]
    return sorted(time for table in tables for time in table["ts"].to_pylist())


@pytest.mark.spark
def test_a_restored_checkpoint_goes_on_when_the_batches_that_it_does_not_know_are_gone(spark, tmp_path):
    show(tmp_path, 0, 1, 5)
    run(spark, tmp_path)
    shutil.copytree(tmp_path / "checkpoint", tmp_path / "copy")
    for number, times in enumerate([(6, 7), (9, 2, 10), (11, 3)], start=1):
        show(tmp_path, number, *times)
    run(spark, tmp_path)
    assert [2, 3] == written(tmp_path, "late")
    shutil.rmtree(tmp_path / "checkpoint")
    (tmp_path / "copy").rename(tmp_path / "checkpoint")
    for number in (1, 2):  # now they come in one file, so that batch 1 has what was late in batch 2
        (tmp_path / "in" / f"{number}.parquet").unlink()
    show(tmp_path, 2, 6, 7, 9, 2, 10)
    with pytest.raises(
        ParameterError, match=r"results must have no batch after 1.*has written batch=2 to batch=3: move"
    ):
        run(spark, tmp_path)
    for output in ("results", "late"):
        for number in (2, 3):
            shutil.rmtree(tmp_path / output / f"batch={number}", ignore_errors=True)
    run(spark, tmp_path)
    assert [1, 5, 6, 7, 9, 10, 11] == written(tmp_path, "results")
    assert [2, 3] == written(tmp_path, "late")


@pytest.mark.spark
def test_a_batch_that_was_written_and_not_committed_is_replaced(spark, tmp_path):
    for number, times in enumerate([(1, 5), (6, 2)]):
        show(tmp_path, number, *times)
    run(spark, tmp_path)
    for commit in (tmp_path / "checkpoint" / "commits").glob("*1*"):
        commit.unlink()
    show(tmp_path, 2, 7, 3)
    run(spark, tmp_path)
    assert ([1, 5, 6, 7], [2, 3]) == (written(tmp_path, "results"), written(tmp_path, "late"))


@pytest.mark.spark
def test_an_output_that_was_deleted_is_a_warning_and_the_query_goes_on(spark, tmp_path, recwarn):
    show(tmp_path, 0, 1, 5)
    run(spark, tmp_path)
    shutil.rmtree(tmp_path / "results")
    show(tmp_path, 1, 6, 2)
    assert [] == recwarn.list
    with pytest.warns(UserWarning, match=r"results has no batch in .*goes on with batch 1: those before are not"):
        run(spark, tmp_path)
    assert ([6], [2]) == (written(tmp_path, "results"), written(tmp_path, "late"))


@pytest.mark.spark
def test_of_two_checkpoints_one_goes_on_and_the_other_is_refused(spark, tmp_path):
    show(tmp_path, 0, 1, 5)
    run(spark, tmp_path)
    shutil.copytree(tmp_path / "checkpoint", tmp_path / "other")
    for number, times in enumerate([(6, 2), (7, 3)], start=1):
        show(tmp_path, number, *times)
    run(spark, tmp_path)
    with pytest.raises(ParameterError, match=r"results must have no batch after 1.*has written batch=2: move"):
        run(spark, tmp_path, "other")
    assert ([1, 5, 6, 7], [2, 3]) == (written(tmp_path, "results"), written(tmp_path, "late"))


@pytest.mark.spark
@pytest.mark.parametrize("name", ["batch", "Batch"])
def test_a_selected_column_with_the_name_of_the_batch_folders_is_refused(spark, tmp_path, name):
    show(tmp_path, 0, 1)
    frame = spark.readStream.schema("ts BIGINT, seq BIGINT").parquet(str(tmp_path / "in"))
    query = sw.sql(f"SELECT seq AS {name} FROM bus WITH NO SLACK", bus=sw.stream(frame, event_time="ts", unit="s"))
    with pytest.raises(ColumnError, match="'results': column 'batch' has the name of the batch folders"):
        query.start(results=tmp_path / "out", checkpoint=tmp_path / "checkpoint")


@pytest.mark.spark
def test_what_a_query_reads_is_found_in_its_frames(spark, here):
    read = spark.readStream.schema("ts BIGINT")
    for name in ("a", "b", "[x]"):
        (here / name).mkdir()
    united = read.parquet(f"{here}/a").where("ts > 1").union(read.json(f"file:{here}/b"))
    assert [f"{here}/a", f"file:{here}/b"] == source_folders(united)
    assert [f"{here}/[x]"] == source_folders(read.csv(f"{here}/[x]"))
    assert [] == source_folders(spark.readStream.format("rate").load())
    query = sw.reorder(sw.stream(united, name="bus", event_time="ts", unit="s"), contract=sw.NoSlack())
    with pytest.raises(ParameterError, match=f"results must not be that of stream 'bus' .'file:{here}/b'"):
        query.start(results="b/out", checkpoint="checkpoint")
    with pytest.raises(ParameterError, match="checkpoint must not be that of stream 'bus'"):
        query.start(results="out", checkpoint=here / "a")
    selected = sw.sql("SELECT ts FROM bus WITH NO SLACK", bus=sw.stream(united, event_time="ts", unit="s"))
    with pytest.raises(ParameterError, match="results must not be that of stream 'bus'"):
        selected.start(results="a/out", checkpoint="checkpoint")


def run_into(sink: object, column: str, checkpoint: Path) -> None:
    """Write the numbers of rows to a sink of a pipeline."""
    created = "CREATE STREAM bus WITH (path = 'in', event_time = 'ts', unit = 's')"
    text = (
        f"{created}; CREATE SINK o WITH (path = '{sink}'); INSERT INTO o SELECT seq AS {column} FROM bus WITH NO SLACK"
    )
    list(run_pipeline(read_pipeline(text), checkpoint=checkpoint, once=True))


@pytest.mark.spark
def test_a_column_of_a_sink_with_the_name_of_the_batch_folders_is_refused(spark, here):
    show(here, 0, 1)
    with pytest.raises(sw.SqlError, match="column 'batch' has the name of the batch folders"):
        run_into("out", "batch", here / "checkpoint")


@pytest.mark.spark
@pytest.mark.parametrize("sink", ["out", "file://{}/out"])
def test_a_sink_with_batches_of_another_run_is_refused_however_it_is_spelled(spark, here, sink):
    show(here, 0, 1)
    with_batches(here / "out", 0)
    with pytest.raises(sw.SqlError, match="must be empty when the checkpoint is new"):
        run_into(sink.format(here), "number", here / "checkpoint")
