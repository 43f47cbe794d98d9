"""A short form of `make load`: every shape in process, small; and one on Spark."""

from __future__ import annotations

import pyarrow.compute as pc
import pytest

from tests.load.shaped import run_shape
from tests.load.shapes import DAY, IN_PROCESS, ON_SPARK, SHAPES

ROWS = 4_000
RUNS = [(name, query) for name, shape in SHAPES.items() for query in shape.queries]


@pytest.mark.parametrize(("name", "query"), RUNS, ids=[f"{name}-{query}" for name, query in RUNS])
def test_a_stream_that_nobody_wishes_for_loses_nothing(tmp_path, name, query):
    found = run_shape(name, query, IN_PROCESS, tmp_path / "run", rows=ROWS)
    assert found.is_good, found
    assert ROWS == found.verdict.arrived


def test_rows_of_a_clock_that_is_days_ahead_are_late_as_future(tmp_path):
    rows = SHAPES["a clock three days ahead"].make(ROWS)
    ahead = pc.sum(pc.greater(pc.subtract(rows["ts"], rows["at"]), DAY)).as_py()
    found = run_shape("a clock three days ahead", "reorder", IN_PROCESS, tmp_path / "run", rows=ROWS)
    assert ahead > 100
    assert ahead == found.reasons["future"]


@pytest.mark.spark
def test_an_hour_of_silence_and_then_a_burst_loses_nothing_on_spark(spark, tmp_path):
    name, folder = "silence of an hour, then a burst", tmp_path / "run"
    found = run_shape(name, "merge", ON_SPARK, folder, rows=ROWS, spark=spark, files=2)
    assert found.is_good, found
