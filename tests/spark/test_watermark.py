"""Watermarks of Spark's own before and behind our operators, as far as no session is needed to see them."""

from __future__ import annotations

import pytest
from pyspark.sql.types import LongType, StructField, StructType, TimestampType

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.spark.session import arrow_schema

DELAY = {"spark.watermarkDelayMs": 3000}


class Rows:
    """A DataFrame as far as its schema."""

    __module__ = "pyspark.sql.tests"

    def __init__(self, metadata: dict[str, object]) -> None:
        time = StructField("ts", TimestampType(), metadata=metadata)
        self.schema = StructType([time, StructField("n", LongType())])
        self.columns = self.schema.names


def test_a_watermark_of_the_input_is_not_that_of_the_results():
    assert arrow_schema(Rows({})).equals(arrow_schema(Rows(DELAY)), check_metadata=True)


def test_other_things_that_are_said_of_a_column_stay():
    said = {"comment": "when it happened"}
    assert arrow_schema(Rows(said)).equals(arrow_schema(Rows({**said, **DELAY})), check_metadata=True)
    assert not arrow_schema(Rows(said)).equals(arrow_schema(Rows({})), check_metadata=True)


def test_rows_that_have_a_watermark_get_no_second_one():
    with pytest.raises(ParameterError, match=r"rows must have no watermark of their own.*got 'a watermark on ts'"):
        sw.with_watermark(Rows(DELAY), "ts", sw.NoSlack())


def test_frames_of_others_have_no_watermark():
    with pytest.raises(ParameterError, match="rows must be a Spark DataFrame, got 'dict'"):
        sw.with_watermark({"ts": [1]}, "ts", sw.NoSlack())
