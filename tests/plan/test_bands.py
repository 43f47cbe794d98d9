"""Which conditions keep two columns near each other."""

from __future__ import annotations

import pyarrow as pa
import pytest

from slackwater.plan.condition import analyze_condition

SCHEMA = pa.schema([("x", pa.float64()), ("y", pa.float64()), ("place", pa.struct([("x", pa.float64())]))])


def bands(where: str, streams: str = "ab") -> list[tuple[str, float, float, float]]:
    """(columns, ratio, center, half) of each band."""
    found = analyze_condition(None, where, [(name, SCHEMA) for name in streams]).bands
    names = ["-".join(f"{streams[c.stream]}.{c.column}" for c in band.columns) for band in found]
    return [(name, band.ratio, band.center, band.half) for name, band in zip(names, found, strict=True)]


@pytest.mark.parametrize(
    "where",
    [
        "abs(a.x - b.x) < 5",
        "5 >= abs(b.x - a.x)",
        "a.x between b.x - 5 and b.x + 5",
        "a.x - b.x between -5 and 5",
        "a.x - b.x <= 5 and b.x - a.x <= 5",
        "a.x < b.x + 5 and a.x > b.x - 5",
        "(a.x - b.x) ^ 2 < 25",
        "sqrt((a.x - b.x) * (a.x - b.x)) < 5",
        "2 * abs(a.x - b.x) < 10",
        "abs(2 * a.x - 2 * b.x) < 10",
        "abs(cast(a.x as double) - b.x) < 5 and a.y <> b.y",
    ],
)
def test_a_difference_with_two_bounds_is_a_band(where):
    assert [("a.x-b.x", 1.0, 0.0, 5.0)] == bands(where)


@pytest.mark.parametrize(
    "where",
    [
        "dist(a.x, a.y, b.x, b.y) < 5",
        "(a.x - b.x)^2 + (a.y - b.y)^2 <= 25",
        "abs(a.x - b.x) + abs(a.y - b.y) < 5",
        "greatest(abs(a.x - b.x), abs(a.y - b.y)) < 5",
    ],
)
def test_a_distance_is_a_band_on_each_coordinate(where):
    assert [("a.x-b.x", 1.0, 0.0, 5.0), ("a.y-b.y", 1.0, 0.0, 5.0)] == bands(where)


def test_a_band_need_not_be_around_zero():
    assert [("a.x-b.x", 1.0, 3.0, 4.0)] == bands("a.x - b.x between -1 and 7")


def test_columns_of_different_scales_can_be_near_each_other():
    assert [("a.x-b.x", 100.0, 0.0, 500.0)] == bands("abs(a.x / 100 - b.x) < 5")


def test_a_sum_can_be_a_band():
    assert [("a.x-b.y", -1.0, 0.0, 5.0)] == bands("abs(a.x + b.y) < 5")


def test_the_narrowest_of_several_bounds_counts():
    assert [("a.x-b.x", 1.0, 0.5, 2.5)] == bands("abs(a.x - b.x) < 3 and a.x - b.x > -2")


def test_each_pair_of_streams_has_its_own_bands():
    where = "abs(a.x - b.x) < 5 and abs(b.y - c.y) < 1"
    assert [("a.x-b.x", 1.0, 0.0, 5.0), ("b.y-c.y", 1.0, 0.0, 1.0)] == bands(where, "abc")


@pytest.mark.parametrize(
    "where",
    [
        "a.x < b.x",
        "abs(a.x - b.x) > 5",
        "abs(a.x - b.x) < a.y",
        "abs(a.x - b.x) < 5 or a.y > b.y",
        "a.x * b.x between -5 and 5",
        "a.x + 1 = b.x",
        "abs(a.x - b.x) < -5",
        "a.x - b.x + abs(a.y - b.y) < 5",
        "a.x - b.x <= 5 and b.y - a.y <= 5",
        "abs(a.place.x - b.x) < 5",
    ],
)
def test_other_conditions_are_not_bands(where):
    assert [] == bands(where)


def test_constants_that_swallow_the_difference_are_not_a_band():
    assert [] == bands("abs((a.x + 1e20) - (b.x + 1e20)) < 5")


def test_bounds_that_nan_satisfies_with_every_number_are_not_a_band():
    assert [] == bands("a.x - b.x >= -5 and b.x - a.x >= -5")
