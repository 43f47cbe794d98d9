"""Curves of cost over size, and the exponents that are printed of them."""

from __future__ import annotations

import pytest
from benchmarks.growth.command import table
from benchmarks.growth.curve import Curve, Grown, Point, measure
from benchmarks.growth.curves import curves


def grown(*costs: float, per_result: bool = False, results: int = 1) -> Grown:
    points = (Point(2.0**place, cost, cost, cost, results) for place, cost in enumerate(costs))
    return Grown("join", "rows", per_result, tuple(points))


@pytest.mark.parametrize(("costs", "expected"), [((1, 2, 4), 1), ((1, 4, 16), 2), ((3, 3, 3), 0)])
def test_the_exponent_is_the_power_of_the_size(costs, expected):
    assert expected == pytest.approx(grown(*costs).exponent)


def test_a_fixed_cost_does_not_hide_how_fast_the_end_grows():
    curve = grown(10, 11, 13, 52)
    assert 2 == pytest.approx(curve.last)
    assert not curve.held


def test_cost_per_result_does_not_grow_where_results_do():
    points = tuple(Point(size, size, size, size, int(size)) for size in (1.0, 2.0, 4.0))
    assert 0 == pytest.approx(Grown("join", "share", per_result=True, points=points).exponent)


def test_every_size_is_measured_and_says_how_many_results_it_had():
    curve = Curve("none", "numbers", (10, 20), lambda size: lambda: len([None] * int(size)))
    assert [(10, 10), (20, 20)] == [(point.size, point.results) for point in measure(curve, 2)]


def test_what_grows_too_fast_is_said_in_the_table():
    assert "above" in next(iter(table([grown(1, 4, 16)]).columns[-1].cells))


@pytest.mark.parametrize("curve", curves(quick=True), ids=lambda curve: f"{curve.operator} {curve.grows}")
def test_every_curve_runs_at_its_smallest(curve):
    assert curve.build(curve.sizes[0])() > 0
