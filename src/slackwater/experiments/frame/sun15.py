"""What the experiments of SUN15 Sec. 6.3 share: quality by track duration, ABS and QCR of a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.contracts import Contract, FixedSlack, NoSlack, Recall
from slackwater.control import PD, LateDegreeModel
from slackwater.experiments.frame.description import Cell, Column, Config, Experiment, Row, grid
from slackwater.experiments.frame.joins import Way, replay_of
from slackwater.quality.compliance import average_buffer, compliance_per_ms, compliance_rate
from slackwater.quality.recall import share_found
from slackwater.sources.dataset import event_times_of
from slackwater.time import BEFORE_ALL_TIME, Duration

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.experiments.subject import Subject
    from slackwater.time import Times

SETS = ["soccer-16min", "soccer-23min"]
EXPECTATIONS = [0.8, 0.9, 0.95, 0.98]
OURS, PD_NAME = "late-degree model", "PD"
POLICIES = [OURS, PD_NAME, "Baseline1", "Baseline2", "Baseline3"]
SHORT = "2 minutes"
SMOKE = "6 seconds"

ABS = Column("abs_ms", "average buffer size", "ms")
QCR = Column("qcr", "quality compliance rate", "%")
PER_MS = Column("qcr_per_ms", "QCR/ABS", "% per ms")
TABLE = (ABS, QCR, PER_MS, Column("final_quality", "final overall quality", "%"))


@dataclass(frozen=True)
class Tracked:
    """The quality of each track duration in which the windows moved, and of all up to its end; the waits in us."""

    seconds: Floats
    each: Floats
    overall: Floats
    buffer: float

    def figures(self, expected: float, *, overall: bool) -> Row:
        """Return a run in numbers; where the overall quality is the target, it is the one that has to comply."""
        rate = compliance_rate(self.overall if overall else self.each, expected)
        return {
            "abs_ms": self.buffer / 1e3,
            "qcr": rate,
            "qcr_per_ms": compliance_per_ms(rate, self.buffer) if self.buffer else None,
            "final_quality": float(self.overall[-1]) if len(self.overall) else None,
        }


def over(*, short: bool, **choices: list[Any]) -> list[Config]:
    """Return a grid over both games."""
    return [
        {"set": name, "duration": SHORT if short else None, **others} for name in SETS for others in grid(**choices)
    ]


def about_the_data(section: str, title: str, about: str, **found: Any) -> Experiment:
    """Return an experiment that looks at both games, and runs nothing on them."""
    return Experiment(
        document="SUN15",
        section=section,
        title=title,
        about=about,
        grids={
            "smoke": [{"set": SETS[1], "duration": SMOKE}],
            "small": over(short=True),
            "paper": over(short=False),
        },
        in_process_only="it is about the data alone.",
        **found,
    )


def contract_of(cell: Cell, *, overall: bool, most: float = 1.0) -> Contract:
    """Return the contract of a policy of the document, with its standard parameters but for what the cell says."""
    duration = Duration.of(cell.config.get("track", "1 second"))
    model = LateDegreeModel(
        decay=cell.config.get("decay", 0.8), granularity=cell.config.get("g", "10 ms"), overall=overall, most=most
    )
    controller = PD(overall=overall) if cell.config.get("policy") == PD_NAME else model
    match cell.config.get("policy", OURS):
        case "Baseline1" | "Baseline3":
            return NoSlack(adaptation_interval=duration)
        case "Baseline2":
            longest = replay_of(cell, "sun15").truth.largest_delay
            return FixedSlack(Duration(longest), adaptation_interval=duration)
        case _:
            return Recall(cell["target"], over=duration, adaptation_interval=duration, controller=controller)


def tracked(cell: Cell, contract: Contract) -> Tracked:
    """Run a policy and measure it as Sec. 6.3 does; Baseline3 does not even synchronize."""
    way: Way = "sun15-unsynchronized" if cell.config.get("policy") == "Baseline3" else "sun15"
    counted, truth = replay_of(cell, way).count(contract), replay_of(cell, "sun15").truth
    ends = np.unique(counted.watermark[counted.watermark > BEFORE_ALL_TIME])
    made, there = (each.results.within(ends[:-1], ends[1:]) for each in (counted, truth))
    clocks = clocks_at(replay_of(cell, "sun15").subject, counted.at)
    return Tracked(
        seconds=(ends[1:] - ends[0]) / 1e6,
        each=share_found(made, there),
        overall=share_found(np.cumsum(made), np.cumsum(there)),
        buffer=0.0 if way == "sun15-unsynchronized" else average_buffer(clocks, counted.slack),
    )


def clocks_at(subject: Subject, at: Times) -> Times:
    """Return the clock of each stream when the larger one came to each of these times."""
    clocks = running_clocks(subject)
    return np.asarray(clocks[np.searchsorted(clocks.max(axis=1), at, side="left")], np.int64)


def running_clocks(subject: Subject) -> Times:
    """Return the clock of each stream after every arrival of any; a stream that is silent yet is where the other is."""
    arrivals = [each.frame["arrival"].to_numpy() for each in subject.streams]
    order = np.argsort(np.concatenate(arrivals), kind="stable")
    whose = np.repeat(np.arange(len(arrivals)), [len(each) for each in arrivals])[order]
    times = np.concatenate([event_times_of(each.frame) for each in subject.streams])[order]
    own = [np.maximum.accumulate(np.where(whose == stream, times, BEFORE_ALL_TIME)) for stream in range(len(arrivals))]
    clocks = np.stack(own, axis=1)
    return np.asarray(np.where(clocks == BEFORE_ALL_TIME, clocks.max(axis=1, keepdims=True), clocks), np.int64)
