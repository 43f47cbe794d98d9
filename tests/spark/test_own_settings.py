"""Settings that a query is started with: its own, while the session keeps its own."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F  # noqa: N812

import slackwater as sw
from slackwater.spark.arrow_batches import BYTES, MOST_ROWS, ROWS, UNLIMITED
from slackwater.spark.own_settings import own_settings

pytestmark = pytest.mark.spark
PARTITIONS = "spark.sql.shuffle.partitions"
FILES = "spark.sql.streaming.checkpointFileManagerClass"


@pytest.fixture
def frame(spark, tmp_path):
    """Return a stream of one file, in a session where files are Spark's choice, with more partitions than needed."""
    (tmp_path / "in").mkdir()
    pq.write_table(pa.table({"ts": pa.array([1, 2, 3])}), tmp_path / "in" / "1.parquet")
    before = {name: spark.conf.get(name) for name in (PARTITIONS, FILES)}  # the tests' session has its own
    spark.conf.set(PARTITIONS, "5")
    spark.conf.unset(FILES)
    yield spark.readStream.schema("ts BIGINT").parquet(str(tmp_path / "in"))
    for name, value in before.items():
        spark.conf.set(name, value)


def within(spark, frame, setting, *, checkpoint="/checkpoint", alone=True):
    """Return a setting as a query sees it that is started now, and as it is afterwards."""
    with own_settings(spark, [frame], buckets=1, alone=alone, checkpoint=checkpoint):
        seen = spark.conf.get(setting, None)
    return seen, spark.conf.get(setting, None)


def test_a_running_query_has_no_more_partitions_than_buckets(spark, frame, tmp_path):
    folders = {name: str(tmp_path / name) for name in ("results", "checkpoint")}
    reordered = sw.reorder(sw.stream(frame, event_time="ts", unit="us"), contract=sw.NoSlack())
    query = reordered.start(**folders, trigger={"availableNow": True})
    query.awaitTermination()
    assert 1 == query.recentProgress[0]["stateOperators"][0]["numShufflePartitions"]


def test_the_session_keeps_its_number_of_partitions(spark, frame):
    assert ("1", "5") == within(spark, frame, PARTITIONS)


def test_an_operator_in_front_that_is_spread_keeps_the_number_of_partitions(spark, frame):
    assert "5" == within(spark, frame.dropDuplicates(), PARTITIONS)[0]


def test_a_function_that_gets_the_rows_keeps_the_number_of_partitions(spark, frame):
    assert "5" == within(spark, frame, PARTITIONS, alone=False)[0]


def test_files_of_a_mounted_checkpoint_are_renamed_without_starting_processes(spark, frame):
    seen, after = within(spark, frame, FILES)
    assert seen.endswith(".FileSystemBasedCheckpointFileManager")
    assert after is None


def test_files_of_a_checkpoint_elsewhere_are_left_to_spark(spark, frame):
    assert within(spark, frame, FILES, checkpoint="hdfs://somewhere/checkpoint")[0] is None


def test_rows_of_numbers_are_sent_without_counting_their_bytes(spark, frame):
    assert (UNLIMITED, None) == within(spark, frame, BYTES)
    assert str(MOST_ROWS) == within(spark, frame, ROWS)[0]


def test_rows_with_texts_are_sent_as_the_session_says(spark, frame):
    texts = frame.withColumn("text", F.col("ts").cast("string"))
    assert within(spark, texts, BYTES)[0] is None


def test_functions_in_python_before_ours_get_rows_as_the_session_says(spark, frame):
    assert within(spark, frame.mapInArrow(lambda rows: rows, "ts BIGINT"), BYTES)[0] is None
    assert within(spark, frame.withColumn("ts", F.udf(int, "BIGINT")("ts")), BYTES)[0] is None


def test_a_function_that_gets_the_results_gets_rows_as_the_session_says(spark, frame):
    assert within(spark, frame, BYTES, alone=False)[0] is None


def test_who_has_chosen_a_limit_of_bytes_keeps_it(spark, frame):
    spark.conf.set(BYTES, "1000000")
    try:
        assert ("1000000", "1000000") == within(spark, frame, BYTES)
    finally:
        spark.conf.unset(BYTES)
