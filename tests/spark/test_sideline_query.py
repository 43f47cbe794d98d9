"""Bursts on Spark: rows that were set aside outlive a restart, and every final is that of a run in process."""

from __future__ import annotations

import pyarrow.compute as pc
import pytest

import slackwater as sw
from tests.spark.test_aggregate_query import by_window, plan, table
from tests.spark.test_query import as_files, as_stream, run

__all__ = ["table"]
pytestmark = pytest.mark.spark


def test_rows_of_a_burst_wait_over_a_restart_and_no_final_changes(spark, tmp_path, table):
    contract, some = sw.FixedSlack("100 ms"), tmp_path / "in"
    folder = as_files(table, tmp_path / "all", files=2)
    some.mkdir()
    for number in range(2):
        (folder / f"{number:03}.parquet").rename(some / f"{number:03}.parquet")
        burst = plan(as_stream(spark, some), contract=contract, sideline=sw.Sideline(over=300, pace=1, one_in=10))
        query, found = run(burst, tmp_path, drain=number == 1)
        seen = query.lastProgress["observedMetrics"]["slackwater"]
        assert (number == 0) == (seen["buffered"] > 400)
    local, shown = plan(table, contract=contract).results, found["results"]
    finals = shown.filter(pc.equal(shown["kind"], "final"))
    assert finals.num_rows < shown.num_rows
    assert by_window(local) == by_window(finals.select(local.column_names))
