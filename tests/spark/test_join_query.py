"""Joins as real Spark queries: parity with the in-process run, buckets, quiet streams, restarts."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ParameterError, StateError
from slackwater.spark.control_stream import send
from tests.spark.test_query import first_results, run, timeless

pytestmark = pytest.mark.spark
ROWS, FILES = 1_800, 2
NAMES = ("bus", "scats", "air")
EVERYTHING = sw.FixedSlack("10 seconds")  # loses nothing


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    """Three streams with one arrival order over all of them; delays up to a second."""
    random = np.random.default_rng(17)
    delays = np.where(random.random(ROWS) < 0.7, 0, random.exponential(80_000, ROWS)).astype(np.int64)
    times = np.arange(ROWS) * 2_000 + 1_600_000_000_000_000 - np.minimum(delays, 1_000_000)
    whole = pa.table(
        {
            "ts": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
            "seq": np.arange(ROWS),
            "key": pa.array(random.integers(0, 30, ROWS).astype(np.int32), mask=random.random(ROWS) < 0.02),
            "text": [f"row {i}" for i in range(ROWS)],
        }
    )
    dealt = random.integers(0, 3, ROWS)
    parts = [whole.filter(pa.array(dealt == stream)) for stream in range(3)]
    kinds = (pa.int32(), pa.int64(), pa.float64())  # equal keys of different types must meet
    return [part.set_column(2, "key", part["key"].cast(kind)) for part, kind in zip(parts, kinds, strict=True)]


def streams_of(frames, **options):
    given = {"event_time": "ts", "arrival": "seq", **options}
    return [sw.stream(frame, name=name, **given) for name, frame in zip(NAMES, frames, strict=False)]


def write_files(tables, folder, numbers):
    """Write parts of all streams as files; those of one number have the same range of arrivals."""
    for name, table in zip(NAMES, tables, strict=False):
        (folder / name).mkdir(exist_ok=True)
        for number in numbers:
            low, high = number * ROWS // FILES, (number + 1) * ROWS // FILES
            path = folder / name / f"{number}.parquet"
            within = pc.and_(pc.greater_equal(table["seq"], low), pc.less(table["seq"], high))
            pq.write_table(table.filter(within), path)
            os.utime(path, (1_700_000_000 + number,) * 2)


def as_streams(spark, folder, streams=3):
    """Read folders as streams that take one file after the other."""
    frames = []
    for name in NAMES[:streams]:
        schema = spark.read.parquet(str(folder / name)).schema
        frames.append(spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / name)))
    return frames


def canonical(results):
    """Sort results of several buckets."""
    return sorted(results.to_pylist(), key=lambda row: [row[name]["seq"] for name in NAMES if name in row])


def by_stream(late):
    return sorted(late.to_pylist(), key=lambda row: row["stream"])


def test_three_streams_over_several_runs_equal_the_local_run(spark, tmp_path, tables):
    options = {"on": "key", "within": "200 ms", "contract": sw.MaxSlack(cap="250 ms")}
    local = sw.join(*streams_of(tables), **options)
    write_files(tables, tmp_path, [0])
    joined = sw.join(*streams_of(as_streams(spark, tmp_path)), **options)
    run(joined, tmp_path, drain=False)
    write_files(tables, tmp_path, [1])
    send(tmp_path / "control", "drain")  # rows that come with a drain are drained too
    _, found = run(joined, tmp_path, drain=False)
    assert 0 < local.late.num_rows < local.results.num_rows
    assert local.results.to_pylist() == found["results"].to_pylist()
    assert by_stream(local.late) == by_stream(found["late"])
    assert timeless(local.decisions) == timeless(found["decisions"])

    other = sw.join(*streams_of(as_streams(spark, tmp_path)), **{**options, "within": "1 second"})
    send(tmp_path / "control", "drain")
    with pytest.raises(StateError, match=r"within of bus = 200 ms.*this query has within of bus = 1 second"):
        run(other, tmp_path, drain=False)


def test_two_streams_of_one_frame_go_on_after_a_stop(spark, tmp_path, tables):
    def joined(rows):
        streams = [
            sw.stream(rows.where(f"key % 2 = {parity}"), name=name, event_time="ts", arrival="seq")
            for parity, name in enumerate(("even", "odd"))
        ]
        return sw.join(*streams, on="even.key = odd.key - 1", within="200 ms", contract=EVERYTHING)

    for number in range(FILES):
        write_files(tables[:1], tmp_path, [number])
        _, found = run(joined(as_streams(spark, tmp_path, 1)[0]), tmp_path, drain=number == FILES - 1)
    local = joined(spark.read.parquet(str(tmp_path / "bus")))
    expected = {(row["even"]["seq"], row["odd"]["seq"]) for row in local.results.collect()}
    assert expected == {(row["even"]["seq"], row["odd"]["seq"]) for row in found["results"].to_pylist()} != set()


def test_a_spread_stream_meets_replicated_ones_in_every_bucket(spark, tmp_path, tables):
    options = {
        "on": "bus.key = scats.key",
        "where": "abs(air.seq - bus.seq) < 40",
        "within": "200 ms",
        "contract": EVERYTHING,
    }
    local = sw.join(*streams_of(tables), **options)
    write_files(tables, tmp_path, range(FILES))
    joined = sw.join(*streams_of(as_streams(spark, tmp_path)), **options, buckets=3)
    assert "bus by key, scats by key, air replicated (3 buckets" in joined.explain()
    assert "how partners were found" not in joined.explain()
    _, found = run(joined, tmp_path)
    assert "bus -> scats: hash" in joined.explain()
    assert local.results.num_rows > 100
    assert canonical(local.results) == canonical(found["results"])
    assert 0 == found["late"].num_rows
    assert {0, 1, 2} == set(found["decisions"]["bucket"].to_pylist())


@pytest.mark.parametrize("buckets", [1, 3])
def test_a_bounded_join_gives_the_local_results(spark, tables, buckets):
    contract = sw.FixedSlack("100 ms") if buckets == 1 else EVERYTHING
    options = {"on": "key", "within": "200 ms", "contract": contract}
    local = sw.join(*streams_of(tables), **options)
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frames = [spark.createDataFrame(table).repartition(2) for table in tables]
        found = sw.join(*streams_of(frames), **options, buckets=buckets)
        results = found.results.toArrow()
        assert canonical(local.results) == canonical(results)
        if buckets == 1:
            assert local.results.to_pylist() == results.to_pylist()
            assert by_stream(local.late) == by_stream(found.late.toArrow())
            assert timeless(local.decisions) == timeless(found.decisions.toArrow())
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_a_join_without_a_key_splits_the_first_stream(spark, tables):
    def close(bus, scats):
        return pc.less(pc.abs(pc.subtract(bus["seq"], scats["seq"])), 5)

    options = {"where": close, "within": "200 ms", "contract": EVERYTHING}
    local = sw.join(*streams_of(tables[:2]), **options)
    frames = [spark.createDataFrame(table) for table in tables[:2]]
    found = sw.join(*streams_of(frames), **options, buckets=3)
    assert "bus by a hash of its columns, scats replicated (3 buckets" in found.explain()
    assert local.results.num_rows > 100
    assert canonical(local.results) == canonical(found.results.toArrow())
    assert {0, 1, 2} == set(found.decisions.toArrow()["bucket"].to_pylist())


def test_bounded_streams_without_arrival_come_in_order(spark, tables):
    options = {"on": "key", "within": "200 ms", "contract": sw.NoSlack()}
    local = sw.join(*streams_of([table.sort_by("ts") for table in tables], arrival=None), **options)
    frames = [spark.createDataFrame(table).repartition(2) for table in tables]
    found = sw.join(*streams_of(frames, arrival=None), **options)
    assert canonical(local.results) == canonical(found.results.toArrow())
    assert 0 == found.late.count()


def test_a_stream_that_falls_silent_steps_aside(spark, tmp_path, tables):
    write_files(tables[:2], tmp_path, [0])
    bus, scats = streams_of(as_streams(spark, tmp_path, 2))
    quiet = sw.stream(scats.frame, name="scats", event_time="ts", arrival="seq", idle_after="200 ms")
    query = sw.join(bus, quiet, on="key", within="200 ms", contract=sw.FixedSlack("1 second")).start(
        results=str(tmp_path / "results"),
        checkpoint=str(tmp_path / "checkpoint"),
        trigger={"processingTime": "100 milliseconds"},
    )
    assert first_results(query, tmp_path / "results")


def test_streaming_and_bounded_frames_do_not_mix(spark, tmp_path, tables):
    write_files(tables[:2], tmp_path, [0])
    frames = [as_streams(spark, tmp_path, 2)[0], spark.createDataFrame(tables[1])]
    with pytest.raises(ParameterError, match="streams must be of one kind"):
        sw.join(*streams_of(frames), on="key", within="1 second", contract=EVERYTHING)


def test_an_arrival_order_that_only_one_stream_has_is_refused(spark, tables):
    first, second = (spark.createDataFrame(table.slice(0, 1)) for table in tables[:2])
    streams = [*streams_of([first]), sw.stream(second, name="scats", event_time="ts")]
    with pytest.raises(ParameterError, match="arrival must be given for all streams or for none"):
        sw.join(*streams, on="key", within="1 second", contract=EVERYTHING)
