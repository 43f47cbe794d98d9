"""Packets on their way to buckets."""

from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.spark import packets
from slackwater.spark.packets import FILLER, packer, packets_in, tables_of

SCHEMA = pa.schema([("ts", pa.int64()), ("__slackwater_bucket", pa.int32())])
OWN = SCHEMA.remove(1)
ROWS = pa.table({"ts": [5, 3, 4, 1], "__slackwater_bucket": [1, 0, 1, 0]}, schema=SCHEMA)


@pytest.fixture
def a_filler_for_each_hundred_bytes(monkeypatch):
    monkeypatch.setattr(packets, "fillers_of_bytes", lambda: 100)


def packed(table=ROWS, bucket="__slackwater_bucket"):
    return list(packer(OWN, bucket)(iter(table.to_batches())))


def test_rows_go_to_their_buckets_in_the_order_in_which_they_came():
    frames = [batch.to_pandas() for batch in packed()]
    assert [0, 1] == [int(frame["bucket"][0]) for frame in frames]
    assert [[3, 1], [5, 4]] == [tables_of(packets_in([frame]), [OWN])[0]["ts"].to_pylist() for frame in frames]


def test_many_buckets_keep_their_numbers():
    table = pa.table({"ts": [1, 2, 3], "__slackwater_bucket": [40_000, 7, 40_000]}, schema=SCHEMA)
    assert [7, 40_000] == [batch["bucket"][0].as_py() for batch in packed(table)]


def test_no_packet_has_fillers_where_spark_counts_bytes_itself():
    assert [1, 1] == [batch.num_rows for batch in packed()]


def test_a_packet_has_fillers_for_its_bytes(a_filler_for_each_hundred_bytes):
    for batch in packed():
        assert batch.num_rows == 1 + len(batch["body"][0].as_py()) // 100 > 1
        assert {FILLER} == set(batch["kind"].to_pylist()[1:])


def test_fillers_say_nothing(a_filler_for_each_hundred_bytes):
    frames = [batch.to_pandas() for batch in packed()]
    assert [[5, 4]] == [tables_of(packets_in(frames[1:]), [OWN])[0]["ts"].to_pylist()]
    assert 2 == len(packets_in(frames))
