"""Rows added up where they are read, in a real query: tasks hear how far windows are closed."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.core.algebra import Sum
from tests.spark.test_aggregate_query import by_window
from tests.spark.test_query import as_files, as_stream, run

pytestmark = pytest.mark.spark
ROWS, FILES = 4_000, 4


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Rows in files of 1,000; two of the last file come a whole file too late."""
    random = np.random.default_rng(3)
    ts = np.arange(ROWS) * 1_000 - random.integers(0, 20_000, ROWS)
    ts[[3_100, 3_200]] = 500_000
    x, call = random.integers(0, 100, ROWS), np.arange(ROWS) // (ROWS // FILES)
    return pa.table({"ts": pa.array(ts), "call": call, "x": x})


def plan(frame, values, **options):
    bus = sw.stream(frame, name="bus", event_time="ts", unit="us", max_ahead=None, **options)
    return sw.aggregate(bus, size="300 ms", slide="100 ms", values=values, contract=sw.FixedSlack("50 ms"))


def lifts_noted_in(folder):
    """Return a sum that notes how many rows each of its calls is given, in whatever process that is."""

    class Noted(Sum):
        def lift(self, values, valid):
            (folder / f"{len(values)}-{uuid4()}").touch()
            return super().lift(values, valid)

    return sw.Value(Noted(), "x", name="noted", gives="wide")


def test_a_bucket_gets_the_rows_that_may_be_late_and_the_sums_of_all_others(spark, tmp_path, table):
    noted = tmp_path / "noted"
    noted.mkdir()
    values = {"n": sw.count(), "total": sw.sum("x")}
    stream = as_stream(spark, as_files(table, tmp_path / "in", files=FILES))
    out = plan(stream, {**values, "noted": lifts_noted_in(noted)})
    _, found = run(out, tmp_path)
    local = plan(table, values, arrival="call")
    assert local.late["ts"].to_pylist() == found["late"]["ts"].to_pylist() == [500_000] * 2
    assert by_window(local.results) == by_window(found["results"].select(local.results.column_names))
    assert found["results"]["total"] == found["results"]["noted"]
    columns = ["at", "slack", "arrived", "released", "late", "results"]
    assert local.decisions.select(columns).to_pylist() == found["decisions"].select(columns).to_pylist()
    assert {2, 998, 1_000} == {int(path.name.split("-")[0]) for path in noted.iterdir()} - {0}
