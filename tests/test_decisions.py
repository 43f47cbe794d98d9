"""The schema of decisions: what other things rely on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from slackwater.decisions import DECISIONS, decisions_table

NAMES = [
    *("operator", "stream", "bucket", "at", "slack", "target", "estimated", "measured", "max_delay"),
    *("arrived", "buffered", "released", "late", "results", "slack_ready", "ruled", "took_us"),
]


def test_the_columns_are_those_of_the_design():
    assert NAMES == DECISIONS.names


def test_the_time_of_a_decision_is_a_timestamp_in_utc():
    assert pa.timestamp("us", tz="UTC") == DECISIONS.field("at").type


def test_durations_and_counts_are_integers():
    integers = {"slack", "max_delay", "arrived", "buffered", "released", "late", "results", "slack_ready", "took_us"}
    assert integers == {field.name for field in DECISIONS if field.type == pa.int64()}


def test_a_single_value_holds_for_every_row():
    assert ["reorder", "reorder"] == decisions_table({"operator": "reorder"}, 2)["operator"].to_pylist()


def test_what_is_not_given_is_null():
    assert [None, None] == decisions_table({"slack": [1, 2]}, 2)["measured"].to_pylist()


def test_columns_of_numpy_become_columns_of_the_schema():
    table = decisions_table({"at": np.array([0, 1_000_000])}, 2)
    assert (DECISIONS, [0, 1_000_000]) == (table.schema, table["at"].cast(pa.int64()).to_pylist())


def test_no_decisions_have_the_schema_too():
    assert (0, DECISIONS) == ((empty := decisions_table({"operator": "reorder"}, 0)).num_rows, empty.schema)
