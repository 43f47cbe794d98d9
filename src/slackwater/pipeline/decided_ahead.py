"""All slacks of a batch of a reorder, decided before its events go to the buffer.

What was late decides the next slack. That depends on what the buffer holds, but on the times alone, and these are
followed in a compiled pass (`core/late_ahead.py`). So the buffer need not run from decision to decision.
See docs/decisions/0045.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slackwater.control.controller import estimated_by, slack_within
from slackwater.measurement import Counts, Measurement
from slackwater.pipeline.boundaries import stretches_of

if TYPE_CHECKING:
    from slackwater.control.controller import Controller
    from slackwater.core.arrivals import Arrivals
    from slackwater.core.late_ahead import LateAhead
    from slackwater.core.reorder import KSlackLogic
    from slackwater.events import Rows
    from slackwater.measurement import Numbers
    from slackwater.pipeline.kept import KeptShare
    from slackwater.time import Times

ROWS_OF_A_PART = 10_000  # on average: with more, a run of the buffer costs less than to follow times beforehand


@dataclass(frozen=True, slots=True)
class DecidedAhead:
    """What a controller has decided, and where events will be once the batch has passed."""

    slack: Times  # of each step
    crossed: Rows  # the steps at which a decision fell due
    measured: Numbers  # at each of these; nan where nothing is known
    estimated: Numbers
    counts: Counts


def decide_ahead(
    controller: Controller,
    kept: KeptShare,
    kslack: KSlackLogic,
    counts: Counts,
    arrivals: Arrivals,
    *,
    crossed: Rows,
    passed: Rows,
) -> DecidedAhead | None:
    """Lead a controller through a batch whose clock has `passed` so many boundaries at the steps that `crossed` any.

    None where the buffer cannot say beforehand what will be late: then nothing has happened.
    """
    ahead = kslack.late_ahead(arrivals)
    if ahead is None:
        return None
    leading = _Leading(controller, kept, kslack, ahead, counts)
    slacks, known, boundaries = [], [], [*passed.tolist(), 0]
    for number, (start, stop) in enumerate(stretches_of(crossed, arrivals.steps)):
        slack, measured, estimated = leading.through(arrivals, start, stop, boundaries[number])
        slacks.append(slack)
        if boundaries[number]:
            known.append((measured, estimated))
    measured_by, estimated_at = np.array(known, np.float64).reshape(-1, 2).T
    return DecidedAhead(np.concatenate(slacks), crossed, measured_by, estimated_at, leading.counts)


class _Leading:
    """Tells a controller about part after part of a batch."""

    def __init__(
        self, controller: Controller, kept: KeptShare, kslack: KSlackLogic, ahead: LateAhead, counts: Counts
    ) -> None:
        self._controller, self._kept, self._kslack, self._ahead = controller, kept, kslack, ahead
        self.counts = counts

    def through(
        self, arrivals: Arrivals, start: int, stop: int, intervals: int
    ) -> tuple[Times, float | None, float | None]:
        """Return the slack in steps that end with so many intervals, what was measured by then, what was expected."""
        delays, at, before = arrivals.delays(start, stop), int(arrivals.clock[stop - 1]), self.counts
        slack = slack_within(self._controller, delays, arrivals.arriving(start, stop))
        released, late = self._ahead.on_part(start, self._kslack.horizon(arrivals, slack, start, stop))
        came, gone = len(delays), released + late
        self.counts = Counts(
            before.arrived + came, before.released + released, before.late + late, before.buffered + came - gone
        )
        measured = self._kept.follow_part(came, late, at if intervals else None)
        estimated = estimated_by(self._controller)
        self._controller.observe(
            Measurement(
                at=at,
                intervals=intervals,
                slack=int(slack[-1]),
                max_delay=int(delays.max()),
                delays=delays,
                counts=self.counts,
                late=late,
                kept=measured,
            )
        )
        return slack, measured, estimated
