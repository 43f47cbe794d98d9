"""What consumers of early results keep."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ParameterError

ROWS = pa.table({"ts": [1, 8, 9, 12, 19, 30], "line": ["a", "b", "a", "a", "b", "a"]})


def early_results(**options) -> pa.Table:
    stream = sw.stream(ROWS, event_time="ts", unit="s")
    contract, early = sw.FixedSlack("5 seconds"), sw.Early(aggressiveness=0.25, estimate="raw")
    values = {"n": sw.count()}
    return sw.aggregate(stream, size="10 seconds", values=values, contract=contract, early=early, **options).results


def counts(results: pa.Table) -> list[tuple[int, str, int]]:
    return sorted((row["window"]["end"].second, row["line"], row["n"]) for row in results.to_pylist())


LAST = [(10, "a", 2), (10, "b", 1), (20, "a", 1), (20, "b", 1), (40, "a", 1)]


def test_the_groups_of_a_table_are_known_without_being_named():
    assert LAST == counts(sw.last_revision(early_results(by="line")))


def test_the_groups_are_known_of_a_file_too(tmp_path):
    pq.write_table(early_results(by="line"), tmp_path / "results.parquet")
    assert LAST == counts(sw.last_revision(pq.read_table(tmp_path / "results.parquet")))


def test_the_groups_of_a_pandas_frame_can_be_named():
    assert LAST == counts(sw.last_revision(early_results(by="line").to_pandas(), by="line"))


def test_a_frame_that_does_not_know_its_groups_is_not_guessed_at():
    with pytest.raises(ParameterError, match=r'by must say what the aggregate is grouped by.*by="line"'):
        sw.last_revision(early_results(by="line").to_pandas())


def test_groups_that_are_not_all_named_are_refused():
    with pytest.raises(ParameterError, match="by must name all columns that the aggregate is grouped by"):
        sw.last_revision(early_results(by="line"), by=())
