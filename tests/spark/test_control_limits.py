"""What a stranger may put into a control folder: it is refused and reported, and the query goes on. No Spark needed."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.pipeline.prod import Prod
from slackwater.spark.call import DECISIONS
from slackwater.spark.control_stream import PLAN, ControlRecord, ignored_words, read_record, read_records, send
from slackwater.time import MAX_TIME
from tests.spark.test_prods_call import SCHEMA, plan, run_calls

HOSTILE = {
    "too long": b'{"kind": "drain"}' + b" " * 5_000,
    "too long in its middle": b'{"kind": "drain", "x": "' + b"x" * 5_000 + b'"}',
    "deep lists": b'{"kind": "drain", "x": ' + b"[" * 2_000 + b"]" * 2_000 + b"}",
    "deep objects": b'{"a":' * 600 + b"1" + b"}" * 600,
    "no object": b'["kind"]',
    "a number": b"7",
    "nothing": b"",
    "no text": b"\xff\xfe\x00drain",
    "half a character as kind": b'{"kind": "\\ud800"}',
    "half a character as value": b'{"kind": "prod", "where": {"line": "\\udfff"}}',
    "a slack before all time": b'{"kind": "slack", "slack": 1, "at": -%d}' % 10**30,
    "a slack after all time": b'{"kind": "slack", "slack": 1, "at": %d}' % (MAX_TIME + 1),
    "a slack that is negative": b'{"kind": "slack", "slack": -1, "at": 0}',
    "a slack that is true": b'{"kind": "slack", "slack": true, "at": 0}',
    "a slack in digits": b'{"kind": "slack", "slack": "1", "at": 0}',
    "a prod after all time": b'{"kind": "prod", "until": %d}' % 10**25,
    "a prod for a list": b'{"kind": "prod", "where": ["line"]}',
    "a pickle": b"\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_record_that_makes_no_sense_is_unreadable(body):
    assert ControlRecord("unreadable") == read_record(body)


def test_a_record_may_be_as_long_as_the_limit():
    body = b'{"kind": "drain"}'
    assert "drain" == read_record(body + b" " * (4_096 - len(body))).kind


def test_records_beyond_the_limit_of_a_batch_are_refused_together():
    records = read_records([b'{"kind": "prod"}'] * 1_000_000)
    assert (1_001, "999,000 records beyond 1,000 of a batch") == (len(records), records[-1].kind)


def test_which_records_are_refused_does_not_depend_on_their_order():
    bodies = [json.dumps({"kind": "prod", "until": number}).encode() for number in range(1_500)]
    assert read_records(bodies) == read_records(bodies[::-1])


def test_a_record_that_is_null_is_unreadable():
    assert [ControlRecord("unreadable")] == read_records([None])


def test_reports_of_ignored_records_are_few_and_short():
    words = ignored_words([ControlRecord("x\x1b[31m" * 500)] * 250, ["drain"])
    assert (101, "ignored: 150 more", True) == (len(words), words[-1], all(map(str.isprintable, words)))


NOBODY = [[], {}, [[[1]]], "x" * 4_000, 10**40, 1e308, float("nan"), True, None, {"line": {"line": 1}}]


@pytest.mark.parametrize("value", NOBODY, ids=lambda value: repr(value)[:20])
def test_a_prod_for_a_value_of_any_type_does_not_end_the_query(value):
    table = pa.table([[10], [0], ["a"], [1], [None]], schema=SCHEMA)
    found, _ = run_calls(plan(table, early=sw.Early()).node, [table], asked=[Prod(None, {"line": value})])
    assert [("prod", 0)] == [(row["operator"], row["results"]) for row in found[DECISIONS] if row["operator"] == "prod"]


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 50_000, '{"early": 1, "by": null}'])
def test_a_description_that_cannot_be_read_does_not_keep_one_from_sending(tmp_path, text):
    (tmp_path / PLAN).write_text(text)
    send(tmp_path, "prod")
    assert 1 == len([path for path in tmp_path.iterdir() if path.name != PLAN])


def test_a_name_with_a_path_in_it_stays_a_value(tmp_path):
    folder = tmp_path / "control"
    send(folder, "prod", where={"../../line": "../../etc/passwd"})
    assert [folder] == list(tmp_path.iterdir())
