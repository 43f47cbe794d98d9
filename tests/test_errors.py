"""Errors: fields, messages, and the way back from Spark's workers."""

from __future__ import annotations

import inspect
import pickle

import pytest

from slackwater import errors

ERRORS = [
    errors.ParameterError("slack", -5, must="be >= 0", remedy="use NoSlack()"),
    errors.ColumnError("bus", "ts", problem="does not exist", remedy="columns are: time"),
    errors.ContractMissingError("reorder"),
    errors.LateEventError(stream="bus", reason="late", event_time=7, late_by=1),
    errors.LateEventError(stream="bus", reason="null_time", event_time=None, late_by=None),
    errors.StateError("format version 9", expected="1", remedy="start anew"),
    errors.AccountingError(arrived=3, released=1, late=0, buffered=1),
    errors.InvariantError("the clock of bus", found="4", expected="9 or later"),
    errors.SessionError("spark.x", found=None, needed="2"),
    errors.JavaError(found="11"),
    errors.PrepareError("Java wrote no archive", remedy="use another Java"),
    errors.DatasetError("syn3", problem="does not exist", remedy="write it first"),
    errors.GateFullError(reader=1, unread=11, most=10),
    errors.SqlError("SELECT *\nFORM bus", start=9, stop=13, problem="expected FROM", remedy="did you mean FROM?"),
    errors.ReplayError(7, before={"bus": 300}, now={"bus": 299}, file="input.json"),
    errors.MissingExtraError("otel", needed="opentelemetry"),
    errors.QueryError("query 1", problem="no space left on device", remedy="make room"),
    errors.ConditionError("bus.a % bus.b = 0", problem="division by zero", remedy="leave such rows out"),
    errors.AnotherQueryError("been begun with buckets = 2", expected="buckets = 4", remedy="change it back"),
]


def test_every_error_is_tested_here():
    defined = {kind for _, kind in inspect.getmembers(errors, inspect.isclass)} - {errors.SlackwaterError}
    assert defined == {type(error) for error in ERRORS}


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_an_error_keeps_its_fields_and_message_when_pickled(error):
    restored = pickle.loads(pickle.dumps(error))
    assert (type(error), vars(error), str(error)) == (type(restored), vars(restored), str(restored))


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_every_error_is_one_of_slackwater(error):
    assert isinstance(error, errors.SlackwaterError)


def test_a_parameter_error_names_parameter_value_bound_and_remedy():
    assert "slack must be >= 0, got -5; use NoSlack()" == str(ERRORS[0])


def test_a_parameter_error_is_a_value_error():
    with pytest.raises(ValueError, match="slack"):
        raise ERRORS[0]


def test_a_missing_contract_shows_three_examples():
    assert 3 == str(errors.ContractMissingError("reorder")).count("contract=sw.")


def test_a_late_event_error_says_what_and_by_how_much():
    assert (
        "stream 'bus': an event with event_time 1970-01-01T00:00:00.000007Z could not be used, "
        'reason late, late by 1 us; allow more slack, or use late="side"'
    ) == str(ERRORS[3])


def test_a_late_event_error_without_a_time_does_not_say_by_how_much():
    assert "late by" not in str(ERRORS[4])


def test_an_accounting_error_shows_the_sum_that_is_wrong():
    assert str(ERRORS[6]).startswith("arrived 3 != released 1 + late 0 + buffered 1")
