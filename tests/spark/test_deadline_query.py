"""Deadlines on Spark: parity with the in-process run, buckets, and triggers that are too slow."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from tests.spark.test_join_query import as_streams, by_stream, streams_of, tables, write_files
from tests.spark.test_query import run, timeless

pytestmark = pytest.mark.spark
__all__ = ["tables"]
TIGHT = sw.Deadline("1 second", latency="980 ms", adaptation_interval="100 ms")


@pytest.fixture
def alike(tables):
    """The same streams, with keys of one type."""
    return [table.set_column(2, "key", table["key"].cast(pa.int64())) for table in tables]


def test_a_deadline_over_several_batches_equals_the_local_run(spark, tmp_path, alike):
    contract = sw.DropRatio(0.05, over="1 second", adaptation_interval="100 ms") & sw.Deadline("1 s", latency="980 ms")
    local = sw.merge(*streams_of(alike), contract=contract)
    write_files(alike, tmp_path, [0, 1])
    merged = sw.merge(*streams_of(as_streams(spark, tmp_path)), contract=contract)
    with pytest.raises(ParameterError, match=r"limit must be more than 2 seconds between .* 2\.981 seconds"):
        merged.start(results="r", checkpoint="c", trigger={"processingTime": "2 seconds"})
    _, found = run(merged, tmp_path)
    assert {False, True} == set(local.results["ready"].to_pylist())
    assert local.results.to_pylist() == found["results"].to_pylist()
    assert by_stream(local.late) == by_stream(found["late"])
    assert timeless(local.decisions) == timeless(found["decisions"])
    assert {"DropRatio", "Deadline"} == set(found["decisions"]["ruled"].to_pylist())


def test_each_bucket_has_a_gate_of_its_own(spark, alike):
    frames = [spark.createDataFrame(table) for table in alike]
    merged = sw.merge(*streams_of(frames), contract=TIGHT, by="key", buckets=3)
    assert "3 buckets" in merged.explain()
    results, late = merged.results.toArrow(), merged.late.toArrow()
    assert {0, 1, 2} == set(merged.decisions.toArrow()["bucket"].to_pylist())
    assert sum(table.num_rows for table in alike) == results.num_rows + late.num_rows
    for key in (None, 3, 17):
        times = [row["ts"] for row in results.to_pylist() if row["key"] == key]
        assert sorted(times) == times
        assert times
