"""A step in delay: how soon controllers notice, how much is lost until then, and how soon they let go again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from slackwater.experiments.frame.claims import Claim, at_most
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row, grid
from slackwater.experiments.frame.joins import SECOND, thinned
from slackwater.experiments.frame.ours import DEFAULT, RECALLS
from slackwater.experiments.frame.step import QUERY, step_replay
from slackwater.experiments.needs import needs_of
from slackwater.quality.recall import NEARLY
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.experiments.replay import Measured

_POLICIES = [DEFAULT, "ModelSearch", "ModelSearch without eq. 7", "LateDegreeModel", "PD", "MaxSlack"]
_LET_GO = 2.0  # times the slack that is needed


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one controller over the step."""
    replay = step_replay(cell.seed, cell["length"], cell.engine)
    contract = RECALLS[cell["policy"]](cell["target"], over=QUERY.period, adaptation_interval=QUERY.adaptation_interval)
    measured = replay.measure(contract, Duration.of(QUERY.period).microseconds)
    third = Duration.of(cell["length"]).microseconds // 3
    start = int(measured.at[0]) // SECOND * SECOND
    needed = needs_of(replay.subject.plan).periods(10 * SECOND, SECOND // 2)
    smallest = needed.smallest(1 - NEARLY * cell["target"])
    calm, rough = (float(np.median(smallest[_within(needed.at, start + part * third, third)])) for part in (0, 1))
    yield {
        **_reaction(measured, start + third, third, cell["target"]),
        "release_s": _release(measured, start + 2 * third, _LET_GO * calm),
        "calm_slack_s": _mean(measured, start, third) / SECOND,
        "rough_slack_s": _mean(measured, start + third, third) / SECOND,
        "calm_needed_s": calm / SECOND,
        "rough_needed_s": rough / SECOND,
        "seconds": thinned((measured.at - start) / SECOND),
        "slack_s": thinned(measured.slack / SECOND, np.maximum),
        "recall": thinned(measured.recall),
    }


def _reaction(measured: Measured, step: int, length: int, target: float) -> Row:
    """Return what was lost after the step: measurements below .99Γ, and when the last of them was."""
    after = _within(measured.at, step, length) & measured.counts
    below = after & (measured.recall < NEARLY * target)
    last = int(measured.at[below][-1]) - step if below.any() else 0
    return {
        "violations": float(below.sum() / max(int(after.sum()), 1)),
        "reaction_s": last / SECOND,
        "lowest_recall": float(measured.recall[after].min()),
    }


def _release(measured: Measured, step: int, enough: float) -> float:
    """Return how long after the step back the slack was above what is enough, in s."""
    above = (measured.at >= step) & (measured.slack > enough)
    return (int(measured.at[above][-1]) - step) / SECOND if above.any() else 0.0


def _mean(measured: Measured, start: int, length: int) -> float:
    return float(measured.slack[_within(measured.at, start, length) & measured.counts].mean())


def _within(at: np.ndarray, start: int, length: int) -> np.ndarray:
    """Return which instants lie in a part, but for its first period, of which a half belongs to the part before."""
    return (at >= start) & (at < start + length)


EXPERIMENT = Experiment(
    document="ours",
    section="Change",
    title="A step in delay: reaction, losses, release",
    about="Two streams of 200 events a second with exponential delays of 20 ms, in the middle third of 200 ms; "
    "P = 10 s, L = 0.5 s. Reaction is when the last measurement below .99Γ after the step was taken (a period is 10 s "
    "long, so what is lost at once shows for as long), violations their share in that third, release how long after "
    "the step back more than twice the needed slack was waited for.",
    grids={
        "smoke": grid(length=["60 seconds"], target=[0.95], policy=[DEFAULT]),
        "small": grid(length=["3 minutes"], target=[0.95], policy=_POLICIES),
        "paper": grid(length=["15 minutes"], target=[0.9, 0.95, 0.99], policy=_POLICIES),
    },
    seeds={"smoke": (1,), "small": (1, 2), "paper": (1, 2, 3, 4, 5)},
    run=run_cell,
    claims=(
        Claim(
            "the default is back above .99Γ within three periods of the step",
            "our aim",
            at_most(30, "reaction_s", "s", policy=DEFAULT),
        ),
    ),
    table=(
        Column("reaction_s", "reaction", "s"),
        Column("violations", "violations", "%"),
        Column("lowest_recall", "lowest recall"),
        Column("release_s", "release", "s"),
        Column("calm_slack_s", "slack before", "s"),
        Column("rough_slack_s", "slack after", "s"),
        Column("rough_needed_s", "needed after", "s"),
    ),
    plots=tuple(
        Plot(
            kind="over_time",
            heading=heading,
            caption="Delays are ten times as long in the middle third.",
            x=Column("seconds", "event time", "s"),
            y=y,
            lines=("policy",),
            panels=("target",),
            y_log=log,
        )
        for heading, y, log in (
            ("Slack around the step", Column("slack_s", "slack", "s"), True),
            ("Recall of the last 10 s", Column("recall", "recall"), False),
        )
    ),
)
