"""Aggregates of aggregates as one real Spark query: parity with the in-process run, buckets, restarts, prods."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.spark.control_stream import send
from tests.spark.test_levels_call import by_window, plan, rows
from tests.spark.test_query import as_files, as_stream, run

pytestmark = pytest.mark.spark


def test_levels_run_in_one_query_that_goes_on_from_its_checkpoint(spark, tmp_path):
    table, early = rows(2_000), sw.Early(aggressiveness=0.25)
    local = plan(table, early=early, marker="what")
    folder, some = as_files(table, tmp_path / "all", files=2, shuffled=True), tmp_path / "in"
    some.mkdir()
    for number in range(2):
        (folder / f"{number:03}.parquet").rename(some / f"{number:03}.parquet")
        _, found = run(plan(as_stream(spark, some), early=early, marker="what"), tmp_path, drain=number == 1)
    results = found["results"].select(local.results.column_names)
    assert by_window(local.results.to_pylist()) == by_window(results.to_pylist())
    assert sorted(local.late["seq"].to_pylist()) == sorted(found["late"]["seq"].to_pylist())


def test_buckets_together_have_every_window_of_every_group(spark, tmp_path):
    table = rows(2_000).drop_columns(["what"])
    asked = {"by": ["line", "stop"], "size": "300 ms", "values": {"n": sw.count()}, "buckets": 3}

    def counts(frame):
        bus = sw.stream(frame, event_time="ts", unit="ms", arrival="seq", max_ahead=None)
        below = sw.aggregate(bus, contract=sw.FixedSlack("1 minute"), **asked)
        return sw.aggregate(below, by="line", size="2 seconds", values={"n": sw.sum("n")}, early=sw.Early())

    query = counts(as_stream(spark, as_files(table, tmp_path / "in", files=1)))
    run(query, tmp_path, drain=False)
    send(tmp_path / "control", "prod", where={"line": "a"})
    _, found = run(query, tmp_path)
    shown = [row for row in found["results"].to_pylist() if row["kind"] == "early"]
    assert {("a", 0)} == {(row["line"], row["revision"]) for row in shown}
    local = [(row["window"], row["line"], row["n"]) for row in counts(table).results.to_pylist()]
    finals = [row for row in found["results"].to_pylist() if row["kind"] == "final"]
    assert sorted(map(str, local)) == sorted(str((row["window"], row["line"], row["n"])) for row in finals)


def test_a_bounded_run_gives_what_a_run_in_process_gives(spark):
    table = rows(1_000)
    local, frame = plan(table, marker="what"), spark.createDataFrame(table)
    found = plan(frame, marker="what").results.toArrow()
    assert by_window(local.results.to_pylist()) == by_window(found.to_pylist())
