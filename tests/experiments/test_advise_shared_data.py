"""Advice for a real stream whose disorder is extreme, against DuckDB."""

from __future__ import annotations

import duckdb
import pytest

import slackwater as sw
from slackwater.errors import DatasetError
from slackwater.sources.real import data_folder


@pytest.fixture(scope="module")
def file():
    try:
        return data_folder() / "zeek_wrccdc/events.parquet"
    except DatasetError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def advice(file):
    return sw.advise(file, event_time="ts", contract=sw.DropRatio(0.005))


def test_spark_drops_what_duckdb_counts(file, advice):
    dropped = duckdb.sql(
        f"""
        WITH rows AS (SELECT row_number() OVER () AS number, ts FROM '{file}'),
             before AS (
               SELECT ts, max(ts) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS clock
               FROM rows
             )
        SELECT count(*) FILTER (ts <= clock - {int(advice.spark.slack) // 1_000}) / count(*) FROM before
        """
    ).fetchall()
    assert dropped[0][0] == pytest.approx(advice.spark.missed)


def test_five_minute_timeouts_are_found(advice):
    assert 299e6 < advice.policy("every_period").slack < 301e6


def test_it_says_that_the_contract_falls_short_here_and_how_unsure_a_constant_is(advice):
    assert advice.policies[0].kept < 0.9
    assert any("does not keep every period" in each for each in advice.warnings)
    assert advice.slack_interval.high > 2 * advice.slack_interval.low
