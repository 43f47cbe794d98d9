"""The recall that decisions show: a bad period is admitted once its late events have come, and none is made up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.contracts import NO_GOAL
from slackwater.core import needs
from slackwater.time import Duration

PERIOD, LATEST = 2_000_000, 1_000_000  # us
NEAR = 0.03  # periods of decisions end with a part of themselves


@dataclass(frozen=True)
class NoWait:
    """Looks at arrivals, but never waits: what is late is lost, and the join is as far as the input."""

    def build(self, state=None, goal=NO_GOAL):
        members = {
            "learns_from": "arrivals",
            "observe": lambda _, measurement: None,
            "next_slack": lambda _: Duration.ZERO,
            "snapshot": lambda _: {},
        }
        return type("NoWaitController", (), members)()


def streams() -> list[sw.Stream]:
    """Two streams of a row every 10 ms for 15 seconds, of which a fifth comes up to a second late."""
    random, rows, found = np.random.default_rng(3), 1_500, []
    for name in "ab":
        time = np.arange(rows) * 10_000
        delay = np.where(random.random(rows) < 0.2, random.integers(0, LATEST, rows), 0)
        order = np.argsort(time + delay, kind="stable")
        table = pa.table({"ts": time[order], "key": random.integers(0, 5, rows)[order]})
        found.append(sw.stream(table, name=name, event_time="ts", unit="us"))
    return found


def said_and_true() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the time of each decision, the recall that it shows, and that of the period before it in the end."""
    contract = sw.Recall(0.6, over="2 seconds", adaptation_interval="100 ms", controller=NoWait())
    out, rest = (
        sw.join(*streams(), on="key", within="50 ms", contract=each) for each in (contract, sw.FixedSlack("1 minute"))
    )
    decisions = out.decisions[:-1]
    at, said = decisions["at"].cast(pa.int64()).to_numpy(), decisions["measured"].to_numpy()
    produced, there = (each.results["event_time"].cast(pa.int64()).to_numpy() for each in (out, rest))
    counts = [np.searchsorted(each, at) - np.searchsorted(each, at - PERIOD) for each in (produced, there)]
    whole = at > PERIOD
    return at[whole], said[whole], (counts[0] / counts[1])[whole]


def test_a_bad_period_is_admitted_once_its_late_events_have_come():
    at, said, true = said_and_true()
    known = [said[(at >= end) & (at <= end + LATEST + 200_000)].min() for end in at]
    assert 100 < len(at)
    assert [] == [each for each in zip(known, true, strict=True) if each[0] > each[1] + NEAR]


def test_no_bad_period_is_made_up():
    at, said, true = said_and_true()
    worst = [true[(at >= end - LATEST - 200_000) & (at <= end)].min() for end in at]
    assert [] == [each for each in zip(said, worst, strict=True) if each[0] < each[1] - NEAR]


def test_of_very_many_lost_events_a_sample_is_asked(monkeypatch):
    exact = said_and_true()[1]
    monkeypatch.setattr(needs, "_MOST_LOST", 1)
    sampled = said_and_true()[1]
    assert not np.array_equal(exact, sampled)
    assert np.mean(exact) == pytest.approx(np.mean(sampled), abs=0.05)
