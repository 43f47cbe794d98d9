from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.control import ModelSearch
from slackwater.errors import ParameterError
from slackwater.plan.contract_text import CONTROLLERS, contract_text, parse_contract
from slackwater.time import Duration

DURATIONS = st.integers(1, 10**13).map(Duration)
SHARED = {"cap": st.none() | DURATIONS, "adaptation_interval": DURATIONS}
PLAIN = st.one_of(
    st.builds(sw.NoSlack, **SHARED),
    st.builds(sw.MaxSlack, **SHARED),
    st.builds(sw.FixedSlack, DURATIONS | st.just(Duration.ZERO), **SHARED),
)


@st.composite
def with_targets(draw):
    interval = draw(st.integers(1, 10**12))
    return draw(st.sampled_from([sw.Recall, sw.DropRatio]))(
        draw(st.floats(0, 1, exclude_min=True, exclude_max=True)),
        over=Duration(interval + draw(st.integers(0, 10**12))),
        adaptation_interval=Duration(interval),
        cap=draw(SHARED["cap"]),
        controller=draw(st.sampled_from([None, *CONTROLLERS.values()])),
    )


@st.composite
def deadlines(draw, *, plain=False):
    latency = draw(st.integers(0, 10**12))
    shared = {} if plain else {"cap": draw(SHARED["cap"]), "adaptation_interval": draw(DURATIONS)}
    return sw.Deadline(Duration(latency + draw(st.integers(1, 10**12))), latency=Duration(latency), **shared)


@st.composite
def pairs(draw):
    first, second = draw(st.permutations([draw(with_targets()), draw(deadlines(plain=True))]))
    return first & second


NAMES = st.lists(st.sampled_from(["n", "Worst", "x_1"]), max_size=3, unique=True)
SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True)
HOW = st.sampled_from([None, *CONTROLLERS.values()])
ERRORS = st.builds(sw.RelativeError, SHARES, confidence=SHARES, of=NAMES, controller=HOW, **SHARED)


@given(PLAIN | with_targets() | deadlines() | pairs() | ERRORS)
def test_what_is_printed_reads_back_as_the_same_contract(contract):
    assert contract == parse_contract(contract_text(contract))


def test_clauses_come_in_any_order_and_case():
    text = "RECALL 0.95 by Model-Search Cap 30 seconds OVER 1 minute 30 seconds"
    contract = sw.Recall(0.95, over="90 seconds", cap="30 seconds", controller=ModelSearch())
    assert contract == parse_contract(text)


@pytest.mark.parametrize("text", ["drop 0.001", "drop 0.1%", "DROP 0.1 % over 1 minute"])
def test_a_drop_ratio_is_a_share_or_a_percentage(text):
    assert sw.DropRatio(0.001) == parse_contract(text)


def test_an_error_is_for_all_values_and_95_percent_of_the_results_unless_it_says_so():
    assert sw.RelativeError(0.03, confidence=0.95) == parse_contract("Error 3%")


def test_what_the_text_does_not_say_is_taken_from_the_caller():
    given_by_caller = parse_contract("recall 0.9", over="1 week", every="2 hours")
    assert sw.Recall(0.9, over="1 week", adaptation_interval="2 hours") == given_by_caller


def test_a_period_shorter_than_the_callers_interval_is_adapted_once_per_period():
    short = parse_contract("recall 0.9 over 1 minute", every="2 hours")
    assert sw.Recall(0.9, over="1 minute", adaptation_interval="1 minute") == short


def test_an_interval_in_the_text_is_never_changed():
    with pytest.raises(ParameterError, match="over must be at least the adaptation interval"):
        parse_contract("recall 0.9 over 1 minute every 2 hours")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "begin with one of: recall, drop, error, deadline, fixed, max, none"),
        ("precision 0.9", "begin with one of: recall, drop, error, deadline, fixed, max, none"),
        ("recall", "say what recall is"),
        ("recall over 1 minute", "say what recall is"),
        ("recall high", "have a number after recall"),
        ("drop", "say what drop is"),
        ("drop few%", "have a number after drop"),
        ("error small", "have a number after error"),
        ("error 3% confidence high", "have a number after confidence"),
        ("error 3% over 1 minute", "have no clause 'over' for error"),
        ("drop 1% of n", "have no clause 'of' for drop"),
        ("recall 0.9 0.95", "have a number after recall"),
        ("recall 0.9 over", "say 'over' once, with a value"),
        ("recall 0.9 cap 1 s cap 2 s", "say 'cap' once, with a value"),
        ("recall 0.9 by magic", "name a controller after by: needed, model-search"),
        ("fixed 2 seconds over 1 minute", "have no clause 'over' for fixed"),
        ("max by pd", "have no clause 'by' for max"),
        ("deadline", "say what deadline is"),
        ("deadline 5 seconds over 1 minute", "have no clause 'over' for deadline"),
        ("drop 1% & deadline 5 s & max", "have one & between two contracts"),
        ("max 2 seconds", "have nothing between max and its clauses"),
        ("fixed", "say what fixed is"),
    ],
)
def test_a_wrong_text_is_refused_with_examples(text, problem):
    with pytest.raises(ParameterError, match=f"contract must {problem}") as raised:
        parse_contract(text)
    assert 'such as "recall 0.95 over 1 minute"' in str(raised.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fixed 2", "fixed must be a duration with a unit"),
        ("recall 0.9 over soon", "over must be a duration with a unit"),
        ("recall 1.5", "target must be > 0 and <= 1"),
        ("recall nan", "target must be > 0 and <= 1"),
        ("drop 100%", "target must be > 0 and < 1"),
    ],
)
def test_a_wrong_value_is_named_by_its_clause(text, problem):
    with pytest.raises(ParameterError, match=problem):
        parse_contract(text)


@pytest.mark.parametrize(
    "contract",
    [
        sw.Recall(0.9, controller=ModelSearch(granularity="20 ms")),
        sw.MaxSlack(controller=CONTROLLERS["pd"]),
        sw.FixedSlack({"a": "1 second", "b": "2 seconds"}),
    ],
)
def test_what_has_no_text_is_not_printed_as_something_else(contract):
    with pytest.raises(ParameterError, match=r"must have a (name|text)"):
        contract_text(contract)


@pytest.mark.parametrize("names", ["a b", "a b,by c", "a,,b", "a, by", ","])
def test_names_of_values_are_words_with_commas_between_them(names):
    with pytest.raises(ParameterError):
        parse_contract(f"error 3% of {names}")
