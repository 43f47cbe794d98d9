"""Checks of a plan that need no data."""

from __future__ import annotations

import pytest

from slackwater.contracts import NoSlack
from slackwater.errors import ColumnError, ContractMissingError, ParameterError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.plan.validate import check_columns, check_contract, check_names, check_reorder

BUS = StreamNode(name="bus", event_time="ts")


@pytest.mark.parametrize("option", ["event_time", "arrival", "arrival_time"])
def test_a_column_that_does_not_exist_is_named_with_those_that_do(option):
    node = StreamNode(name="bus", **{"event_time": "ts", option: "missing"})
    with pytest.raises(ColumnError, match="column 'missing' does not exist; columns are: ts, line"):
        check_columns(node, ["ts", "line"])


def test_streams_of_one_operator_need_different_names():
    with pytest.raises(ParameterError, match="name must be given to one stream only, got 'bus'"):
        check_names([BUS, BUS])


def test_a_missing_contract_is_an_error():
    with pytest.raises(ContractMissingError, match="reorder needs a contract"):
        check_contract("reorder", None)


@pytest.mark.parametrize(
    ("operator", "example"), [("join", "Recall"), ("aggregate", "RelativeError"), ("merge", "DropRatio")]
)
def test_a_missing_contract_is_an_error_with_what_suits_the_operator(operator, example):
    assert f"contract=sw.{example}(" in str(ContractMissingError(operator))


def test_what_is_no_contract_is_refused():
    with pytest.raises(ParameterError, match="contract must be a contract, got '2 seconds'"):
        check_contract("reorder", "2 seconds")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": ("key",)}, "column 'key' does not exist"),
        ({"buckets": 0}, "buckets must be a whole number >= 1, got 0"),
        ({"buckets": 2}, "buckets must be 1 without by="),
        ({"release": "never"}, "release must be"),
    ],
)
def test_a_reorder_that_cannot_work_is_refused(options, message):
    with pytest.raises((ColumnError, ParameterError), match=message):
        check_reorder(ReorderNode(stream=BUS, contract=NoSlack(), **options), ["ts"])


@pytest.mark.parametrize("column", ["late_by", "reason", "stream"])
def test_columns_of_the_late_output_must_be_free(column):
    with pytest.raises(ColumnError, match="has a name that the late output uses"):
        check_reorder(ReorderNode(stream=BUS, contract=NoSlack()), ["ts", column])


def test_a_good_plan_passes():
    check_reorder(ReorderNode(stream=BUS, contract=NoSlack(), by=("line",), buckets=8), ["ts", "line"])
