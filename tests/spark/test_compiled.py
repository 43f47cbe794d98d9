"""What Spark compiles for a query: once, not in every batch."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw

pytestmark = pytest.mark.spark
BATCHES = 3


@pytest.fixture
def frame(spark, tmp_path):
    """Return a stream of one small file a batch."""
    (tmp_path / "in").mkdir()
    for number in range(BATCHES):
        pq.write_table(pa.table({"ts": pa.array([number, number + 1])}), tmp_path / "in" / f"{number}.parquet")
    return spark.readStream.schema("ts BIGINT").option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))


def run(frame, folder):
    """Run a plan to its end; return how many batches it had."""
    reordered = sw.reorder(sw.stream(frame, event_time="ts", unit="us"), contract=sw.NoSlack())
    outputs = {name: str(folder / name) for name in ("results", "checkpoint")}
    query = reordered.start(**outputs, trigger={"availableNow": True})
    query.awaitTermination()
    return sum(each["numInputRows"] > 0 for each in query.recentProgress)


def test_batches_of_a_plan_that_has_run_before_compile_nothing(spark, frame, tmp_path):
    compiled = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    run(frame, tmp_path / "first")
    before = compiled.getCount()
    assert BATCHES == run(frame, tmp_path / "second")
    assert before == compiled.getCount()
