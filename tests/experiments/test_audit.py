"""The audit of contracts: what is counted, and that it finds what decisions hide."""

from __future__ import annotations

import numpy as np
import pytest

import slackwater as sw
from slackwater.experiments.audit import (
    Periods,
    Said,
    apart,
    audit_deadline,
    audit_drops,
    audit_errors,
    audit_recall,
)
from slackwater.quality.share import wilson

CONTRACT = sw.DropRatio(0.1)


def said(at, measured):
    return Said(np.array(at), np.full(len(at), np.nan), np.array(measured, float))


def audited(quality, words, *, ends=(100,)):
    periods = Periods(np.array(ends), np.array(quality, float), np.full(len(ends), 50), length=10)
    return periods.audited(CONTRACT, "s", words, target=0.9, least=0.9)


@pytest.mark.parametrize(("at", "admitted"), [(89, 0), (90, 1), (110, 1), (111, 0)])
def test_a_violation_is_admitted_from_the_beginning_of_its_period_to_one_after_its_end(at, admitted):
    assert admitted == audited([0.8], said([at], [0.85])).admitted


def test_a_decision_that_only_reaches_the_target_admits_nothing():
    assert [0.9] == [each.said for each in audited([0.8], said([100], [0.9])).hidden]


def test_an_expected_quality_below_the_target_admits_a_violation():
    expected = Said(np.array([100]), np.array([0.85]), np.array([np.nan]))
    assert () == audited([0.8], expected).hidden


def test_a_period_that_is_just_good_enough_is_kept():
    assert (2, 1) == (lambda found: (found.kept, found.violated))(
        audited([0.9, 0.95, 0.89], said([], []), ends=(1, 2, 3))
    )


def test_periods_do_not_overlap():
    assert [0, 7, 20] == np.array([0, 3, 7, 9, 20])[apart(np.array([0, 3, 7, 9, 20]), 5)].tolist()


@pytest.mark.parametrize(("hits", "total", "expected"), [(81, 263, (0.2553, 0.3662)), (0, 20, (0.0, 0.1611))])
def test_the_interval_is_wilsons(hits, total, expected):
    assert expected == pytest.approx(wilson(hits, total), abs=5e-5)


RUNS = [(audit_drops, "poisson-3", 0.01, "4 seconds"), (audit_errors, "freeway", 0.03, "1 hour")]
RUNS += [(audit_recall, "soccer", 0.9, "65 seconds"), (audit_deadline, "traffic", 0.5, "2 minutes")]


@pytest.mark.parametrize(("run", "name", "target", "duration"), RUNS)
def test_contracts_of_every_kind_are_audited(run, name, target, duration):
    found = run(name, target, duration)
    assert found.periods == found.kept + found.admitted + len(found.hidden) > 0
