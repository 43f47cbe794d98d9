"""The merge operator with its synchronized inputs and controller: a join's first half."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.event_needs import EventNeeds
from slackwater.core.merge import Merge, MergeLogic, MergeState
from slackwater.events import Tagged
from slackwater.pipeline.join import StreamsPipeline

if TYPE_CHECKING:
    from slackwater.pipeline.foresight import Profile
    from slackwater.pipeline.join import Held
    from slackwater.pipeline.join_outcome import JoinOutcome
    from slackwater.time import Mask


class MergePipeline(StreamsPipeline):
    """Drives one merge."""

    total_order = True
    _operator: MergeLogic

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides what is held, as values that JSON can hold."""
        left = self._operator.snapshot()
        return {**super().snapshot(), "stream": None if left is None else left.stream}

    def _build(self, held: Held, state: dict[str, Any]) -> MergeLogic:
        left = None if state.get("time") is None else MergeState(state["time"], state["stream"])
        return Merge(len(self._delays)).build(left)

    def _profile(self, held: Held, state: dict[str, Any]) -> Profile:
        return EventNeeds(len(self._delays), total_order=True)


def merged_ready(outcomes: Iterable[JoinOutcome]) -> Mask:
    """Return for each event that left in order whether it was ready: at the end it is."""
    parts = (each for outcome in outcomes for each in outcome.processed)
    flags = [
        np.ones(int(part.in_order.sum()), np.bool_) if part.ready is None else part.ready[part.in_order]
        for part in parts
    ]
    return np.concatenate([np.empty(0, np.bool_), *flags])


def merged_events(outcomes: Iterable[JoinOutcome]) -> Tagged:
    """Return the events that left in order."""
    parts = (each for outcome in outcomes for each in outcome.processed)
    return Tagged.concat([part.events[part.in_order] for part in parts])
