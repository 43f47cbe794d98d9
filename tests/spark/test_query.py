"""Reorder as real Spark queries: parity with the in-process run, outputs, settings, quiet places."""

from __future__ import annotations

import datetime as dt
import os
import time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ColumnError, JavaError, ParameterError, SessionError
from slackwater.spark.control_stream import send
from slackwater.spark.session import java_found

pytestmark = pytest.mark.spark
ROWS = 3_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(11)
    delays = np.where(random.random(ROWS) < 0.7, 0, random.exponential(150_000, ROWS)).astype(np.int64)
    times = np.arange(ROWS) * 2_000 + 1_600_000_000_000_000 - delays
    return pa.table(
        {
            "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "seq": np.arange(ROWS),
            "key": random.integers(0, 20, ROWS),
            "text": [f"row {i}" for i in range(ROWS)],
        }
    )


def as_files(table, folder, *, files, shuffled=False):
    """Write a table as files that Spark takes one by one, in order."""
    folder.mkdir()
    random = np.random.default_rng(3)
    for number, rows in enumerate(np.array_split(np.arange(table.num_rows), files)):
        path = folder / f"{number:03}.parquet"
        pq.write_table(table.take(random.permutation(rows) if shuffled else rows), path, row_group_size=200)
        os.utime(path, (1_700_000_000 + number,) * 2)
    return folder


def as_stream(spark, folder):
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def run(reordered, folder, *, drain=True):
    """Run a query over all there is, drain it, and return its outputs as tables in the order of their batches."""
    start = {
        "results": str(folder / "results"),
        "late": str(folder / "late"),
        "decisions": str(folder / "decisions"),
        "checkpoint": str(folder / "checkpoint"),
        "control": str(folder / "control"),
        "trigger": {"availableNow": True},
    }
    query = reordered.start(**start)
    query.awaitTermination()
    if drain:
        send(folder / "control", "drain")
        query = reordered.start(**start)
        query.awaitTermination()
    return query, {name: read(folder / name) for name in ("results", "late", "decisions")}


def read(folder):
    batches = sorted(folder.glob("batch=*"), key=lambda path: int(path.name[6:]))
    files = [file for batch in batches for file in sorted(batch.glob("part-*.parquet"))]
    return pa.concat_tables([pq.read_table(file, partitioning=None) for file in files]) if files else None


def rows_of(table):
    return [] if table is None else table.to_pylist()


def timeless(decisions):
    return decisions.drop_columns(["took_us"]).to_pylist()


@pytest.mark.parametrize(
    ("files", "contract"),
    [
        (1, sw.MaxSlack(cap="400 ms")),
        (4, sw.MaxSlack(cap="400 ms")),
        (4, sw.DropRatio(0.05, over="1 second", adaptation_interval="100 ms")),
    ],
)
def test_any_split_and_any_order_in_a_shuffle_equal_the_local_run(spark, tmp_path, table, files, contract):
    local = sw.reorder(sw.stream(table, name="s", event_time="ts", arrival="seq"), contract=contract)
    folder = as_files(table, tmp_path / "in", files=files, shuffled=True)
    stream = sw.stream(as_stream(spark, folder), name="s", event_time="ts", arrival="seq")
    _, found = run(sw.reorder(stream, contract=contract), tmp_path)
    assert local.results.to_pylist() == found["results"].to_pylist()
    assert local.late.to_pylist() == found["late"].to_pylist()
    assert timeless(local.decisions) == timeless(found["decisions"])


def test_what_is_too_large_for_the_driver_is_written_by_the_buckets(spark, tmp_path):
    many = pa.table({"ts": np.arange(40_000), "seq": np.arange(40_000)})
    folder = as_files(many, tmp_path / "in", files=1)
    stream = sw.stream(as_stream(spark, folder), event_time="ts", unit="ms", arrival="seq")
    _, found = run(sw.reorder(stream, contract=sw.NoSlack()), tmp_path)
    assert many["ts"].to_pylist() == found["results"]["ts"].to_pylist()
    assert ["part-00000"] == [file.name[:10] for file in (tmp_path / "results" / "batch=0").glob("*.parquet")]


def test_without_arrival_the_rows_of_a_batch_arrive_together(spark, tmp_path):
    times = [[5, 1, 3], [4, 9, 2], [8, 20]]
    table = pa.table({"ts": [t for batch in times for t in batch]})
    (tmp_path / "in").mkdir()
    for number, batch in enumerate(times):
        pq.write_table(pa.table({"ts": batch}), tmp_path / "in" / f"{number}.parquet")
        os.utime(tmp_path / "in" / f"{number}.parquet", (1_700_000_000 + number,) * 2)
    stream = sw.stream(as_stream(spark, tmp_path / "in"), event_time="ts", unit="s")
    _, found = run(sw.reorder(stream, contract=sw.NoSlack()), tmp_path)
    assert [1, 3, 5, 9, 20] == found["results"]["ts"].to_pylist()
    assert [(2, 3_000_000), (4, 1_000_000), (8, 1_000_000)] == [
        (row["ts"], row["late_by"]) for row in found["late"].to_pylist()
    ]
    assert table.num_rows == found["results"].num_rows + found["late"].num_rows


def test_progress_reports_show_the_counts_and_they_balance(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=2)
    stream = sw.stream(as_stream(spark, folder), event_time="ts", arrival="seq")
    query, _ = run(sw.reorder(stream, contract=sw.FixedSlack("100 ms")), tmp_path, drain=False)
    seen = [progress.observedMetrics["slackwater"] for progress in query.recentProgress if progress.numInputRows]
    assert ROWS == sum(row.arrived for row in seen)
    assert ROWS == sum(row.released + row.late for row in seen) + seen[-1].buffered
    assert {100_000} == {row.slack for row in seen}
    assert all(0 == operator.numRowsDroppedByWatermark for operator in query.lastProgress.stateOperators)


def test_a_control_record_of_an_unknown_kind_is_reported_and_harms_nothing(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    (tmp_path / "control").mkdir()
    (tmp_path / "control" / "1.json").write_text('{"kind": "explode"}\n')
    stream = sw.stream(as_stream(spark, folder), event_time="ts", arrival="seq")
    _, found = run(sw.reorder(stream, contract=sw.FixedSlack("10 seconds")), tmp_path)
    assert ROWS == found["results"].num_rows
    assert "ignored: explode" in found["decisions"]["stream"].to_pylist()


def test_control_records_beyond_all_limits_are_reported_and_harm_nothing(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    (tmp_path / "control").mkdir()
    long, deep = "x" * 1_000_000, "[" * 3_000
    records = [long, deep, '{"kind": "\\ud800"}', *["7"] * 20_000]
    (tmp_path / "control" / "1.json").write_text("\n".join(records))
    stream = sw.stream(as_stream(spark, folder), event_time="ts", arrival="seq")
    _, found = run(sw.reorder(stream, contract=sw.FixedSlack("10 seconds")), tmp_path)
    reported = [each for each in found["decisions"]["stream"].to_pylist() if each.startswith("ignored")]
    assert ROWS == found["results"].num_rows
    # 20,002 records, of which 1,000 are read; the line of a million characters never comes
    assert [*["ignored: unreadable"] * 100, "ignored: 901 more"] == sorted(reported, key=lambda each: "more" in each)


def test_every_type_of_column_comes_back_as_it_was(spark, tmp_path):
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        row = {
            "ts": dt.datetime(2026, 3, 8, 7, 30, tzinfo=dt.UTC),
            "local": dt.datetime(2026, 3, 8, 2, 30),  # noqa: DTZ001  (a time without a zone is the point)
            "day": dt.date(2026, 3, 8),
            "amount": Decimal("12.34"),
            "raw": b"\x00\xff",
            "tags": ["a", None],
            "place": {"x": 1.5, "name": "é"},
            "counts": [("a", 1)],
            "none": None,
        }
        schema = pa.schema(
            [
                ("ts", pa.timestamp("us", tz="UTC")),
                ("local", pa.timestamp("us")),
                ("day", pa.date32()),
                ("amount", pa.decimal128(10, 2)),
                ("raw", pa.binary()),
                ("tags", pa.list_(pa.string())),
                ("place", pa.struct([("x", pa.float64()), ("name", pa.string())])),
                ("counts", pa.map_(pa.string(), pa.int64())),
                ("none", pa.string()),
            ]
        )
        folder = as_files(pa.Table.from_pylist([row], schema), tmp_path / "in", files=1)
        stream = sw.stream(as_stream(spark, folder), event_time="ts")
        _, found = run(sw.reorder(stream, contract=sw.FixedSlack("1 second")), tmp_path)
        assert [row] == found["results"].to_pylist()
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_rows_without_a_usable_time_are_routed_with_the_reason(spark, tmp_path):
    times = [0, None, 253_402_300_799_000_000, -1_000_000, 5_000_000]
    table = pa.table({"ts": pa.array(times, pa.int64()).cast(pa.timestamp("us", tz="UTC"))})
    folder = as_files(table, tmp_path / "in", files=1)
    stream = sw.stream(as_stream(spark, folder), event_time="ts")
    _, found = run(sw.reorder(stream, contract=sw.FixedSlack("1 second")), tmp_path)
    assert [-1, 0, 5] == [row["ts"].timestamp() for row in found["results"].to_pylist()]
    assert {"null_time", "future"} == set(found["late"]["reason"].to_pylist())


def test_a_stream_that_never_delivers_gives_no_output_and_no_error(spark, tmp_path, table):
    schema = spark.createDataFrame(table.slice(0, 1)).schema
    (tmp_path / "in").mkdir()
    frame = spark.readStream.schema(schema).parquet(str(tmp_path / "in"))
    _, found = run(sw.reorder(sw.stream(frame, event_time="ts"), contract=sw.MaxSlack()), tmp_path, drain=False)
    assert {"results": None, "late": None, "decisions": None} == found


def test_a_folder_that_another_checkpoint_filled_is_refused(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    (tmp_path / "results" / "batch=0").mkdir(parents=True)
    reordered = sw.reorder(sw.stream(as_stream(spark, folder), event_time="ts"), contract=sw.NoSlack())
    with pytest.raises(ParameterError, match="results must be empty when the checkpoint is new"):
        reordered.start(results=tmp_path / "results", checkpoint=tmp_path / "checkpoint")


def test_a_column_with_the_name_of_the_batch_folders_is_refused(spark, tmp_path):
    folder = as_files(pa.table({"ts": [1], "batch": [1]}), tmp_path / "in", files=1)
    reordered = sw.reorder(sw.stream(as_stream(spark, folder), event_time="ts", unit="s"), contract=sw.NoSlack())
    with pytest.raises(ColumnError, match="'batch' has the name of the batch folders"):
        reordered.start(results=str(tmp_path / "results"), checkpoint=str(tmp_path / "checkpoint"))


def test_the_control_stream_may_be_any_streaming_frame_and_reaches_every_bucket(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    send(tmp_path / "control", "drain")
    control = spark.readStream.text(str(tmp_path / "control"))
    stream = sw.stream(as_stream(spark, folder), event_time="ts", arrival="seq")
    sw.reorder(stream, contract=sw.FixedSlack("1 hour"), by="key", buckets=3).start(
        results=tmp_path / "results",
        checkpoint=tmp_path / "checkpoint",
        control=control,
        trigger={"availableNow": True},
    ).awaitTermination()
    assert ROWS == read(tmp_path / "results").num_rows


def test_two_outputs_cannot_share_a_folder(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    reordered = sw.reorder(sw.stream(as_stream(spark, folder), event_time="ts"), contract=sw.NoSlack())
    with pytest.raises(ParameterError, match="late must not be that of results"):
        reordered.start(results=str(tmp_path / "out"), late=tmp_path / "out", checkpoint=str(tmp_path / "checkpoint"))


def test_a_control_record_that_means_nothing_cannot_be_sent(tmp_path):
    with pytest.raises(ParameterError, match=r"kind must be one of drain.*, got 'drian'"):
        send(tmp_path / "control", "drian")


def test_a_trigger_that_is_a_word_is_refused_with_an_example(spark, tmp_path, table):
    stream = sw.stream(as_stream(spark, as_files(table, tmp_path / "in", files=1)), event_time="ts")
    with pytest.raises(ParameterError, match=r"trigger must be a dict.*availableNow"):
        sw.reorder(stream, contract=sw.NoSlack()).start(
            results=str(tmp_path / "out"), checkpoint=str(tmp_path / "checkpoint"), trigger="availableNow"
        )


def test_an_idle_bucket_releases_what_it_holds(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    stream = sw.stream(as_stream(spark, folder), event_time="ts", arrival="seq", idle_after="200 ms")
    query = sw.reorder(stream, contract=sw.FixedSlack("1 hour")).start(
        results=str(tmp_path / "results"),
        checkpoint=str(tmp_path / "checkpoint"),
        trigger={"processingTime": "100 milliseconds"},
    )
    assert ROWS == len(first_results(query, tmp_path / "results"))


def test_a_run_that_ends_with_its_input_ends_although_streams_may_be_idle(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    stream = sw.stream(as_stream(spark, folder), event_time="ts", arrival="seq", idle_after="200 ms")
    query = sw.reorder(stream, contract=sw.FixedSlack("1 hour")).start(
        results=str(tmp_path / "results"),
        checkpoint=str(tmp_path / "checkpoint"),
        trigger={"availableNow": True},
    )
    try:
        assert query.awaitTermination(120)
    finally:
        query.stop()


def first_results(query, folder):
    """Let a query run until it has written results, stop it, and return them."""
    try:
        deadline = time.monotonic() + 90
        while not rows_of(read(folder)) and time.monotonic() < deadline and query.isActive:
            query.awaitTermination(0.2)
        query.stop()
        assert query.exception() is None
        return rows_of(read(folder))
    finally:
        query.stop()


def test_a_bounded_frame_gives_the_local_results(spark, table):
    contract = sw.FixedSlack("100 ms")
    local = sw.reorder(sw.stream(table, name="s", event_time="ts", arrival="seq"), contract=contract)
    frame = spark.createDataFrame(table).repartition(4)
    found = sw.reorder(sw.stream(frame, name="s", event_time="ts", arrival="seq"), contract=contract)
    assert local.results["seq"].to_pylist() == found.results.toArrow()["seq"].to_pylist()
    assert _sorted(local.results) == _sorted(found.results.toArrow())
    assert _sorted(local.late) == _sorted(found.late.toArrow())
    assert timeless(local.decisions) == timeless(found.decisions.toArrow())


def test_a_bounded_frame_without_arrival_is_sorted(spark, table):
    frame = spark.createDataFrame(table).repartition(4)
    found = sw.reorder(sw.stream(frame, event_time="ts"), contract=sw.NoSlack())
    times = found.results.toArrow()["ts"].to_pylist()
    assert sorted(table["ts"].to_pylist()) == times
    assert 0 == found.late.count()


def test_a_bounded_frame_cannot_be_started(spark, table):
    reordered = sw.reorder(sw.stream(spark.createDataFrame(table), event_time="ts"), contract=sw.NoSlack())
    with pytest.raises(ParameterError, match="streaming"):
        reordered.start(results="unused", checkpoint="unused")


def test_a_session_without_the_state_store_gets_an_error_that_names_the_setting(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    other = spark.newSession()
    provider = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    other.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
    with pytest.raises(SessionError, match=r"stateStore\.providerClass.*RocksDB"):
        sw.reorder(sw.stream(as_stream(other, folder), event_time="ts"), contract=sw.NoSlack())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"event_time": "when"}, "'when' does not exist"),
        ({"event_time": "text"}, "is string, not a time"),
        ({"event_time": "seq"}, "has no unit"),
        ({"event_time": "ts", "arrival": "text"}, "'text' is string"),
    ],
)
def test_columns_that_cannot_serve_are_refused_before_anything_runs(spark, table, options, message):
    frame = spark.createDataFrame(table.slice(0, 1))
    with pytest.raises(ColumnError, match=message):
        sw.reorder(sw.stream(frame, **options), contract=sw.NoSlack())


def test_streams_and_outputs_print_in_one_line(spark, table):
    stream = sw.stream(spark.createDataFrame(table.slice(0, 1)), name="bus", event_time="ts")
    ordered = sw.reorder(stream, contract=sw.FixedSlack("2 seconds"))
    assert "<Stream bus: a Spark DataFrame by ts>" == repr(stream)
    assert "<SparkReorder of bus: bounded DataFrames of Spark, FixedSlack(slack=2 seconds)>" == repr(ordered)


def test_explain_names_what_spark_will_run(spark, tmp_path, table):
    folder = as_files(table, tmp_path / "in", files=1)
    stream = sw.stream(as_stream(spark, folder), name="bus", event_time="ts")
    text = sw.reorder(stream, contract=sw.FixedSlack("2 seconds"), by="key").explain()
    assert all(word in text for word in ("'bus'", "FixedSlack", "8 buckets", "RocksDB", "transformWithStateInPandas"))


def _sorted(table):
    return sorted(table.to_pylist(), key=lambda row: row["seq"])


@pytest.mark.parametrize(
    ("said", "found"),
    [('openjdk version "11.0.2"', "11"), ('java version "1.8.0_392"', "8"), ("?", "an unknown version")],
)
def test_a_java_that_is_too_old_is_named(tmp_path, monkeypatch, said, found):
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=f"needs Java 17 or newer, found {found};"):
        java_found()
