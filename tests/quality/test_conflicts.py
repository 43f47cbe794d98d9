"""Stretches in which the first of two contracts could not be kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.decisions import decisions_table
from slackwater.errors import ParameterError
from slackwater.quality.conflicts import conflicts
from tests.local.test_deadline import lagging

BOTH = sw.DropRatio(0.01) & sw.Deadline("5 seconds")


def decided(ruled: str, *, bucket: int = 0, first: str = "DropRatio", **columns):
    """Decisions of consecutive seconds; D for a deadline that ruled, else the target of the first did."""
    names = ["Deadline" if letter == "D" else first for letter in ruled]
    known = {"bucket": bucket, "at": np.arange(len(ruled)) * 1_000_000, "ruled": names, "target": 0.01}
    return decisions_table({**known, **columns}, len(ruled))


def seconds(table):
    return [(row["start"].second, row["end"].second) for row in table.to_pylist()]


def test_each_stretch_lasts_from_the_decision_before_it_to_its_last():
    assert [(1, 3), (4, 5)] == seconds(conflicts(decided("..DD.D."), BOTH))


def test_a_stretch_at_either_end_is_found():
    assert [(0, 0), (1, 2)] == seconds(conflicts(decided("D.D"), BOTH))


def test_where_both_were_kept_there_is_none():
    assert 0 == conflicts(decided("..."), BOTH).num_rows


def test_the_worst_of_a_drop_ratio_is_the_largest_and_of_a_recall_the_smallest():
    table = decided(".DD", measured=[0.5, 0.2, 0.7])
    of_recall = decided(".DD", measured=[0.5, 0.2, 0.7], first="Recall")
    assert [0.7] == conflicts(table, BOTH)["worst"].to_pylist()
    assert [0.2] == conflicts(of_recall, sw.Recall(0.9) & sw.Deadline("5 seconds"))["worst"].to_pylist()


def test_decisions_of_another_contract_are_refused():
    with pytest.raises(ParameterError, match=r"contract must be that of the plan.*DropRatio ruled"):
        conflicts(decided(".D"), sw.Recall(0.9) & sw.Deadline("5 seconds"))


@pytest.mark.parametrize("given", [pa.table({"ts": [1]}), "decisions", decided("D").to_pandas()])
def test_what_are_no_decisions_is_refused_with_the_remedy(given):
    with pytest.raises(ParameterError, match="decisions must be an Arrow table of decisions"):
        conflicts(given, BOTH)


def test_buckets_are_told_apart():
    table = pa.concat_tables([decided(".D", bucket=1), decided("D.", bucket=0)])
    assert [0, 1] == conflicts(table, BOTH)["bucket"].to_pylist()


def test_a_single_contract_has_no_conflict_to_look_for():
    with pytest.raises(ParameterError, match="contract must be two contracts"):
        conflicts(decided("."), sw.Deadline("5 seconds"))


def test_the_worst_recall_counts_what_the_deadline_lost():
    contract = sw.Recall(0.9, over="1 minute") & sw.Deadline("5 seconds")
    joined = sw.join(*lagging(behind=7), within="2 seconds", contract=contract)
    (found,) = sw.conflicts(joined.decisions, contract).to_pylist()
    assert 0.2 == pytest.approx(found["worst"], abs=0.01)  # of five partners a slow row still meets one


def test_a_plan_reports_the_time_in_which_its_target_gave_way():
    merged = sw.merge(*lagging(behind=9), contract=BOTH)
    found = sw.conflicts(merged.decisions, BOTH).to_pylist()
    assert 0.4 < max(row["worst"] for row in found) < 0.6
    assert sum(merged.decisions["slack_ready"].to_pylist()) == sum(row["slack_ready"] for row in found)
