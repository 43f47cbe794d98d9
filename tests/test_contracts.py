"""Contracts: frozen values, checked at construction."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from slackwater.contracts import Contract, DropRatio, FixedSlack, MaxSlack, NoSlack, Recall, RelativeError
from slackwater.control import Fixed
from slackwater.deadline import Deadline
from slackwater.errors import ParameterError
from slackwater.time import Duration

CONTRACTS = [
    NoSlack(),
    FixedSlack("2 seconds"),
    FixedSlack("2 seconds", cap="1 second", adaptation_interval="5 seconds"),
    MaxSlack(cap="30 seconds"),
    MaxSlack(controller=Fixed("1 second")),
]


PER_HOUR = DropRatio(0.01, over="1 hour", controller=Fixed("1 second"))
WITH_TARGETS = [Recall(0.9), DropRatio(0.01, over="5 seconds", cap="1 second", controller=Fixed("1 second"))]


@pytest.mark.parametrize("contract", CONTRACTS + WITH_TARGETS, ids=repr)
def test_a_contract_pickles_to_an_equal_one(contract):
    assert contract == pickle.loads(pickle.dumps(contract))


@pytest.mark.parametrize("contract", CONTRACTS + WITH_TARGETS, ids=repr)
def test_a_contract_is_hashable(contract):
    assert hash(contract) == hash(pickle.loads(pickle.dumps(contract)))


@pytest.mark.parametrize("contract", CONTRACTS + WITH_TARGETS, ids=repr)
def test_a_contract_is_frozen(contract):
    with pytest.raises(dataclasses.FrozenInstanceError):
        contract.cap = None


def test_texts_of_equal_durations_make_equal_contracts():
    assert FixedSlack("2 seconds", cap="1 minute") == FixedSlack("2000 ms", cap="60 s")


def test_different_kinds_of_contract_are_not_equal():
    assert NoSlack() != MaxSlack()


@pytest.mark.parametrize("build", [NoSlack, MaxSlack, lambda **options: FixedSlack("1 s", **options)])
def test_every_contract_takes_a_cap(build):
    assert Duration.of("3 seconds") == build(cap="3 seconds").longest_wait


def test_without_a_cap_there_is_no_longest_wait():
    assert MaxSlack().longest_wait is None


def test_the_adaptation_interval_is_a_second_unless_told_otherwise():
    assert Duration.of("1 second") == NoSlack().interval


def test_fixed_policies_have_no_target():
    assert [None] * len(CONTRACTS) == [contract.quality for contract in CONTRACTS]


@pytest.mark.parametrize(
    ("parameter", "build"),
    [
        ("slack", lambda: FixedSlack("5")),
        ("slack", lambda: FixedSlack(5)),
        ("cap", lambda: MaxSlack(cap="soon")),
        ("adaptation_interval", lambda: NoSlack(adaptation_interval="often")),
        ("adaptation_interval", lambda: NoSlack(adaptation_interval="0 seconds")),
    ],
)
def test_a_bad_duration_fails_at_construction_and_is_named(parameter, build):
    with pytest.raises(ParameterError) as raised:
        build()
    assert parameter == raised.value.parameter


def test_fixed_slack_needs_a_slack():
    with pytest.raises(TypeError):
        FixedSlack()


def test_contracts_take_their_options_by_name_only():
    with pytest.raises(TypeError):
        MaxSlack("30 seconds")


def test_contract_is_the_root_of_all():
    assert all(isinstance(contract, Contract) for contract in CONTRACTS)


@pytest.mark.parametrize("target", [0, 1, 1.5, -0.1, True, "1%", float("nan")])
def test_a_drop_ratio_is_above_0_and_below_1(target):
    with pytest.raises(ParameterError, match="target must be > 0 and < 1"):
        DropRatio(target)


@pytest.mark.parametrize(
    ("build", "number"),
    [
        (lambda: DropRatio("1%"), 0.01),
        (lambda: DropRatio("0.1 %"), 0.001),
        (lambda: Recall("99%"), 0.99),
        (lambda: RelativeError("0.03"), 0.03),
        (lambda: RelativeError(0.03, confidence="95%"), 0.95),
    ],
)
def test_a_share_that_is_a_text_is_refused_with_the_number_to_write(build, number):
    with pytest.raises(ParameterError, match=f"; write {number}: "):
        build()


def test_a_drop_ratio_needs_a_period_of_at_least_an_interval():
    with pytest.raises(ParameterError, match="over must be at least the adaptation interval"):
        DropRatio(0.01, over="1 second", adaptation_interval="2 seconds")


def test_controllers_are_told_the_share_to_keep():
    assert 0.99 == DropRatio(0.01).goal().target


def test_decisions_show_the_share_that_is_late():
    contract = DropRatio(0.01)
    assert (0.01, [0.01, 0.0]) == (contract.stated, contract.shown(np.array([0.99, 1.0])).tolist())


def test_a_recall_and_a_drop_ratio_of_equal_target_are_not_equal():
    assert Recall(0.5) != DropRatio(0.5)


@pytest.mark.parametrize(
    "options", [{"bound": 0}, {"bound": 1.5}, {"bound": True}, {"confidence": 1}, {"confidence": 0}]
)
def test_a_relative_error_is_a_share_and_so_is_its_confidence(options):
    given = {"bound": 0.03, **options}
    with pytest.raises(ParameterError, match=f"{next(iter(options))} must be > 0 and < 1"):
        RelativeError(given.pop("bound"), **given)


def test_a_relative_error_is_about_one_value_or_several():
    assert ("n",) == RelativeError(0.03, of="n").of
    assert ("n", "x") == RelativeError(0.03, of=["n", "x"]).of


@pytest.mark.parametrize(
    ("text", "contract"),
    [
        ("NoSlack()", NoSlack(adaptation_interval="1000 ms")),
        ("MaxSlack(cap='30 seconds')", MaxSlack(cap="30 seconds")),
        ("FixedSlack('2 seconds', adaptation_interval='5 seconds')", FixedSlack("2 s", adaptation_interval="5 s")),
        ("FixedSlack({'bus': '2 seconds', 'scats': '0 seconds'})", FixedSlack({"bus": "2 s", "scats": "0 s"})),
        ("Recall(0.99, over='1 minute')", Recall(0.99)),
        ("DropRatio(0.01, over='1 hour', controller=Fixed('1 second'))", PER_HOUR),
        ("RelativeError(0.03, of=('n',))", RelativeError(0.03, of="n")),
        ("Deadline('6 seconds')", Deadline("6 seconds")),
        ("Recall(0.9, over='1 minute') & Deadline('6 seconds')", Recall(0.9) & Deadline("6 seconds")),
    ],
)
def test_a_contract_is_shown_as_it_could_have_been_written(text, contract):
    assert text == repr(contract)
    assert contract == eval(text)


def test_two_contracts_with_the_word_and_between_them_are_refused_with_the_remedy():
    with pytest.raises(ParameterError, match="combine two by &"):
        _ = Recall(0.99) and Deadline("5 seconds")
