"""The documents' own query texts run as they are printed, and give what the documents say (shared EXAMPLES)."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw
from tests.sql import corpus
from tests.sql.conftest import stream

NAMES = ["Alice", "Bob", "Carol", "Dave"]
SENSOR_ONE = {
    "Timestamp": [1, 2, 3, 5],
    "ItemID": ["0199", "0200", "0201", "0200"],
    "Name": ["Alice", "Bob", "Carol", "Dave"],
}
SENSOR_TWO = {"Timestamp": [1, 2, 4], "ItemID": ["0200", "0199", "0201"], "Order": ["Coke", "Burger", "Burger"]}
TRAFFIC = {
    "ts": [211, 215, 216, 230, 235, 234, 245],
    "sensor_id": [1, 1, 2, 2, 1, 2, 1],
    "volume": [25, 20, 30, 20, 35, 20, 25],
}


def sensors() -> dict[str, sw.Stream]:
    return {"SensorOne": stream("Timestamp", **SENSOR_ONE), "SensorTwo": stream("Timestamp", **SENSOR_TWO)}


def windows(output) -> list[tuple]:
    """Return the results of an aggregate as (second of the end, other columns)."""
    return [(int(row.pop("window")["end"].timestamp()), *row.values()) for row in output.results.to_pylist()]


def test_sun15_fig_1_1_joins_what_is_in_the_windows_together():
    found = sw.sql(corpus.SUN15, **sensors(), contract=sw.NoSlack()).results
    expected = {(2, "0199", "Alice", "Burger"), (2, "0200", "Bob", "Coke"), (4, "0201", "Carol", "Burger")}
    assert expected == {tuple(row.values()) for row in found.to_pylist()}


def test_columns_of_sun15_are_named_as_the_query_says():
    found = sw.sql(corpus.SUN15, **sensors(), contract=sw.NoSlack()).results
    assert ["Timestamp", "ItemID", "Name", "Order"] == found.column_names


def test_sun15s_experiment_tells_columns_of_one_name_apart():
    streams = {
        "StreamA": stream("Timestamp", unit="ms", Timestamp=[1000, 2000], Value=[1, 2]),
        "StreamB": stream("Timestamp", unit="ms", Timestamp=[1500, 9000], Value=[3, 4]),
    }
    found = sw.sql(corpus.SUN15_EXPERIMENT, **streams, contract=sw.MaxSlack()).results
    assert [(1500, 1, 3), (2000, 2, 3)] == [tuple(row.values()) for row in found.to_pylist()]
    assert ["Timestamp", "A_Value", "B_Value"] == found.column_names


def test_keep_leaves_the_older_end_of_the_window_out():
    streams = {"A": stream(ts=[0, 9]), "B": stream(ts=[3])}
    assert 0 == sw.sql("SELECT * FROM A KEEP 3 SECOND, B KEEP 3 SECOND WITH NO SLACK", **streams).results.num_rows


def test_ji16s_window_has_both_ends():
    streams = {"A": stream(ts=[0, 9]), "B": stream(ts=[3])}
    assert 1 == sw.sql("SELECT * FROM A [3 SEC], B [3 SEC] WITH NO SLACK", **streams).results.num_rows


def test_ji16_joins_players_that_are_near_each_other():
    players = {"ts": [1, 2], "xCoord": [0.0, 50.0], "yCoord": [0.0, 0.0]}
    others = {"ts": [1, 2], "xCoord": [3.0, 40.0], "yCoord": [3.9, 0.0]}
    output = sw.sql(corpus.JI16_DISTANCE, S1=stream(**players), S2=stream(**others), contract=sw.Recall(0.99))
    assert [(0.0, 3.0)] == [(row["S1"]["xCoord"], row["S2"]["xCoord"]) for row in output.results.to_pylist()]


@pytest.mark.parametrize(("text", "streams"), [(corpus.JI16_THREE, 3), (corpus.JI16_FOUR, 4)])
def test_ji16_joins_three_and_four_streams(text, streams):
    rows = {"ts": [1, 2], "a1": [1, 2], "a2": [1, 2], "a3": [1, 2]}
    given = {f"S{number}": stream(**rows) for number in range(1, streams + 1)}
    assert 2 == sw.sql(text, **given, contract=sw.Recall(0.99)).results.num_rows


def test_kims_window_moves_with_every_row():
    output = sw.sql(corpus.KIM_PLAIN, Sensors=stream(ts=[1, 20, 31, 40], value=[9, 5, 7, 3]), contract=sw.NoSlack())
    assert [(1, 9), (20, 9), (31, 7), (40, 7)] == [tuple(row.values()) for row in output.results.to_pylist()]


def test_kims_dratio_is_the_contract():
    output = sw.sql(corpus.KIM, Sensors=stream(ts=[1, 20, 31], value=[9, 5, 7]))
    assert sw.DropRatio(0.01) == output.plan.node.contract


def test_prod_fig_2_3_sums_by_sensor():
    found = windows(sw.sql(corpus.PROD_GROUPS, S=stream(**TRAFFIC), contract=sw.FixedSlack("1 minute")))
    assert [(220, 1, 45), (220, 2, 30), (240, 1, 80), (240, 2, 70)] == found[:4]


def test_prods_numbers_without_a_unit_have_that_of_the_stream():
    rows = {"ts": [11, 23, 32, 45, 52], "volume": [40, 20, 30, 20, 26]}
    assert [(50, 110), (100, 26)] == windows(sw.sql(corpus.PROD_TICKS, S=stream(**rows), contract=sw.NoSlack()))


@pytest.mark.parametrize(("text", "column"), [(corpus.PROD, "volume"), (corpus.PROD_EQUALS, "speed")])
def test_prods_windows_slide(text, column):
    output = sw.sql(text, S=stream(ts=list(range(0, 1200, 20)), **{column: [1] * 60}), contract=sw.NoSlack())
    assert output.plan.node.panes.slide < output.plan.node.panes.size


def test_punctuations_close_prods_windows():
    rows = {"ts": [211, 215, 240, 235], "volume": [25, 20, None, 99], "what": [None, None, "punctuation", None]}
    marked = sw.stream(pa.table(rows), event_time="ts", unit="s", marker="what")
    output = sw.sql(
        "SELECT sum(volume) AS s FROM S [RANGE 20 s, SLIDE 20 s] WHERE volume > 0 WITH PUNCTUATIONS", S=marked
    )
    assert [(220, 45)] == windows(output)[:1]
    assert ["punctuation"] == output.late["reason"].to_pylist()
