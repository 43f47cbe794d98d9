"""Replays streams through their join under a contract, and measures its recall against the in-order truth.

The truth is a run that waits for everything. Recall is that of the last period, measured at every decision at the
watermark, where results can no longer change; the first period does not count (JI16 Sec. VI).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from slackwater.contracts import Contract, FixedSlack, Goal, NoSlack
from slackwater.errors import DatasetError, ParameterError
from slackwater.plan.contract_text import contract_text
from slackwater.quality.hindsight import Hindsight, smallest_constant
from slackwater.quality.latency import average_slack
from slackwater.quality.recall import Phi, ResultCounts, after_first_period, phi, share_found
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.experiments.subject import Subject
    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.time import Mask, Times

Notice: TypeAlias = Callable[[str, int, int], None]  # what runs now, how many runs are done, how many are planned

Engine: TypeAlias = "Callable[[Subject, Contract], Counted]"  # runs a join, and counts what came out

_Ran = TypeVar("_Ran")
_NO_TIMES: Times = np.empty(0, np.int64)


def nobody(what: str, done: int, planned: int) -> None:
    """Tell nobody how far it is."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a run produced and decided, as columns; of the results only how many there are at each time."""

    results: ResultCounts
    total: int
    at: Times  # the clock of the input at each decision; the one that ends the run is left out
    watermark: Times
    slack: Times
    estimated: Floats
    measured: Floats  # by the controller itself, nan where it cannot know
    largest_delay: int
    took: float  # seconds of processor time: others at work on the machine do not count


@dataclass(frozen=True, slots=True)
class Measured:
    """A run against the truth: one entry for each decision. Durations are in us."""

    at: Times
    watermark: Times
    slack: Times
    estimated: Floats
    measured: Floats
    recall: Floats  # of the period before the watermark
    true: Rows  # how many results there were to be found in it
    counts: Mask  # whether the measurement counts: the first period does not
    produced: int
    share: float  # of all true results
    took: float

    def phi(self, target: float) -> Phi:
        """Return Phi(Γ) and Phi(.99Γ)."""
        return phi(self.recall[self.counts], target)

    @property
    def average_slack(self) -> float:
        """The mean over the decisions that count."""
        at = self.at[self.counts]
        return average_slack(at, self.slack[self.counts], int(at[-1])).over_adaptations


class Replay:
    """Runs the join of a subject again and again; what was measured once is not run again."""

    def __init__(self, subject: Subject, *, notice: Notice = nobody, run: Engine | None = None) -> None:
        self.subject = subject
        self._run = run or in_process
        self._steps = Steps(notice)
        self._known: dict[tuple[Contract, int], Measured] = {}
        self._constants: dict[tuple[int, int], dict[int, Measured]] = {}  # by period and interval

    @cached_property
    def truth(self) -> Counted:
        """The run that waits for everything; its largest delay is the largest slack that can be needed."""
        return self._steps.take("the in-order truth", lambda: in_process(self.subject, FixedSlack(Duration.MAX)))

    def expect(self, runs: int) -> None:
        """Say how many more runs are to come, for those who watch."""
        self._steps.planned += runs

    def measure(self, contract: Contract, period: int) -> Measured:
        """Run under a contract, and measure its recall over periods of this many us."""
        truth = self.truth
        if (contract, period) not in self._known:
            self._known[contract, period] = self._against(self.count(contract), truth, period)
        return self._known[contract, period]

    def count(self, contract: Contract) -> Counted:
        """Run under a contract, and only count."""
        return self._steps.take(_label(contract), lambda: self._run(self.subject, contract))

    def hindsight(self, goal: Goal, share: float) -> Hindsight:
        """Find the smallest constant slack whose Phi(.99Γ) reaches a share, by bisection on the query's granularity."""
        assert goal.target is not None
        target, largest = goal.target, self.truth.largest_delay

        def nearly(slack: int) -> float:
            if slack >= largest:
                return 1.0  # nothing is lost, which needs no run to know
            return self.measure_constant(slack, goal).phi(target).nearly

        return smallest_constant(nearly, share, 0, largest, self._granularity)

    def measure_constant(self, slack: int, goal: Goal) -> Measured:
        """Measure a constant slack as a goal says; in us."""
        measured = self.measure(constant(slack, Duration(goal.interval)), goal.period)
        self._constants.setdefault((goal.period, goal.interval), {})[slack] = measured
        return measured

    def constants(self, goal: Goal) -> dict[int, Measured]:
        """Return the constant slacks that were measured as a goal says, ascending."""
        return dict(sorted(self._constants.get((goal.period, goal.interval), {}).items()))

    def on_grid(self, slacks: Floats) -> list[int]:
        """Return slacks rounded down to the query's granularity, each once."""
        return sorted({int(slack) // self._granularity * self._granularity for slack in slacks})

    @property
    def hindsight_runs(self) -> int:
        """How many runs a search takes, more or less."""
        return math.ceil(math.log2(max(2, self.truth.largest_delay / self._granularity))) + 2

    @property
    def _granularity(self) -> int:
        return Duration.of(self.subject.query.granularity).microseconds

    def _against(self, counted: Counted, truth: Counted, period: int) -> Measured:
        if not len(counted.at) or counted.at[-1] < counted.at[0] + period:
            raise DatasetError(
                self.subject.name,
                problem=f"ends within the first period of {Duration(period)}, which is not measured",
                remedy="replay more of it, or measure over a shorter period",
            )
        start, stop = counted.watermark - period, counted.watermark
        true = truth.results.within(start, stop)
        return Measured(
            at=counted.at,
            watermark=counted.watermark,
            slack=counted.slack,
            estimated=counted.estimated,
            measured=counted.measured,
            recall=share_found(counted.results.within(start, stop), true),
            true=true,
            counts=after_first_period(counted.at, int(counted.at[0]), period),
            produced=counted.total,
            share=counted.total / truth.total if truth.total else 1.0,
            took=counted.took,
        )


def constant(slack: int, interval: Duration) -> Contract:
    """Return the contract that always waits for this many us.

    >>> constant(0, Duration.of("1 second")) == NoSlack()
    True
    """
    if not slack:
        return NoSlack(adaptation_interval=interval)  # which is run anyway
    return FixedSlack(Duration(slack), adaptation_interval=interval)


def _label(contract: Contract) -> str:
    """Return what a run is called while it runs: a controller with parameters of its own has no text."""
    try:
        return contract_text(contract)
    except ParameterError:
        return f"{type(contract).__name__} by {contract.controller}"


def in_process(subject: Subject, contract: Contract) -> Counted:
    """Run a join in process."""
    return count(subject.run(contract))


def count(outcomes: Iterable[JoinOutcome]) -> Counted:
    """Run a join to its end, and keep what is needed to measure it."""
    started = time.process_time()
    parts = [_count_batch(outcome) for outcome in outcomes]
    results, completed, at, watermark, slack, max_delay, estimated, measured = map(
        np.concatenate, zip(*parts, strict=True)
    )
    decided = slice(0, -1)  # the last decision only says that the input ended
    return Counted(
        results=ResultCounts.of(results, completed),  # sorted, as results leave in order
        total=int(completed.sum()),
        at=at[decided],
        watermark=watermark[decided],
        slack=slack[decided],
        estimated=estimated[decided],
        measured=measured[decided],
        largest_delay=int(max_delay.max(initial=0)),
        took=time.process_time() - started,
    )


def _count_batch(outcome: JoinOutcome) -> tuple[Any, ...]:
    times, completed = [_NO_TIMES], [_NO_TIMES]
    for part in outcome.processed:
        productive = part.completed > 0
        times.append(np.maximum(part.events.time, part.behind)[productive])
        completed.append(part.completed[productive].astype(np.int64))
    decisions = outcome.decisions
    columns = (decisions.at, outcome.watermark, decisions.slack, decisions.max_delay)
    return np.concatenate(times), np.concatenate(completed), *columns, decisions.estimated, decisions.measured


@dataclass(slots=True)
class Steps:
    """Counts the runs, for those who watch."""

    notice: Notice
    done: int = 0
    planned: int = 1

    def take(self, what: str, run: Callable[[], _Ran]) -> _Ran:
        """Run something, and say so before and after."""
        self.notice(what, self.done, max(self.planned, self.done + 1))
        ran = run()
        self.done += 1
        self.notice(what, self.done, max(self.planned, self.done))
        return ran
