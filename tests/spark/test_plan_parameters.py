"""Every change that buckets would refuse is named by a parameter; no session is needed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.spark.call import identity_of
from slackwater.spark.join_call import identity_of_join
from slackwater.spark.merge_call import identity_of_merge
from slackwater.spark.plan_file import changed
from slackwater.spark.plan_parameters import parameters_of
from slackwater.spark.stored_aggregate import identity_of_aggregate

TABLE = pa.table({"ts": pa.array([], pa.int64()), "seq": pa.array([], pa.int64()), "key": pa.array([], pa.int64())})
SLACK = sw.FixedSlack("1 second")
LONGER = TABLE.append_column("more", pa.array([], pa.string()))
COUNT = {"n": sw.count()}


def stream(name: str = "a", table: pa.Table = TABLE, **options: Any) -> sw.Stream:
    return sw.stream(table, name=name, **{"event_time": "ts", "unit": "ms", "arrival": "seq", **options})


def reorder(table: pa.Table = TABLE, *, given: dict[str, Any] | None = None, **options: Any) -> Any:
    return sw.reorder(stream(table=table, **(given or {})), contract=SLACK, **options)


def join(*tables: pa.Table, **options: Any) -> Any:
    streams = [stream(name, table) for name, table in zip("ab", tables or (TABLE, TABLE), strict=True)]
    return sw.join(*streams, contract=SLACK, **{"on": "key", "within": "2 seconds", **options})


def merge(**options: Any) -> Any:
    return sw.merge(stream("a"), stream("b"), contract=SLACK, **options)


def aggregate(**options: Any) -> Any:
    return sw.aggregate(stream(), contract=SLACK, **{"by": "key", "size": "2 seconds", "values": COUNT, **options})


def tower(size: str = "4 seconds") -> Any:
    return sw.aggregate(aggregate(), by="key", size=size, values={"n": sw.sum("n")})


CHANGES = [
    (reorder(), reorder(given={"unit": "s"}), {"event_time of a": ("ts in ms", "ts in s")}),
    (reorder(), reorder(given={"arrival": None}), {"arrival of a": ("seq", "none")}),
    (reorder(), reorder(LONGER), {"column 4 of a": ("none", "more string")}),
    (reorder(by="key", buckets=2), reorder(by="key", buckets=4), {"buckets": ("2", "4")}),
    (reorder(by="key", buckets=1), reorder(), {"by": ("key", "none")}),
    (join(), join(within={"a": "2 seconds", "b": "3 seconds"}), {"within of b": ("2 seconds", "3 seconds")}),
    (join(), join(on=None, where="a.key < b.key"), {"condition": ("a.key = b.key", "a.key < b.key")}),
    (join(buckets=2), join(buckets=4), {"buckets": ("2", "4")}),
    (join(), join(TABLE, LONGER), {"column 4 of b": ("none", "more string")}),
    (merge(), merge(release="clock"), {"release": ("arrival", "clock")}),
    (merge(by="key", buckets=2), merge(by="key", buckets=4), {"buckets": ("2", "4")}),
    (aggregate(), aggregate(size="3 seconds", slide="2 seconds"), {"size": ("2 seconds", "3 seconds")}),
    (aggregate(), aggregate(values={"n": sw.sum("seq")}), {"value n": ("count()", "sum(seq)")}),
    (aggregate(buckets=2), aggregate(buckets=4), {"buckets": ("2", "4")}),
    (aggregate(), aggregate(early=sw.Early()), {"early": ("none", "given, compared with final ones")}),
    (
        tower(),
        tower("8 seconds"),
        {"size of level 2": ("4 seconds", "8 seconds"), "slide of level 2": ("4 seconds", "8 seconds")},
    ),
]


@pytest.mark.parametrize(
    ("before", "now", "expected"), CHANGES, ids=lambda each: str(list(each))[:40] if isinstance(each, dict) else ""
)
def test_a_change_that_buckets_refuse_is_named(before, now, expected):
    assert identity(before) != identity(now)
    assert expected == changed(parameters(before), parameters(now))


@pytest.mark.parametrize("make", [reorder, join, merge, aggregate, tower])
def test_the_contract_is_no_part_of_it(make, monkeypatch):
    before = make()
    monkeypatch.setitem(globals(), "SLACK", sw.MaxSlack(cap="1 minute"))
    assert before.node.contract != make().node.contract
    assert identity(before) == identity(make())
    assert {} == changed(parameters(before), parameters(make()))


def schemas(plan: Any) -> list[pa.Schema]:
    return [table.schema for table in getattr(plan, "tables", None) or [plan.table]]


def parameters(plan: Any) -> dict[str, str]:
    return parameters_of(plan.node, schemas(plan))


def identity(plan: Any) -> str:
    of = {"join": identity_of_join, "merge": identity_of_merge}
    if plan.node.operator in of:
        return of[plan.node.operator](plan.node, schemas(plan))
    of_one = identity_of_aggregate if plan.node.operator == "aggregate" else identity_of
    return of_one(plan.node, schemas(plan)[0])
