"""Buckets are dealt out evenly to Spark's partitions."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F  # noqa: N812

from slackwater.errors import ParameterError
from slackwater.spark.places import EVENLY, bucket_at, places


def test_a_label_says_which_bucket_it_is_of():
    assert list(range(300)) == [bucket_at(place) for place in places(300)]


def test_labels_do_not_depend_on_how_many_buckets_there_are():
    assert places(7) == places(40)[:7]


def test_so_many_buckets_that_their_labels_would_run_out_are_refused():
    with pytest.raises(ParameterError, match=f"at most {EVENLY}"):
        places(EVENLY + 1)


@pytest.mark.spark
@pytest.mark.parametrize("partitions", [2, 3, 8, 200])
def test_spark_sends_neighboring_buckets_to_different_partitions(spark, partitions):
    labels = spark.createDataFrame([(place,) for place in places(12)], "place BIGINT")
    placed = labels.repartition(partitions, "place").withColumn("partition", F.spark_partition_id())
    found = {row["place"]: row["partition"] for row in placed.collect()}
    assert [bucket % partitions for bucket in range(12)] == [found[place] for place in places(12)]
