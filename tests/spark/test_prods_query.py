"""Early results as a real Spark query: parity with the in-process run, prods on demand, marks for all buckets."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.spark.control_stream import send
from tests.spark.test_prods_call import by_window, marked, plan
from tests.spark.test_query import as_files, as_stream, run

pytestmark = pytest.mark.spark


def test_early_and_final_results_are_those_of_a_run_in_process(spark, tmp_path):
    table = marked(2_000)
    local = plan(table, early=sw.Early(aggressiveness=0.25))
    stream = as_stream(spark, as_files(table, tmp_path / "in", files=3, shuffled=True))
    _, found = run(plan(stream, early=sw.Early(aggressiveness=0.25)), tmp_path)
    assert by_window(local.results.to_pylist()) == by_window(
        found["results"].select(local.results.column_names).to_pylist()
    )
    assert sorted(local.late["seq"].to_pylist()) == sorted(found["late"]["seq"].to_pylist())


def test_a_prod_on_demand_reaches_every_bucket(spark, tmp_path):
    rows = pa.table({"ts": [1, 2, 3], "line": ["a", "b", "c"]})
    stream = sw.stream(as_stream(spark, as_files(rows, tmp_path / "in", files=1)), event_time="ts", unit="s")
    asked = {"by": "line", "size": "10 seconds", "values": {"n": sw.count()}, "buckets": 3}
    out = sw.aggregate(stream, contract=sw.FixedSlack("1 hour"), early=sw.Early(), **asked)
    run(out, tmp_path, drain=False)
    with pytest.raises(ParameterError, match="where must be a column that the aggregate is grouped by"):
        send(tmp_path / "control", "prod", where={"lin": "a"})
    send(tmp_path / "control", "prod", until=10_000_000)
    _, found = run(out, tmp_path, drain=False)
    rows = [(row["line"], row["kind"], row["revision"]) for row in found["results"].to_pylist()]
    assert [(line, "early", 0) for line in "abc"] == sorted(rows)


def test_a_punctuation_for_all_groups_reaches_every_bucket(spark, tmp_path):
    rows = pa.table(
        {"ts": [1, 2, 3, 10], "line": ["a", "b", "c", None], "seq": range(4), "what": [None, None, None, "punctuation"]}
    )
    frame = spark.createDataFrame(rows)
    stream = sw.stream(frame, event_time="ts", unit="s", arrival="seq", marker="what", max_ahead=None)
    asked = {"by": "line", "size": "10 seconds", "values": {"n": sw.count()}, "buckets": 3}
    out = sw.aggregate(stream, contract=sw.Punctuated(), **asked).results.toArrow()
    assert ["a", "b", "c"] == sorted(out["line"].to_pylist())
