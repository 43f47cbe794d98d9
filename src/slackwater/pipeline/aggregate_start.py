"""What an aggregate starts from: its plan, and what it had saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slackwater.core.aggregate_state import AggregateState
from slackwater.core.prods import Prods
from slackwater.core.punctuations import Promised
from slackwater.time import BEFORE_ALL_TIME

if TYPE_CHECKING:
    from slackwater.core.cells import Cells
    from slackwater.plan.nodes import AggregateNode


def prods_of(node: AggregateNode) -> Prods:
    """Return when the clock asks for early results."""
    assert node.early is not None
    every = None if node.early.every is None else node.early.every.microseconds
    return Prods(node.early.leads(node.size.microseconds, node.slide.microseconds), every)


def restored(state: dict[str, Any], panes: Mapping[int, Cells], notes: Mapping[str, Cells]) -> AggregateState:
    """Return what the operator goes on from: small values, the cells of its panes, and notes."""
    said = state.get("promised", {})
    ranges = tuple((int(since), int(until)) for since, until in said.get("ranges", ()))
    promised = Promised(said.get("until", BEFORE_ALL_TIME), ranges, notes.get("bounds"))
    return AggregateState(
        state.get("clock"), state.get("reached"), panes, promised, notes.get("shown"), notes.get("seen")
    )
