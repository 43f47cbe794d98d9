"""What the experiments of SSG17 share: the traffic join of Sec. 6 under a policy, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from slackwater.contracts import ControllerConfig
from slackwater.control import SLTuner
from slackwater.deadline import Deadline
from slackwater.experiments.deadline import policy_of, references_for
from slackwater.experiments.frame.claims import Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Config, Experiment, Plot, Row, grid
from slackwater.experiments.frame.rows import Rows, shown
from slackwater.experiments.traffic_run import INTERVAL, Policy, Ran, TrafficRun
from slackwater.sources.catalog import load

OURS, THEIRS = "SLTuner (ours)", "SLTuner, eq. 6"
LOW, HIGH, LARGEST, TCP = "StaticLow", "StaticHigh", "MaxTimestamp", "Tcp"
POLICIES = [OURS, THEIRS, "SLTuner, eq. 6, strict", LOW, HIGH, LARGEST, TCP]

TABLE = (
    Column("missed", "intervals over the deadline"),
    Column("worst_s", "worst latency", "s"),
    Column("latency_s", "average latency", "s"),
    Column("slack_s", "average slack", "s"),
    Column("slack_ready", "slack-ready", "events"),
    Column("detected", "detected", "jams"),
    Column("ready_until_s", "last second without slack-ready", "s"),
)
TUNER = (
    "The document prints neither where the search begins nor its steps, nor on what it is trained; this tuner learns "
    "while it runs, and has no guard. The strict one keeps the deadline, and passes on far more before it is ready. "
    "Ours has a guard, and knows how far the streams are apart."
)
ABOUT = (
    "500 bus and 500 SCATS reports a second, joined by area within 5 s; a step every 250 ms, a decision every second. "
    "What a step costs is assumed, so that runs repeat. Two tuners have the features of eq. 6 and trust predictions "
    "alone; the strict one waits longer only where that saves events."
)
MODEL = "processing time is a model, in which the operators are taken step by step."


def run_under(cell: Cell, policy: Policy) -> Ran:
    """Run the join."""
    return TrafficRun(load(cell["set"], seed=cell.seed, duration=cell["duration"]), policy).run()


def run_deadline(cell: Cell) -> Iterator[Row]:
    """Run one policy for a deadline."""
    contract = Deadline(cell["deadline"])
    ran = run_under(cell, policy_of(_config(cell), contract))
    missed = ran.latency >= contract.limit.microseconds
    yield {**figures(ran), **series(ran), "missed": int(missed.sum()), "kept": float(1 - missed.mean())}


def _config(cell: Cell) -> ControllerConfig:
    if cell["policy"] == OURS:
        return SLTuner()
    return references_for(load(cell["set"], duration="1 second"))[cell["policy"]]


def figures(ran: Ran) -> Row:
    """Return a run in numbers."""
    unready = ran.column("jams", "slack_ready")
    ready = np.flatnonzero(unready == 0)
    return {
        "latency_s": float(ran.latency.mean()) / 1e6,
        "worst_s": float(ran.latency.max()) / 1e6,
        "slack_s": float(ran.slack["jams"].mean()) / 1e6,
        "slack_ready": int(unready.sum()),
        "detected": int(ran.detected.sum()),
        "ready_until_s": int(ready[-1] + 1) * INTERVAL / 1e6 if len(ready) else 0.0,
    }


def series(ran: Ran) -> Row:
    """Return what happens in each second."""
    seconds = np.arange(1, len(ran.at) + 1) * INTERVAL // 1_000_000
    return {
        "seconds": seconds.tolist(),
        "latencies": (ran.latency / 1e6).round(3).tolist(),
        "slacks": (ran.slack["jams"] / 1e6).round(3).tolist(),
        "unready": ran.column("jams", "slack_ready").tolist(),
        "jams": ran.detected.tolist(),
    }


def plots(*drawn: str, lines: str = "policy") -> tuple[Plot, ...]:
    """Return figures over time, of those of latencies, slacks, unready and jams that are named."""
    heads = {
        "latencies": ("Latency", Column("latencies", "latency", "s")),
        "slacks": ("Slack", Column("slacks", "slack", "s")),
        "unready": ("Slack-ready events", Column("unready", "slack-ready", "events per second")),
        "jams": ("Detected jams", Column("jams", "detected", "jams per second")),
    }
    return tuple(
        Plot(
            kind="over_time",
            heading=heads[name][0],
            caption="In each second.",
            x=Column("seconds", "time", "s"),
            y=heads[name][1],
            lines=(lines,),
        )
        for name in drawn
    )


def of(rows: Rows, metric: str, *policies: str) -> list[float]:
    """Return a metric of each of these policies, over seeds."""
    return [rows.where(policy=policy).mean(metric) for policy in policies]


def less(metric: str, first: str, second: str) -> Any:
    """Return a check of whether one policy has less of a metric than another."""

    def check(rows: Rows) -> Judged:
        one, other = of(rows, metric, first, second)
        return Judged(f"{shown(one)} against {shown(other)}", one < other)

    return check


def misses(policy: str, expected: bool) -> Any:
    """Return a check of whether a policy misses the deadline at all."""

    def check(rows: Rows) -> Judged:
        missed, worst = (of(rows, metric, policy)[0] for metric in ("missed", "worst_s"))
        return Judged(f"{missed:.3g} intervals; worst {worst:.4g} s", (missed > 0) == expected)

    return check


def all_ready(policy: str) -> Any:
    """Return a check of whether a policy passes nothing on before it is ready."""

    def check(rows: Rows) -> Judged:
        (unready,) = of(rows, "slack_ready", policy)
        return Judged(f"{unready:,.0f} events", unready == 0)

    return check


def high_waits(where: str) -> tuple[Claim, ...]:
    """Return what both figures say of Static High."""
    return (
        Claim("Static High does not have slack-ready tuples", where, all_ready(HIGH)),
        Claim("Static High violates the deadline", where, misses(HIGH, True)),
    )


def under_deadline(
    figure: str, title: str, about: str, claims: tuple[Claim, ...], *, name: str, deadline: str, smoke: str
) -> Experiment:
    """Return an experiment with all policies under a deadline; the smoke scale has few of them, for as long as said."""
    ours = Claim("(ours) our tuner misses no deadline, from the first second on", "our aim", misses(OURS, False))

    def cells(policies: Sequence[str], duration: str) -> Sequence[Config]:
        return grid(set=[name], duration=[duration], deadline=[deadline], policy=policies)

    return Experiment(
        document="SSG17",
        section=f"Sec. 6, {figure}",
        title=title,
        about=f"{about} {ABOUT}",
        grids={
            "smoke": cells([OURS, THEIRS, LOW, HIGH], smoke),
            "small": cells(POLICIES, "210 seconds"),
            "paper": cells(POLICIES, "350 seconds"),
        },
        run=run_deadline,
        claims=(*claims, *high_waits(f"Sec. 6, {figure}"), ours),
        table=TABLE,
        plots=plots("latencies", "slacks", "unready", "jams"),
        in_process_only=MODEL,
    )
