"""A batch that comes again has the rows that it had, or is refused; no session is needed."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.errors import ReplayError
from slackwater.plan.nodes import streams_of
from slackwater.spark.given import fingerprint
from slackwater.spark.replayed import InputCheck, noted_logs

TABLE = pa.table({"ts": [5, 3, 4], "seq": [0, 1, 2], "value": ["a", "b", None]})


def given(*tables: pa.Table, arrival: str | None = "seq") -> bytes:
    """What one bucket of a merge says of its rows."""
    streams = [
        sw.stream(table, name=name, event_time="ts", unit="ms", arrival=arrival)
        for name, table in zip("ab", tables, strict=True)
    ]
    return fingerprint(streams_of(sw.merge(*streams, contract=sw.NoSlack()).node), tables)


@pytest.fixture
def check(tmp_path):
    """The check of a query whose batch 7 was given rows and did not end."""
    (tmp_path / "offsets").mkdir()
    check = InputCheck(("a", "b"), tmp_path)
    check.on_batch([given(TABLE, TABLE)], 7)
    return check


def test_the_same_rows_in_another_order_and_in_more_buckets_are_the_same(check):
    turned = TABLE.take([2, 0, 1])
    check.on_batch([given(turned[:1], TABLE), given(turned[1:], TABLE[:0])], 7)


def test_a_row_less_is_noticed_and_named(check):
    with pytest.raises(ReplayError, match=r"batch 7 .* before a 3, b 3, now a 3, b 2; .* delete .*input\.json"):
        check.on_batch([given(TABLE, TABLE[:2])], 7)


@pytest.mark.parametrize("column", ["ts", "seq"])
def test_another_event_time_or_arrival_is_noticed(check, column):
    changed = TABLE.set_column(TABLE.column_names.index(column), column, pa.array([5, 3, 9]))
    with pytest.raises(ReplayError, match="as many, but with other event times or arrivals"):
        check.on_batch([given(TABLE, changed)], 7)


def test_times_that_change_places_with_arrivals_are_noticed():
    swapped = TABLE.set_column(1, "seq", TABLE["seq"].take([1, 0, 2]))
    assert given(TABLE, TABLE) != given(TABLE, swapped)


def test_rows_that_change_streams_are_noticed(check):
    with pytest.raises(ReplayError):
        check.on_batch([given(TABLE[:2], pa.concat_tables([TABLE, TABLE[2:]]))], 7)


def test_the_next_batch_has_rows_of_its_own(check):
    check.on_batch([given(TABLE[:1], TABLE[:1])], 8)
    with pytest.raises(ReplayError):
        check.on_batch([given(TABLE, TABLE)], 8)


def test_what_is_refused_is_accepted_once_the_file_is_deleted(check):
    other = [given(TABLE, TABLE[:1])]
    with pytest.raises(ReplayError) as caught:
        check.on_batch(other, 7)
    (check.checkpoint / "slackwater" / "input.json").unlink()
    assert caught.value.file == str(check.checkpoint / "slackwater" / "input.json")
    check.on_batch(other, 7)


DAMAGED = {
    "no JSON": "{",
    "no object": "[]",
    "too deep": "[" * 9_999,
    "a number for a list of rows": '{"batch": 7, "rows": 5, "sums": [1, 2], "logs": []}',
    "words for rows": '{"batch": 7, "rows": ["3", "3"], "sums": [1, 2], "logs": []}',
    "rows of fewer streams": '{"batch": 7, "rows": [3], "sums": [1], "logs": []}',
    "no logs at all": '{"batch": 7, "rows": [3, 3], "sums": [1, 2], "logs": null}',
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_not_in_the_way(check, text):
    (check.checkpoint / "slackwater" / "input.json").write_text(text)
    assert [] == noted_logs(check.checkpoint)
    check.on_batch([given(TABLE, TABLE[:1])], 7)


def test_a_checkpoint_that_cannot_be_looked_into_is_not_checked():
    InputCheck(("a", "b"), "s3a://bucket/checkpoint").on_batch([given(TABLE, TABLE)], 7)
