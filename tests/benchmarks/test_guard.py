"""The guard against regressions: what its baseline remembers, and what is too much."""

from __future__ import annotations

import pytest
from benchmarks.guard import LEAST_NOISE, Watched, cases, entry_of, limit_of


def test_a_ratio_may_be_worse_by_its_noise():
    assert 2.5 == limit_of({"median": 2.0, "noise": 0.25})


def test_the_noise_is_how_far_the_highest_repeat_was_above_the_median():
    assert {"median": 2.0, "noise": 0.5} == entry_of({"median": 2.0, "highest": 3.0})


def test_repeats_that_agree_by_chance_leave_some_noise():
    assert {"median": 2.0, "noise": LEAST_NOISE} == entry_of({"median": 2.0, "highest": 2.0})


def test_both_sides_are_measured_by_the_same_clock():
    times = iter([10.0, 13.0, 20.0, 21.0])
    case = Watched("none", list, list, "itself", clock=lambda: next(times)).case(1.0)
    assert (3.0, 1.0) == (case.ours(), pytest.approx(case.rival()))


def test_a_case_that_the_baseline_does_not_have_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr("benchmarks.guard.BASELINE", tmp_path / "none.json")
    with pytest.raises(KeyError, match="the baseline does not have 'reorder'"):
        next(cases(quick=True))
