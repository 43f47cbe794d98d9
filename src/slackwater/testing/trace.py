"""A reorder pipeline driven batch by batch, with all that it did written down as plain values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.buffer import MemoryBuffer
from slackwater.core.keyed_buffer import KeyedBuffer
from slackwater.pipeline.reorder import Outcome, ReorderPipeline

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.pipeline.guard import Incoming
    from slackwater.plan.nodes import ReorderNode

KEYS = 3  # of a plan with keys: rows take turns


def key_of(rows: Rows) -> Rows:
    """Return the keys of rows."""
    return np.asarray(rows % KEYS, np.int64)


@dataclass(frozen=True)
class Trace:
    """What left a pipeline, in the order in which it left; plain values, so that two traces compare with `==`."""

    released: list[tuple[int, int]] = field(default_factory=list)  # (event time, row)
    late: list[tuple[int, int, str]] = field(default_factory=list)  # (row, late by, reason)
    decisions: list[tuple[int, ...]] = field(default_factory=list)

    @classmethod
    def of(cls, outcome: Outcome) -> Trace:
        """Write one outcome down."""
        released, late = outcome.released, outcome.late
        return cls(
            list(zip(released.time.tolist(), released.row.tolist(), strict=True)),
            list(zip(late.events.row.tolist(), late.late_by.tolist(), map(str, late.reason), strict=True)),
            list(zip(*(column.tolist() for column in outcome.decisions.columns()[:7]), strict=True)),
        )

    def __add__(self, other: Trace) -> Trace:
        return Trace(self.released + other.released, self.late + other.late, self.decisions + other.decisions)

    def by_row(self) -> Trace:
        """Return the same with the late events by row: batches promise no order of the `late` output."""
        return Trace(self.released, sorted(self.late), self.decisions)


class Driver:
    """Drives a pipeline over a buffer in memory; one with a clock per key where the plan says `by`.

    >>> from slackwater.contracts import FixedSlack
    >>> from slackwater.events import Events
    >>> from slackwater.pipeline.guard import Incoming
    >>> from slackwater.plan.nodes import ReorderNode, StreamNode
    >>> stream = StreamNode(name="bus", event_time="ts")
    >>> driver = Driver(ReorderNode(stream=stream, contract=FixedSlack("1 us")))
    >>> driver.on_batch(Incoming(Events.of([1, 4, 3]))).released
    [(1, 0), (3, 2)]
    >>> driver.restored().on_end().released
    [(4, 1)]
    """

    def __init__(
        self,
        node: ReorderNode,
        buffer: MemoryBuffer | KeyedBuffer | None = None,
        state: dict[str, Any] | None = None,
    ) -> None:
        self.node = node
        new = KeyedBuffer(key_of) if node.by else MemoryBuffer()
        self.buffer = new if buffer is None else buffer
        self.pipeline = ReorderPipeline(node, self.buffer, state)

    def on_batch(self, incoming: Incoming) -> Trace:
        """Take in a batch."""
        return Trace.of(self.pipeline.on_batch(incoming))

    def on_end(self) -> Trace:
        """Drain."""
        return Trace.of(self.pipeline.on_end())

    def restored(self) -> Driver:
        """Return another driver that has only what a snapshot saves, by way of JSON."""
        state = json.loads(json.dumps(self.pipeline.snapshot()))
        held = self.buffer.snapshot()
        if isinstance(self.buffer, MemoryBuffer):
            return Driver(self.node, MemoryBuffer(held), state)
        keyed = KeyedBuffer(key_of, self.buffer.keys)
        keyed.put(held)
        return Driver(self.node, keyed, state)


def run_all(node: ReorderNode, batches: Iterable[Incoming]) -> Trace:
    """Run batches through a new pipeline, then drain it."""
    driver, trace = Driver(node), Trace()
    for batch in batches:
        trace += driver.on_batch(batch)
    return trace + driver.on_end()
