"""A batch of an aggregate, cut where prods and punctuations act."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from slackwater.core.prods import Prods
from slackwater.pipeline.emitted import Emitted
from slackwater.pipeline.marks import Answer, Mark
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from slackwater.core.aggregate import WindowAggregateLogic
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.cells import Input
    from slackwater.core.closing import Closed
    from slackwater.core.prods import Ask
    from slackwater.events import Rows
    from slackwater.pipeline.compared import ComparedEarly
    from slackwater.pipeline.early_chosen import ChosenProds
    from slackwater.pipeline.early_estimates import Estimates
    from slackwater.pipeline.tower import Tower
    from slackwater.time import Times

_NONE = np.empty(0, np.int64)
LAST = 2**63 - 1  # no arrival is later


@dataclass(slots=True)
class Stage:
    """Steps up to `stop`, and what acts after them."""

    stop: int
    at: int  # the arrival of what acts; LAST: nothing does
    punctuations: list[Mark] = field(default_factory=list)
    prods: list[Mark] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)  # of the clock


def stages(arrivals: Arrivals, prods: Prods, marks: Iterable[Mark], *, clock: int, slide: int) -> list[Stage]:
    """Cut a batch where something acts; `clock` is that before the batch. The last stage is its end."""
    arrival = arrivals.arrival_of_steps()
    found: dict[int, Stage] = {}  # by arrival: what acts at one is a stage, also where no event came between two

    def stage(at: int) -> Stage:
        return found.setdefault(at, Stage(int(np.searchsorted(arrival, at, side="right")), at))

    if arrivals.steps:
        for step, ask in prods.due(arrivals.clock, clock, slide):
            stage(int(arrival[step])).asks.append(ask)
    for mark in marks:
        which = stage(mark.arrival)
        (which.prods if mark.kind == "prod" else which.punctuations).append(mark)
    return [*(found[at] for at in sorted(found)), Stage(arrivals.steps, LAST)]


def with_chosen(cuts: Iterable[Stage], arrivals: Arrivals, chosen: ChosenProds | None) -> Iterator[Stage]:
    """Cut a batch also where prods act that are chosen on the way; each stage must be done before the next is asked."""
    if chosen is None:
        yield from cuts
        return
    arrival, done = arrivals.arrival_of_steps(), 0
    for stage in cuts:
        while (step := chosen.due(arrivals.clock, done)) is not None and arrival[step] < stage.at:
            yield Stage(step + 1, int(arrival[step]), asks=[chosen.ask(int(arrivals.clock[step]))])
            chosen.choose()
            done = step + 1
        if step is not None and arrival[step] == stage.at:
            stage.asks.append(chosen.ask(int(arrivals.clock[step])))
            yield stage
            chosen.choose()
            done = step + 1
        else:
            yield stage


class StagedRun:
    """Takes a batch through the operator, stage by stage."""

    def __init__(
        self,
        logic: WindowAggregateLogic,
        arrivals: Arrivals,
        group: Rows,
        inputs: Sequence[Input],
        slack: Times,
        tower: Tower,
        leads: tuple[int, ...] = (),
        compared: ComparedEarly | None = None,
        aside: Rows = _NONE,
    ) -> None:
        self._logic, self._arrivals, self._slack = logic, arrivals, slack
        self._group, self._inputs = group, inputs
        self._aside = np.isin(np.arange(len(arrivals.events)), aside) if len(aside) else None
        self._clock = np.append(BEFORE_ALL_TIME if logic.clock is None else logic.clock, arrivals.clock)
        self._tower, self._leads, self._compared = tower, leads, compared
        self._steps = self._events = 0  # that are done
        self._parts: list[Emitted] = []
        self._late: list[tuple[Rows, Times]] = []
        self.answers: list[Answer] = []

    def through(self, stage: Stage) -> None:
        """Take in the steps of a stage, then do what acts after them."""
        asks = [*stage.asks, *self._asked_by_leads(stage)]
        if stage.stop > self._steps:
            self._take_in(stage.stop, last_is_quiet=bool(asks))
        for mark in stage.punctuations:
            closed = self._tower.on_closed(self._logic.on_punctuation(mark.punctuation()))
            if self._compared is not None:
                self._compared.on_closed(closed, self._logic.closed_to, int(self._clock[stage.stop]))
            self._emit(closed, step=stage.stop - 1)
        own = len(asks)
        asks += [self._tower.ask_of(mark) for mark in stage.prods]
        if asks:
            shown, counts = self._tower.on_prod(asks)
            self._emit(shown, step=stage.stop - 1, estimates=self._estimated(shown, asks, stage.stop))
            for mark, count in zip(stage.prods, counts[own:], strict=True):
                self.answers.append(Answer(mark, self._logic.clock, count))

    @property
    def emitted(self) -> Emitted | None:
        """All results so far."""
        return Emitted.concat(self._parts)

    @property
    def late(self) -> Rows:
        """The positions of late events in the batch."""
        return np.concatenate([_NONE, *(late for late, _ in self._late)])

    @property
    def late_behind(self) -> Times:
        """How far windows were closed when each of them came."""
        return np.concatenate([_NONE, *(behind for _, behind in self._late)])

    def _asked_by_leads(self, stage: Stage) -> list[Ask]:
        """Return what leads ask for after the last step, where something else acts then: nothing is shown twice."""
        last = stage.stop - 1
        if stage.at == LAST or last < self._steps or int(self._arrivals.arrival_of_steps()[last]) != stage.at:
            return []
        due = Prods(self._leads).due(self._arrivals.clock[last : last + 1], int(self._clock[last]), self._logic.slide)
        return [ask for _, ask in due]

    def _take_in(self, stop: int, *, last_is_quiet: bool) -> None:
        part = self._arrivals
        if stop - self._steps < part.steps:
            part = part.part(self._steps, stop)
        which = slice(self._events, self._events + len(part.events))
        closed = self._logic.on_batch(
            part,
            self._group[which],
            [each[which] for each in self._inputs],
            slack=self._slack[self._steps : stop],
            leads=self._leads,
            last_is_quiet=last_is_quiet,
            aside=None if self._aside is None else self._aside[which],
        )
        if self._compared is not None:
            self._compared.on_batch(part, closed, slack=int(self._slack[stop - 1]))
        self._emit(self._tower.on_closed(closed), step=self._steps)
        self._late.append((closed.late + self._events, closed.late_behind))
        self._steps, self._events = stop, which.stop

    def _estimated(self, shown: Closed, asks: Sequence[Ask], stop: int) -> Estimates | None:
        if self._compared is None or shown.windows is None:
            return None
        some = bool(self._logic.promised) or any(ask.groups is not None for ask in asks)
        return self._compared.on_shown(shown.windows, clock=int(self._clock[stop]), some=some)

    def _emit(self, closed: Closed, *, step: int, estimates: Estimates | None = None) -> None:
        if self._compared is not None:
            closed, estimates = self._compared.leaving(closed, estimates)
        emitted = Emitted.of(closed, step=step, clock=self._clock, estimates=estimates)
        if emitted is not None:
            self._parts.append(emitted)
