"""Every controller for deadlines on every set of streams: how often it is missed, and what is ready by then."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.experiments.frame.claims import Claim, at_least
from slackwater.experiments.frame.description import Cell, Column, Config, Experiment, Row
from slackwater.experiments.frame.ours import DEFAULT, FULFILLED, matrix_plots
from slackwater.experiments.frame.ours_deadline import DEADLINE_TABLE, DEADLINES, run_deadline
from slackwater.experiments.gate_run import SETTINGS

_SHORT: dict[str, str | None] = {
    "traffic": "210 seconds",
    "traffic-growing": "210 seconds",
    "syn3": "8 seconds",
    "soccer": "8 seconds",
    "nezha": "6 minutes",
    "zeek": None,
    "flights": "10 days",
    "umts": "1 minute",
}
_READY = Column("ready", "ready", "%")


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one controller on one set."""
    yield run_deadline(cell).row


def _grid(*, short: bool) -> list[Config]:
    return [
        {"set": name, "duration": duration if short else None, "target": SETTINGS[name].limit, "policy": policy}
        for name, duration in _SHORT.items()
        for policy in DEADLINES
    ]


EXPERIMENT = Experiment(
    document="ours",
    section="Merges",
    title="Deadline: every controller on every set of streams",
    about="Streams merged at a gate, read some 20 times in the time that the deadline allows; an event is ready if "
    "nothing before it can follow. Fulfilled is the share of the intervals in which nothing waited past the deadline. "
    "Hindsight is the smallest constant slack (in sixteenths of the limit) with which as many events were ready, best "
    "per interval how far the streams were apart, or what the deadline leaves. Latency is the mean over events. "
    "StaticLow is a sixth of the limit, StaticHigh twice the limit. Real sets are left out where they are not here.",
    grids={
        "smoke": [
            {"set": "traffic", "duration": "20 seconds", "target": "6 seconds", "policy": policy}
            for policy in (DEFAULT, "StaticHigh")
        ],
        "small": _grid(short=True),
        "paper": _grid(short=False),
    },
    run=run_cell,
    claims=(
        Claim(
            "the default misses no deadline",
            "our aim",
            at_least(1.0, "fulfilled", "%", policy=DEFAULT),
            why="flights, at night: an event waits until the fastest stream is past it by the slack, or until a stream "
            "is silent for as long. Where all streams speak, but hardly any event comes, neither happens in time: what "
            "is waited for is event time, and the clock hardly moves: a limit of ours (decision 0023).",
        ),
    ),
    table=DEADLINE_TABLE,
    plots=(
        *matrix_plots("Intervals within the deadline", FULFILLED, ()),
        *matrix_plots("Events that were ready when they left", _READY, ())[:1],
    ),
    in_process_only="processing time is a model, in which the gate is taken step by step.",
    in_matrix=True,
)
