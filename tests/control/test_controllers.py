"""What each controller decides; what all must keep is in tests/testing/test_laws.py."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from slackwater.contracts import Contract, DropRatio, FixedSlack, Goal, MaxSlack, NoSlack, Recall
from slackwater.control import (
    PD,
    AdaptiveMax,
    AlphaPD,
    BoundedDrops,
    BoundedError,
    Capped,
    Fixed,
    LateDegreeModel,
    MaxDelay,
    NeededSlack,
    NormalDelay,
    SLTuner,
    Speculative,
    Tcp,
    controller_for,
)
from slackwater.control.choose import controller_state
from slackwater.control.graph_tuner import Tuning
from slackwater.control.operator_model import Learning, TunedOperator
from slackwater.errors import ParameterError
from slackwater.testing.discover import controller_configs
from slackwater.testing.scripted import Scripted
from slackwater.time import Duration


def path(config, *delays: int) -> list[int]:
    return config.build().slack_path(np.array(delays, np.int64)).tolist()


def test_fixed_waits_the_same_at_every_step():
    assert [2, 2, 2] == path(Fixed("2 us"), 0, 9, 1)


def test_max_delay_follows_the_largest_delay():
    assert [0, 3, 3, 5] == path(MaxDelay(), 0, 3, 1, 5)


def test_max_delay_waits_for_nothing_at_first():
    assert Duration.ZERO == MaxDelay().build().next_slack()


def test_max_delay_goes_on_from_its_snapshot():
    assert [7, 9] == MaxDelay().build({"largest": 7}).slack_path(np.array([1, 9])).tolist()


def test_speculative_waits_a_fraction_rounded_down():
    assert [0, 1, 2] == path(Speculative(MaxDelay(), alpha=0.5), 0, 3, 5)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_speculative_refuses_a_fraction_outside_zero_to_one(alpha):
    with pytest.raises(ParameterError, match=r"alpha must be in \[0, 1\]"):
        Speculative(MaxDelay(), alpha=alpha)


def test_capped_never_waits_longer_than_the_cap():
    assert [0, 2, 2] == path(Capped(MaxDelay(), cap="2 us"), 0, 2, 5)


def test_a_cap_limits_what_is_waited_not_what_is_remembered():
    controller = Capped(MaxDelay(), cap="2 us").build()
    controller.slack_path(np.array([5]))
    assert {"largest": 5} == controller.snapshot()


@pytest.mark.parametrize("wrap", [lambda inner: Capped(inner, cap="2 s"), lambda inner: Speculative(inner, alpha=0.5)])
def test_wrapping_a_controller_without_a_path_gives_none(wrap):
    assert wrap(Scripted(("1 s",))).build().slack_path(np.array([1])) is None


@pytest.mark.parametrize(
    ("contract", "slack"),
    [
        (NoSlack(), "0 s"),
        (FixedSlack("2 s"), "2 s"),
        (MaxSlack(), "0 s"),
        (FixedSlack("2 s", cap="1 s"), "1 s"),
        (MaxSlack(controller=Fixed("3 s")), "3 s"),
        (MaxSlack(controller=Fixed("3 s"), cap="1 s"), "1 s"),
    ],
    ids=repr,
)
def test_a_contract_leads_to_its_controller(contract, slack):
    assert Duration.of(slack) == controller_for(contract).next_slack()


def test_a_contract_that_nobody_can_keep_is_refused():
    with pytest.raises(ParameterError, match="contract must be one that this operator can keep"):
        controller_for(Contract())


def test_every_controller_is_discovered():
    assert {"Fixed", "MaxDelay", "Capped", "Speculative"} <= {type(config).__name__ for config in controller_configs()}


def test_a_state_that_does_not_say_whose_it_is_is_taken_as_it_is():
    assert Duration(7) == controller_for(MaxSlack(), {"largest": 7}).next_slack()


def test_of_another_controllers_state_only_the_slack_is_kept():
    assert Duration(0) == controller_for(MaxSlack(), {"largest": 7, "controller": "Fixed"}).next_slack()


def test_what_was_remembered_of_results_means_nothing_for_a_drop_ratio():
    recall, drop = Recall(0.9), DropRatio(0.1, controller=NeededSlack())
    kept = controller_state(recall, controller_for(recall, {"slack": 7, "longest": 9}))
    assert {"slack": 7, "longest": 0} == {
        name: value for name, value in controller_for(drop, kept).snapshot().items() if name in ("slack", "longest")
    }


@pytest.mark.parametrize("wrap", [lambda inner: Capped(inner, cap="2 s"), lambda inner: Speculative(inner, alpha=0.5)])
def test_what_is_no_controller_cannot_be_wrapped(wrap):
    with pytest.raises(ParameterError, match="inner"):
        wrap("2 seconds")


# Who writes no parameters gets these: another one would change results without a word.
DEFAULTS = {
    AdaptiveMax: {"window": 10_000},
    AlphaPD: {"kp": 0.5, "kd": 0.25},
    BoundedDrops: {"memory": 2.0, "reserve": 0.1},
    BoundedError: {"memory": 150.0, "reserve": 0.25},
    LateDegreeModel: {"decay": 0.8, "granularity": "10 ms", "overall": False, "most": 1.0},
    NeededSlack: {"violations": 0.003, "tolerance": 0.01, "memory": 10.0},
    NormalDelay: {"estimate_every": 1_000, "sample_every": 10, "samples": 1_000, "floor": 30},
    PD: {"kp": "500 ms", "kd": "250 ms", "overall": False},
    SLTuner: {"alpha": 0.3, "with_spread": True, "guard": True, "fill": True, "parallelism": 1},
    TunedOperator: {"parallelism": 1, "window": 0, "waits": "if needed"},
    Learning: {"with_spread": True, "learn_after": 60, "relearn_every": 60, "memory": 600},
    Tuning: {"interval": 1_000_000, "alpha": 0.3, "step": 100_000, "guard": True, "fill": True},
}


@pytest.mark.parametrize("config", DEFAULTS)
def test_a_parameter_that_nobody_writes_has_its_usual_value(config):
    fields = {field.name: field.default for field in dataclasses.fields(config)}
    expected = DEFAULTS[config]
    assert expected == {name: fields[name] for name in expected}


GIVEN = {"spans", "counting", "granularity", "deviations", "slack", "slacks"}  # in a snapshot, what is no count
TWO_STREAMS = Goal(0.9, period=60_000_000, interval=1_000_000, windows=(5_000_000, 5_000_000))


def numbers_in(saved) -> list[float]:
    """All numbers of a snapshot that count something."""
    if isinstance(saved, dict):
        return [each for name, value in saved.items() if name not in GIVEN for each in numbers_in(value)]
    if isinstance(saved, list | tuple):
        return [each for value in saved for each in numbers_in(value)]
    return [saved] if isinstance(saved, int | float) else []


@pytest.mark.parametrize("config", list(controller_configs()), ids=repr)
def test_a_controller_that_has_seen_nothing_has_counted_nothing(config):
    assert not any(numbers_in(config.build(None, TWO_STREAMS).snapshot()))


@pytest.mark.parametrize(
    ("config", "slack"), [(NormalDelay(), "60 s"), (SLTuner(), "30 s"), (Tcp(), "1 s"), (PD(), "0 s")], ids=repr
)
def test_what_is_waited_before_anything_is_known(config, slack):
    assert Duration.of(slack) == config.build(None, TWO_STREAMS).next_slack()
