"""The tools for tests, tested."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from slackwater.control import MaxDelay
from slackwater.errors import ParameterError
from slackwater.testing import reorder_laws
from slackwater.testing import strategies as sst
from slackwater.testing.laws import controller_laws, operator_laws
from slackwater.testing.scripted import Scripted
from slackwater.time import Duration


class Forgetful(MaxDelay):
    """A controller whose snapshot is not the whole truth."""

    def build(self, state=None, goal=None):
        return super().build(None)


def broken_laws(laws) -> set[str]:
    broken = set()
    for law in laws:
        try:
            law.check()
        except AssertionError:
            broken.add(law.name)
    return broken


def test_laws_find_a_controller_that_forgets():
    assert "restoring after every prefix gives the same remaining slacks" in broken_laws(controller_laws(Forgetful()))


def test_laws_find_an_operator_that_forgets(monkeypatch):
    quickly = settings(reorder_laws._look_for_counterexamples, phases=[Phase.generate])
    monkeypatch.setattr(reorder_laws, "_look_for_counterexamples", quickly)
    laws = [law for law in operator_laws(Forgetful()) if law.name.startswith("restoring")]
    assert {"restoring after every prefix gives the same remaining output"} == broken_laws(laws)


def test_a_law_reads_as_controller_and_claim():
    assert "MaxDelay():the config is hashable" in map(str, controller_laws(MaxDelay()))


def test_a_wrapped_controller_is_excused_where_the_inner_one_is():
    laws = {law.name: law.skipped for law in operator_laws(Scripted(("1 s",)))}
    assert laws["any order within the slack gives the in-order output"]


def test_a_script_needs_a_slack():
    with pytest.raises(ParameterError, match="slacks must have at least one slack"):
        Scripted(())


@given(sst.events())
def test_events_come_in_arrival_order(events):
    assert (np.diff(events.arrival) >= 0).all()


@given(sst.incoming().flatmap(lambda whole: st.tuples(st.just(whole), sst.splits(whole))))
def test_splits_put_together_are_the_whole(drawn):
    whole, parts = drawn
    assert whole.events.row.tolist() == [row for part in parts for row in part.events.row.tolist()]


@given(sst.event_times(unit=1_000))
def test_times_are_whole_units(times):
    assert all(time % 1_000 == 0 for time in times)


@pytest.mark.parametrize(
    "shape",
    [
        lambda times: len(times) > 3 and times == sorted(set(times)),
        lambda times: len(times) > 3 and times == sorted(times, reverse=True) and len(set(times)) > 3,
        lambda times: len(times) > len(set(times)) + 2,
        lambda times: any(time < 0 for time in times),
        lambda times: any(max(times[:n]) - times[n] > 30 * sst.SECOND for n in range(1, len(times))),
    ],
    ids=["in order", "reversed", "ties", "negative", "long delay"],
)
def test_streams_have_this_shape(shape):
    find(sst.event_times(), shape, settings=settings(max_examples=2_000, database=None, derandomize=True))


@given(sst.contracts())
def test_contracts_are_values(contract):
    assert hash(contract) == hash(contract)


@given(sst.durations(max_units=3))
def test_durations_are_bounded(duration):
    assert duration <= Duration.of("3 seconds")


@pytest.mark.parametrize(
    ("module", "package"), [("transcripts", "yaml"), ("strategies", "hypothesis"), ("laws", "hypothesis")]
)
def test_a_missing_package_says_how_to_install_it(module, package):
    code = f"import sys; sys.modules[{package!r}] = None; import slackwater.testing.{module}"
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "pip install slackwater[testing]" in run.stderr
