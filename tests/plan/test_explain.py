"""A plan in words."""

from __future__ import annotations

import pyarrow as pa

import slackwater as sw

TABLE = pa.table({"ts": pa.array([], pa.int64()), "line": pa.array([], pa.string()), "seq": pa.array([], pa.int64())})


def explained(contract: object, *, arrival=None, max_ahead="1 day", **options) -> str:
    bus = sw.stream(TABLE, name="bus", event_time="ts", unit="s", arrival=arrival, max_ahead=max_ahead)
    return sw.reorder(bus, contract=contract, **options).explain()


def test_a_plan_is_explained_line_by_line():
    assert [
        "reorder 'bus' by ts",
        "  arrival     rows as the engine delivers them",
        "  contract    FixedSlack(slack=2 seconds), cap none",
        "  controller  Fixed(slack=2 seconds), a decision every 1 second of event time",
        "  late        LatePolicy.side(); max_ahead 1 day",
        "  order       one over all rows",
        "  runs        in process over 0 rows",
    ] == explained(sw.FixedSlack("2 seconds")).splitlines()


def test_the_cap_is_explained():
    assert "contract    MaxSlack(), cap 30 seconds" in explained(sw.MaxSlack(cap="30 seconds"))


def test_a_named_controller_is_explained():
    controller = sw.control.Speculative(sw.control.MaxDelay(), alpha=0.5)
    assert "Speculative(inner=MaxDelay(), alpha=0.5)" in explained(sw.MaxSlack(controller=controller))


def test_the_arrival_column_is_explained():
    assert "rows in the order of seq" in explained(sw.NoSlack(), arrival="seq")


def test_without_keys_there_is_one_order():
    assert "order       one over all rows" in explained(sw.NoSlack())


def test_with_keys_each_has_its_own_clock():
    assert "order       per line, each with its own clock" in explained(sw.NoSlack(), by="line")


def test_a_guard_that_is_off_is_explained():
    assert "max_ahead off" in explained(sw.NoSlack(), max_ahead=None)
