"""Merges on Spark: parity with the in-process run over several runs, bounded frames, another plan."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.errors import StateError
from slackwater.spark.control_stream import send
from tests.spark.test_join_query import as_streams, by_stream, streams_of, tables, write_files
from tests.spark.test_query import run, timeless

pytestmark = pytest.mark.spark
__all__ = ["tables"]  # the fixture: keys have another type in each stream


@pytest.fixture
def alike(tables):
    """The same streams without what makes them differ."""
    return [table.drop_columns(["key"]) for table in tables]


def test_a_merge_over_several_runs_equals_the_local_run(spark, tmp_path, tables):
    options = {"contract": sw.DropRatio(0.05, over="1 second", adaptation_interval="100 ms")}
    local = sw.merge(*streams_of(tables), **options)
    write_files(tables, tmp_path, [0])
    merged = sw.merge(*streams_of(as_streams(spark, tmp_path)), **options)
    assert "a struct for each stream" in merged.explain()
    run(merged, tmp_path, drain=False)
    write_files(tables, tmp_path, [1])
    send(tmp_path / "control", "drain")
    _, found = run(merged, tmp_path, drain=False)
    assert 0 < local.late.num_rows < local.results.num_rows
    assert local.results.to_pylist() == found["results"].to_pylist()
    assert by_stream(local.late) == by_stream(found["late"])
    assert timeless(local.decisions) == timeless(found["decisions"])

    other = sw.merge(*streams_of(as_streams(spark, tmp_path)), release="clock", **options)
    send(tmp_path / "control", "drain")
    with pytest.raises(StateError, match=r"release = arrival, this query has release = clock"):
        run(other, tmp_path, drain=False)


def test_a_bounded_merge_gives_the_local_results(spark, alike):
    contract = sw.FixedSlack("50 ms")
    local = sw.merge(*streams_of(alike), contract=contract)
    frames = [spark.createDataFrame(table).repartition(2) for table in alike]
    merged = sw.merge(*streams_of(frames), contract=contract)
    assert ["event_time", "stream", "ts", "seq", "text"] == merged.results.columns
    assert local.results.to_pylist() == merged.results.toArrow().to_pylist()
    assert 0 < local.late.num_rows
    assert by_stream(local.late) == by_stream(merged.late.toArrow())
