"""Outputs that buckets write themselves: one step gives a batch its place, and nothing else has one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.errors import QueryError
from slackwater.spark.call import DECISIONS, RESULTS
from slackwater.spark.packets import to_bytes
from slackwater.spark.staged import SMALL, Output, Staging, is_plain

SCHEMA = pa.schema([("n", pa.int64())])


def body(*numbers: int) -> bytes:
    return to_bytes(pa.table({"n": pa.array(numbers, pa.int64())}))


def packet(kind: int, *numbers: int) -> dict[str, object]:
    return {"kind": kind, "bucket": 3, "body": body(*numbers)}


@pytest.fixture
def output(tmp_path) -> Output:
    return Output(str(tmp_path), SCHEMA, "snappy")


def rows(folder, batch: int) -> list[int]:
    return pq.read_table(folder / f"batch={batch}", partitioning=None)["n"].to_pylist()


def test_a_batch_has_staged_files_and_what_buckets_sent_along(output, tmp_path):
    output.commit(7, [output.stage(0, [body(1, 2), body(3)])], [body(4), body(5)])
    assert [1, 2, 3, 4, 5] == sorted(rows(tmp_path, 7))


def test_rows_of_a_file_keep_their_order(output, tmp_path):
    output.commit(0, [], [body(3), body(1, 2)])
    assert [3, 1, 2] == rows(tmp_path, 0)


def test_a_replay_replaces_the_batch(output, tmp_path):
    output.commit(0, [output.stage(0, [body(1)])], [])
    output.commit(0, [output.stage(0, [body(2)])], [])
    assert [2] == rows(tmp_path, 0)


def test_a_batch_without_rows_still_has_its_columns(output, tmp_path):
    output.commit(0, [], [])
    assert SCHEMA == pq.read_table(tmp_path / "batch=0", partitioning=None).schema


def test_what_was_staged_and_not_committed_is_in_no_batch(output, tmp_path):
    output.stage(0, [body(1)])
    output.commit(0, [], [body(2)])
    assert [tmp_path / "batch=0"] == [path for path in tmp_path.iterdir() if path.name != "_staged"]
    assert [2] == rows(tmp_path, 0)


def test_leftovers_of_an_earlier_run_are_removed(output, tmp_path):
    output.stage(0, [body(1)])
    Staging({RESULTS: output}).clear()
    assert [] == list(tmp_path.iterdir())


def test_a_file_that_the_driver_does_not_see_is_an_error_and_no_loss(output):
    with pytest.raises(QueryError, match="does not find part-9"):
        output.commit(0, ["part-9"], [])


def test_a_small_output_is_sent_along(output):
    assert [packet(RESULTS, 1)] == list(Staging({RESULTS: output}).packets(3, [packet(RESULTS, 1)]))


def test_a_large_output_is_staged_as_one_file_and_the_others_are_sent(output, tmp_path):
    many = range(SMALL // 8)
    sent = list(
        Staging({RESULTS: output}).packets(3, [packet(RESULTS, 9), packet(DECISIONS, 1), packet(RESULTS, *many)])
    )
    assert [packet(DECISIONS, 1)] == sent[:1]
    output.commit(0, [sent[1]["file"].decode()], [])
    assert [9, *many] == rows(tmp_path, 0)


def test_kinds_that_spark_writes_are_left_alone(output):
    packets = [packet(DECISIONS, *range(SMALL))]
    assert packets == list(Staging({RESULTS: output}).packets(3, packets))


@pytest.mark.parametrize("kind", [pa.null(), pa.duration("us"), pa.month_day_nano_interval(), pa.list_(pa.null())])
def test_columns_that_spark_would_read_as_something_else_are_not_plain(kind):
    assert not is_plain(kind)
