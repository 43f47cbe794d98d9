"""How a trigger lets a plan run: rows wait for the next batch, and a run that ends has no timers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from slackwater.errors import ParameterError
from slackwater.plan.nodes import AggregateNode, ReorderNode, StreamsNode, endlessly_patient, patient
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.deadline import Deadline

Node = TypeVar("Node", bound=ReorderNode | AggregateNode | StreamsNode)


@dataclass(frozen=True, slots=True)
class Pace:
    """How far batches are apart, where the trigger says it, and whether the run ends with its input."""

    between: Duration | None = None
    ends: bool = False

    @classmethod
    def of(cls, trigger: Any) -> Pace:
        """Read what Spark's own trigger takes."""
        if trigger is not None and not isinstance(trigger, dict):
            remedy = 'such as {"availableNow": True} or {"processingTime": "1 second"}'
            raise ParameterError("trigger", trigger, must="be a dict of what Spark's own takes", remedy=remedy)
        given = trigger or {}
        interval = given.get("processingTime")
        between = None if interval is None else Duration.of(interval, parameter="trigger")
        return cls(between, bool(given.get("availableNow") or given.get("once")))

    def within(self, node: Node) -> Node:
        """Return the same plan as the trigger lets it run.

        Rows wait for the next batch, so less is left of a deadline. A run that ends with its input loses no patience
        with silent streams: it gets no timers, with which Spark would never end it.
        """
        deadline = node.contract.deadline
        if deadline is not None and self.between is not None:
            _check_left(deadline, self.between)
            node = replace(node, contract=node.contract.after(self.between))
        return endlessly_patient(node) if self.ends else patient(node)


def _check_left(deadline: Deadline, between: Duration) -> None:
    """Check that batches which are so far apart can keep a deadline."""
    needed = Duration(deadline.latency.microseconds + between.microseconds)
    if deadline.limit <= needed:
        raise ParameterError(
            "limit",
            str(deadline.limit),
            must=f"be more than {between} between two batches and {deadline.latency} that are no waiting either",
            remedy=f"{Duration(needed.microseconds + 1_000)} is the shortest deadline; or trigger more often",
        )
