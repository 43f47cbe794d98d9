"""Queries that were stopped go on with more buckets: what they wrote before and after, recomputed by DuckDB."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ParameterError, StateError
from slackwater.spark import rescale as rescaling
from slackwater.spark.buckets import BUCKET, with_bucket
from slackwater.spark.control_stream import put
from slackwater.spark.offline_state import write_state
from slackwater.spark.own_settings import PARTITIONS
from slackwater.spark.places import places
from slackwater.spark.rescale import Hashed, refused_if_none
from slackwater.spark.rescaled_files import StoppedQuery
from slackwater.spark.session import arrow_schema
from slackwater.spark.spread_file import SpreadFile
from tests.chaos.driver import OUTPUTS, frames_of
from tests.chaos.inputs import rows_of, streams_of, write_input
from tests.chaos.queries import SLACK, Query
from tests.chaos.verify import verify_folder

pytestmark = pytest.mark.spark

WINDOWS = {"size": "400 ms", "values": {"n": sw.count(), "least": sw.min("value"), "total": sw.sum("value")}}
EARLY = sw.Early(aggressiveness=0.5)
RECALL, DROPS = sw.Recall(0.95, over="5 seconds"), sw.DropRatio(0.02, over="5 seconds")
PLANS = {
    "join of 2": lambda buckets: Query(
        2, lambda a, b: sw.join(a, b, on="key", within="50 ms", buckets=buckets, contract=RECALL)
    ),
    "join of 3": lambda buckets: Query(
        3, lambda a, b, c: sw.join(a, b, c, on="key", within="50 ms", buckets=buckets, contract=SLACK)
    ),
    "keyed reorder": lambda buckets: Query(1, lambda a: sw.reorder(a, by="key", buckets=buckets, contract=SLACK)),
    "aggregate": lambda buckets: Query(
        1, lambda a: sw.aggregate(a, by="key", **WINDOWS, buckets=buckets, contract=DROPS, early=EARLY)
    ),
}
FRAME = "ts BIGINT, seq BIGINT, key BIGINT, value BIGINT, text STRING"
CHANGES = [("join of 2", 2, 4), ("join of 3", 1, 3), ("keyed reorder", 2, 4), ("aggregate", 2, 4)]


def begin(folder: Path, name: str) -> None:
    """Write the input of a query, of which the last file is not shown yet."""
    query = PLANS[name](1)
    write_input(folder, streams_of(rows_of(900, seed=5), query.streams, seed=5), 3)
    for last in folder.glob("in/*/0002.parquet"):
        last.rename(last.with_name(f"_{last.name}"))


def show_the_rest(folder: Path) -> None:
    for last in folder.glob("in/*/_*.parquet"):
        last.rename(last.with_name(last.name.removeprefix("_")))
    put(folder / "control" / "drain.json", '{"kind": "drain"}\n')


def start(spark, folder: Path, name: str, buckets: int, checkpoint: str = "checkpoint", **options):
    """Start a query over the files that are there."""
    plan = PLANS[name](buckets).of(frames_of(spark, folder))
    outputs = {output: str(folder / output) for output in OUTPUTS}
    given = {"control": str(folder / "control"), "trigger": {"availableNow": True}, **options}
    return plan.start(**outputs, checkpoint=str(folder / checkpoint), **given)


def run(*given, **options) -> None:
    start(*given, **options).awaitTermination()


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "before", "after"), CHANGES)
def test_a_query_goes_on_with_more_buckets_and_loses_doubles_and_disorders_nothing(
    spark, tmp_path, name, before, after
):
    begin(tmp_path, name)
    run(spark, tmp_path, name, before)
    there = files_of(tmp_path / "checkpoint")
    done = sw.rescale(spark, tmp_path / "checkpoint", to=tmp_path / "more", buckets=after)
    assert (before, after, 1, True) == (done.before, done.after, done.batch, done.operator in name)
    assert there == files_of(tmp_path / "checkpoint")
    show_the_rest(tmp_path)
    run(spark, tmp_path, name, after, "more")
    found = verify_folder(name, tmp_path, tmp_path)
    assert found.is_good, found
    assert found.results > 50
    assert set(range(after)) == buckets_in(tmp_path / "decisions")


def buckets_in(decisions: Path) -> set[int]:
    tables = [pq.read_table(file) for file in decisions.rglob("*.parquet")]
    return {bucket for table in tables for bucket in table["bucket"].to_pylist() if bucket is not None}


@pytest.fixture(scope="module")
def stopped(spark, tmp_path_factory):
    """The folder of a stopped reorder with two buckets; tests change copies of its checkpoint."""
    folder = tmp_path_factory.mktemp("stopped")
    begin(folder, "keyed reorder")
    run(spark, folder, "keyed reorder", 2)
    return folder


@pytest.fixture
def copied(stopped, tmp_path):
    return Path(shutil.copytree(stopped / "checkpoint", tmp_path / "checkpoint"))


@pytest.mark.parametrize(
    ("buckets", "says"),
    [
        (1, "be more than the 2 there are: rows that one bucket holds are behind what another has passed on"),
        (2, "be a multiple of the 2 there are"),
        (3, "be a multiple of the 2 there are"),
    ],
)
def test_buckets_are_split_and_neither_mixed_nor_put_together(spark, stopped, tmp_path, buckets, says):
    with pytest.raises(ParameterError, match=says):
        sw.rescale(spark, stopped / "checkpoint", to=tmp_path / "more", buckets=buckets)
    assert not (tmp_path / "more").exists()


@pytest.mark.parametrize(
    ("folders", "says"),
    [
        ({"to": "there"}, "to must be a folder that is not there yet"),
        ({"to": "nowhere/more"}, "to must be a folder that is not there yet, in one that is"),
        ({"to": "checkpoint/more"}, "to must be outside the checkpoint"),
        ({"checkpoint": "there"}, "checkpoint must be the checkpoint of a query that has begun"),
    ],
)
def test_folders_must_be_what_they_are_said_to_be(spark, copied, tmp_path, folders, says):
    (tmp_path / "there").mkdir()
    given = {"checkpoint": "checkpoint", "to": "more", **folders}
    with pytest.raises(ParameterError, match=says):
        sw.rescale(spark, tmp_path / given["checkpoint"], to=tmp_path / given["to"], buckets=4)


@pytest.mark.parametrize("buckets", [4.0, "8", 0, 10**9])
def test_a_number_of_buckets_that_cannot_be_is_refused(spark, copied, tmp_path, buckets):
    with pytest.raises(ParameterError, match="buckets must be"):
        sw.rescale(spark, copied, to=tmp_path / "more", buckets=buckets)


def test_a_checkpoint_without_any_bucket_is_refused():
    with pytest.raises(StateError, match="no bucket that was ever called"):
        next(refused_if_none(iter([])))


def test_a_checkpoint_elsewhere_has_to_be_copied_first(spark, copied, tmp_path):
    with pytest.raises(ParameterError, match="checkpoint must be on a file system that is mounted here"):
        sw.rescale(spark, "s3a://bucket/checkpoint", to=tmp_path / "more", buckets=4)


def leave_a_batch_undone(checkpoint):
    (checkpoint / "commits" / "1").unlink()


def lose_the_way(checkpoint):
    (checkpoint / "slackwater" / "spread.json").unlink()


def lose_the_plan(checkpoint):
    (checkpoint / "slackwater" / "plan.json").unlink()


def damage_the_plan(checkpoint):
    (checkpoint / "slackwater" / "plan.json").write_text("{")


def begin_nothing(checkpoint):
    for part in ("offsets", "commits", "state"):
        shutil.rmtree(checkpoint / part)
    (checkpoint / "offsets").mkdir()
    (checkpoint / "metadata").unlink()


def damage_offsets(checkpoint):
    (checkpoint / "offsets" / "1").write_text("v1\n{")


def change_entry(file, change):
    """Let the first entry of a log file be another one."""
    version, first, *rest = file.read_text().split("\n")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.write_text("\n".join([version, json.dumps(change(json.loads(first))), *rest]))


def list_offsets(checkpoint):
    change_entry(checkpoint / "offsets" / "1", lambda entry: [entry])


def list_commits(checkpoint):
    change_entry(checkpoint / "commits" / "1", lambda entry: [entry])


def forget_the_settings(checkpoint):
    change_entry(checkpoint / "offsets" / "1", lambda entry: {**entry, "conf": {}})


def count_partitions_in_letters(checkpoint):
    change_entry(checkpoint / "offsets" / "1", lambda entry: {**entry, "conf": {**entry["conf"], PARTITIONS: "x"}})


def lose_the_names_of_maps(checkpoint):
    shutil.rmtree(checkpoint / "state" / "0" / "_metadata" / "v2")


def belong_to_a_chain(checkpoint):
    file = checkpoint / "slackwater" / "spread.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "refused": "they belong together"}))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            leave_a_batch_undone,
            "state has committed batch 0, not 1, expected the last one to be; start the query as it is",
        ),
        (lose_the_way, "state has no file .*spread.json, .*; start the query as it is and stop it after a batch"),
        (lose_the_plan, "state has no file .*plan.json, .*; restore it; without it, drain the query as it was"),
        (damage_the_plan, "state has an unreadable file .*plan.json, .*; restore it; without it, drain the query"),
        (begin_nothing, "state has no file .*metadata"),
        (damage_offsets, "state has a damaged file .*offsets/1"),
        (list_offsets, "state has a damaged file .*offsets/1"),
        (list_commits, "state has a damaged file .*commits/1"),
        (forget_the_settings, "state has a damaged file .*offsets/1"),
        (count_partitions_in_letters, "state has a damaged file .*offsets/1"),
        (lose_the_names_of_maps, "state has a damaged file .*_metadata/v2"),
        (belong_to_a_chain, "buckets that cannot be split: they belong together"),
    ],
)
def test_a_checkpoint_that_cannot_be_split_is_refused_with_the_reason(spark, copied, tmp_path, change, says):
    change(copied)
    with pytest.raises(StateError, match=says):
        sw.rescale(spark, copied, to=tmp_path / "more", buckets=4)
    assert ["checkpoint"] == sorted(path.name for path in tmp_path.iterdir())


def lose_rows_of_a_bucket(*given, **options):
    write_state(*given, **options)
    _, rows, *_ = given
    next(rows.glob("*.parquet")).unlink()


def test_a_checkpoint_that_spark_reads_otherwise_than_it_was_meant_never_gets_its_name(
    spark, copied, tmp_path, monkeypatch
):
    monkeypatch.setattr(rescaling, "write_state", lose_rows_of_a_bucket)
    with pytest.raises(StateError, match="other chunks than were written"):
        sw.rescale(spark, copied, to=tmp_path / "more", buckets=4)
    assert ["checkpoint"] == sorted(path.name for path in tmp_path.iterdir())


STEPS = [  # functions with which a rescale begins to read, write, check and name
    (rescaling, "read_state"),
    (rescaling, "put_rows"),
    (rescaling, "write_state"),
    (StoppedQuery, "copied"),
    (rescaling, "put"),
    (SpreadFile, "keep"),
    (rescaling, "_check_written"),
    (StoppedQuery, "check_unchanged"),
    (Path, "rename"),
]


def copy_at_each_step(folder, to, monkeypatch):
    """Copy a folder whenever a step begins: what is there then is what a rescale leaves that is killed there."""

    def copied_before(name, go_on):
        def step(*given, **options):
            shutil.copytree(folder, to / f"{len(list(to.iterdir())):02} {name}")
            return go_on(*given, **options)

        return step

    for owner, name in STEPS:
        monkeypatch.setattr(owner, name, copied_before(name, getattr(owner, name)))


def test_a_rescale_that_is_killed_leaves_the_old_checkpoint_and_no_half_of_a_new_one(
    spark, copied, tmp_path, monkeypatch
):
    there = files_of(copied)
    moments = tmp_path / "moments"
    moments.mkdir()
    (tmp_path / "work").mkdir()
    old = copied.rename(tmp_path / "work" / "checkpoint")
    with monkeypatch.context() as patched:
        copy_at_each_step(tmp_path / "work", moments, patched)
        sw.rescale(spark, old, to=tmp_path / "work" / "more", buckets=4)
    assert {name for _, name in STEPS} == {moment.name[3:] for moment in moments.iterdir()}
    for moment in moments.iterdir():
        left, checkpoint = sorted(path.name for path in moment.iterdir())
        assert ("checkpoint", ".more-unfinished-") == (checkpoint, left[: len(".more-unfinished-")])
        assert there == files_of(moment / checkpoint)
        shutil.move(moment / left, tmp_path / f"{left}{moment.name}")
    done = sw.rescale(spark, old, to=tmp_path / "more", buckets=4)  # beside all that was left
    assert names_beside_state(tmp_path / "work" / "more") == names_beside_state(done.checkpoint)


def names_beside_state(checkpoint):
    """Return the names of files but those of state, which Spark makes up; a rescale has compared what is in them."""
    return {name for name in files_of(checkpoint) if not name.startswith("state/")}


def test_a_query_that_runs_is_refused(spark, stopped, tmp_path):
    query = start(spark, stopped, "keyed reorder", 2, trigger={"processingTime": "1 hour"})
    try:
        with pytest.raises(StateError, match="a query that runs, expected one that is stopped"):
            sw.rescale(spark, stopped / "checkpoint", to=tmp_path / "more", buckets=4)
    finally:
        query.stop()


def test_a_bucket_that_was_to_be_called_when_nothing_comes_still_is(spark, tmp_path):
    begin(tmp_path, "keyed reorder")
    query = idle(spark, tmp_path, 2).start(**places_of(tmp_path, "checkpoint"), trigger={"processingTime": "1 hour"})
    wait_for(query, (tmp_path / "checkpoint" / "commits" / "0").exists)
    assert 0 == rows_in(tmp_path / "results")
    sw.rescale(spark, tmp_path / "checkpoint", to=tmp_path / "more", buckets=4)
    query = idle(spark, tmp_path, 4).start(
        **places_of(tmp_path, "more"), trigger={"processingTime": "100 milliseconds"}
    )
    show_one_row(tmp_path)  # a query that has begun again is called for nothing before its first rows
    wait_for(query, lambda: rows_in(tmp_path / "results") == 601)


def show_one_row(folder):
    """Let one key speak; all others stay silent."""
    hidden = pq.read_table(next(folder.glob("in/a/_*.parquet")))
    pq.write_table(hidden.slice(0, 1), folder / "in" / "a" / "one.parquet")


def idle(spark, folder, buckets):
    """Reorder so slowly that nothing leaves before its bucket was silent for too long."""
    frame = spark.readStream.schema(FRAME).parquet(str(folder / "in" / "a"))
    rows = sw.stream(frame, event_time="ts", unit="ms", arrival="seq", max_ahead=None, idle_after="200 ms")
    return sw.reorder(rows, by="key", buckets=buckets, contract=sw.FixedSlack("1 hour"))


def places_of(folder, checkpoint):
    return {"results": str(folder / "results"), "checkpoint": str(folder / checkpoint)}


def rows_in(folder):
    return sum(pq.read_metadata(file).num_rows for file in folder.rglob("*.parquet"))


def wait_for(query, done):
    """Let a query run until it has done something, and stop it."""
    try:
        deadline = time.monotonic() + 120
        while not done() and time.monotonic() < deadline and query.isActive:
            query.awaitTermination(0.2)
    finally:
        query.stop()
    assert query.exception() is None
    assert done()


def test_start_still_refuses_another_number_and_names_the_command(spark, stopped):
    with pytest.raises(StateError, match=r"change buckets back, or let `slackwater rescale` write a checkpoint"):
        start(spark, stopped, "keyed reorder", 4)


KEYS = """
    SELECT id, id % 3 = 0 AS flag, id - 5 AS number, CAST(id AS STRING) AS text, CAST(id AS DECIMAL(9, 2)) AS price,
           IF(id % 4 = 0, -0.0D, id / 3) AS ratio, IF(id % 5 = 0, NULL, timestamp_micros(id * 1234567)) AS at,
           CAST(timestamp_micros(id * 1234567) AS TIMESTAMP_NTZ) AS local, date_from_unix_date(CAST(id AS INT)) AS day
    FROM range(50)
"""


def test_rows_go_where_the_query_sends_them_whatever_their_keys_are(spark):
    frame = spark.sql(KEYS)
    by = tuple(frame.columns)
    node = SimpleNamespace(by=by, buckets=6, stream=SimpleNamespace(marker=None))
    sent = [row[BUCKET] for row in with_bucket(node, frame)[0].select(BUCKET).collect()]
    hashed = Hashed(spark, SpreadFile("aggregate", 1, ("", ""), (by,)), parent=0, buckets=6)
    rows = frame.toArrow().cast(arrow_schema(frame))
    assert sent == np.concatenate(hashed([rows[:20], rows[20:]], 0)).tolist()
    assert 6 == len(set(sent))


def test_rows_that_belong_to_another_bucket_are_refused(spark):
    hashed = Hashed(spark, SpreadFile("aggregate", 2, ("", ""), (("key",),)), parent=0, buckets=4)
    with pytest.raises(StateError, match="rows in bucket 0 that belong to others"):
        hashed([pa.table({"key": list(range(20))})], 0)


def test_labels_of_buckets_stay_when_there_are_more():
    assert places(2) == places(4)[:2]
