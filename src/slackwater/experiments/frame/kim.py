"""What the experiments of KIM Sec. 4 share: its streams, and its method with its own buffer."""

from __future__ import annotations

from typing import Any

from slackwater.control import AdaptiveMax, NormalDelay
from slackwater.experiments.counted import run_counted
from slackwater.experiments.frame.description import Cell, Column, Config, Row, grid
from slackwater.experiments.frame.streams import dropped, figures, promise, reorder, stream_of

CONSTANT = [f"poisson-{deviation}" for deviation in range(1, 6)]
CHANGING = [f"changing-{every}" for every in (1, 3, 5)]
KIM, ADAPTIVE, OURS = "Algorithm 1", "adaptive method", "slackwater default"
SLOW = "Algorithm 1, M = 1000"  # on changing streams, where M is 100 else
RATE = 10_000  # events a second, in all of KIM's streams

DROPPED = Column("dropped", "dropped", "%")
HELD = Column("held", "buffer size", "events")
TABLE = (DROPPED, HELD, Column("kept", "periods kept", "%"))


def over(sets: list[str], *, short: bool, **choices: list[Any]) -> list[Config]:
    """Return a grid over streams of 100 s, or shorter."""
    return [
        {"set": name, "duration": "15 seconds" if short else None, **others}
        for name in sets
        for others in grid(**choices)
    ]


def run_policy(cell: Cell) -> Row:
    """Run one method on a stream; the window of the adaptive method is a second, as KIM says."""
    match cell["policy"]:
        case "Algorithm 1":
            found = algorithm_1(cell, stream_of(cell).setting.samples)
        case "Algorithm 1, M = 1000":
            found = algorithm_1(cell, 1_000)
        case "adaptive method":
            found = figures(cell, reorder(cell, promise(cell, AdaptiveMax(window=cell.config.get("W", RATE)))))
        case _:
            found = figures(cell, reorder(cell, promise(cell)))
    kind, _, number = str(cell["set"]).partition("-")
    place = {"deviation_ms": int(number)} if kind == "poisson" else {"changes_every_s": int(number)}
    return {**found, **place, "stream_kind": "constant" if kind == "poisson" else "changing"}


def algorithm_1(cell: Cell, samples: int) -> Row:
    """Run Algorithm 1 with the buffer that counts events, in process whatever the engine."""
    stream = stream_of(cell)
    arrival = stream.clock if stream.arrival_time is None else stream.arrival_time
    config = NormalDelay(samples=samples)
    run = run_counted(stream.events.time, arrival, cell["target"], config)
    return {**dropped(cell, run.dropped), "held": run.average_capacity}
