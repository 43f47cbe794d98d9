"""A join or merge and an aggregate of its results as one real Spark query: parity, restarts, buckets, a deadline."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.time import Duration
from tests.spark.test_join_query import as_streams, by_stream, streams_of, tables, write_files
from tests.spark.test_prods_call import by_window
from tests.spark.test_query import run

pytestmark = pytest.mark.spark
__all__ = ["tables"]
TIGHT = sw.Deadline("1 second", latency="980 ms", adaptation_interval="100 ms")


def counts(frames, contract, *, by="bus.key", buckets=1, early=None):
    first = sw.join(*streams_of(frames), on="key", within="50 ms", contract=contract, buckets=buckets)
    values = {"n": sw.count(), "last": sw.max("scats.seq")}
    return sw.aggregate(first, by=by, size="500 ms", slide="100 ms", values=values, early=early)


def rows(results, local):
    return by_window(results.select(local.results.column_names).to_pylist())


def test_a_chain_is_one_query_that_goes_on_from_its_checkpoint(spark, tmp_path, tables):
    two, early = tables[:2], sw.Early(aggressiveness=0.5)
    contract = sw.MaxSlack(cap="100 ms", adaptation_interval="100 ms")
    local = counts(two, contract, early=early)
    for number in range(2):
        write_files(two, tmp_path, [number])
        query, found = run(counts(as_streams(spark, tmp_path, 2), contract, early=early), tmp_path, drain=number == 1)
    assert rows(local.results, local) == rows(found["results"], local)
    assert by_stream(local.late) == by_stream(found["late"])
    columns = ["operator", "stream", "at", "slack", "arrived", "released", "late", "buffered", "results"]
    said = [sorted(map(str, each.select(columns).to_pylist())) for each in (local.decisions, found["decisions"])]
    assert said[0] == said[1]
    assert 1 == len(query.lastProgress["stateOperators"])


def test_buckets_by_the_key_have_every_window_of_every_group(spark, tmp_path, tables):
    two, contract = tables[:2], sw.FixedSlack("10 seconds")
    write_files(two, tmp_path, [0, 1])
    frames = as_streams(spark, tmp_path, 2)
    _, found = run(counts(frames, contract, by="scats.key", buckets=3), tmp_path)
    local = counts(two, contract, by="scats.key")
    assert rows(local.results, local) == rows(found["results"], local)
    with pytest.raises(ParameterError, match="buckets must be 1 where the join's buckets do not keep groups"):
        counts(frames, contract, by="bus.seq", buckets=3)


def test_one_deadline_is_spent_once_and_levels_may_follow(spark, tmp_path, tables):
    alike = [table.set_column(2, "key", table["key"].cast(pa.int64())) for table in tables]

    def busiest(frames):
        merged = sw.merge(*streams_of(frames), contract=TIGHT)
        each = sw.aggregate(merged, by=["stream", "key"], size="200 ms", values={"n": sw.count()})
        return sw.aggregate(each, by="stream", size="1 second", values={"most": sw.max("n"), "keys": sw.count()})

    write_files(alike, tmp_path, [0, 1])
    query = busiest(as_streams(spark, tmp_path))
    shared = sw.shared_deadline(sw.Deadline("8 seconds"), "busiest", "alerts", folder=tmp_path / "shared")
    assert Duration.of("3.02 seconds") == shared._sharing("busiest", query).node.contract.left
    _, found = run(query, tmp_path)
    local = busiest(alike)
    assert rows(local.results, local) == rows(found["results"], local)
    waited = [row["slack"] for row in found["decisions"].to_pylist() if row["operator"] == "aggregate"]
    assert {0} == set(waited)


def test_a_bounded_chain_gives_what_a_run_in_process_gives(spark, tables):
    two, contract = tables[:2], sw.FixedSlack("50 ms")
    found = counts([spark.createDataFrame(table) for table in two], contract)
    local = counts(two, contract)
    assert rows(local.results, local) == rows(found.results.toArrow(), local)
    assert local.late.num_rows == found.late.count()
