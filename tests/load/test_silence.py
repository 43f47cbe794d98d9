"""A short form of the silence of an hour; and the rule for what must come out notices what it is for."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.load.rows import NAMES
from tests.load.shapes import IN_PROCESS, ON_SPARK
from tests.load.silence import run_silence
from tests.load.silent import SLACK, rule, silent_rows

ROWS = 12_000


@pytest.mark.parametrize("query", ["merge", "join"])
def test_without_patience_that_ends_all_that_follows_a_silent_stream_is_held_and_nothing_is_late(tmp_path, query):
    found = run_silence(query, IN_PROCESS, tmp_path / "run", None, rows=ROWS)
    assert found.is_good, found
    assert found.held > ROWS // 3
    assert 0 == found.verdict.late


@pytest.mark.parametrize("query", ["merge", "join"])
def test_with_patience_that_ends_the_rest_goes_on_and_what_comes_behind_it_is_late(tmp_path, query):
    found = run_silence(query, IN_PROCESS, tmp_path / "run", "10 minutes", rows=ROWS)
    assert found.is_good, found
    assert found.held < ROWS // 100
    assert found.verdict.late > ROWS // 4


@pytest.fixture
def waited(tmp_path):
    """What a merge that waits must have written by the end of the silence, and by its own end."""
    phases = silent_rows(ROWS)
    rows = pa.concat_tables(phases.values())
    for stream, name in enumerate(NAMES):
        place = tmp_path / "in" / name
        place.mkdir(parents=True)
        pq.write_table(rows.filter(pa.compute.field("stream") == stream), place / "0.parquet")
    burst = int(phases["burst"]["seq"][0].as_py())
    early = [row for row in rows.to_pylist() if row["seq"] < burst]
    clock = max(row["ts"] for row in early if row["stream"] == 1)
    limit = max(row["ts"] for row in early if row["stream"] == 1 and row["ts"] <= clock - SLACK)
    out = [row for row in early if row["ts"] <= limit]
    return tmp_path, burst, out, [row for row in early if row["ts"] > limit]


def ruled(folder, burst, out, late=()):
    schema = pa.schema([("seq", pa.int64())])
    for output, rows in (("results", out), ("late", late)):
        (folder / output / "batch=0").mkdir(parents=True)
        table = pa.Table.from_pylist([{"seq": row["seq"]} for row in rows], schema)
        pq.write_table(table, folder / output / "batch=0" / "part-0.parquet")
    return rule("merge", folder, waits=True, burst=burst, batch=0)


def test_what_follows_the_rule_is_good(waited):
    folder, burst, out, held = waited
    found = ruled(folder, burst, out)
    assert found.is_good, found
    assert len(held) == found.must_hold


def test_a_row_that_left_too_early_or_stayed_too_long_or_was_late_is_noticed(waited):
    folder, burst, out, held = waited
    found = ruled(folder, burst, [*out[1:], held[0]], late=held[1:3])
    assert (1, 1, 2) == (found.too_early, found.too_long, found.misjudged)


@pytest.mark.spark
def test_a_merge_on_spark_goes_on_without_a_silent_stream(spark, tmp_path):
    found = run_silence("merge", ON_SPARK, tmp_path / "run", "3 seconds", rows=ROWS, spark=spark)
    assert found.is_good, found
