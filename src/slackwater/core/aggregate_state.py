"""What an aggregate remembers between two batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.core.cells import Cells
from slackwater.core.punctuations import NOTHING_PROMISED, Promised


@dataclass(frozen=True, slots=True)
class AggregateState:
    """All that an aggregate remembers: the clock, what is closed, the cells of each open pane, what was shown."""

    clock: int | None = None
    reached: int | None = None  # the largest horizon so far: what it closed stays closed
    panes: Mapping[int, Cells] = field(default_factory=dict)
    promised: Promised = NOTHING_PROMISED
    shown: Cells | None = None  # of windows and groups that were shown early: how often
    seen: Cells | None = None  # of groups whose windows are reported without events too: the last one with events
