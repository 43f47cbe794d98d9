"""A merge plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.control.choose import default_controller
from slackwater.plan.explain import explain_gate, short
from slackwater.plan.nodes import patience_with

if TYPE_CHECKING:
    from slackwater.plan.nodes import MergeNode


def explain_merge(node: MergeNode, *, engine: tuple[str, ...]) -> str:
    """Describe a merge plan; `engine` adds what the runner will do."""
    contract = node.contract
    names = [stream.name for stream in node.streams]
    controller = contract.controller or default_controller(contract)
    patience = {stream.name: patience_with(stream, contract) for stream in node.streams}
    idle = [f"{name} after {span}" for name, span in patience.items() if span]
    payload = "the columns that all streams share" if node.payload == "columns" else "a struct for each stream"
    lines = [
        f"merge {', '.join(map(repr, names))}",
        f"  order       {_over(node)}: by event time, then {' < '.join(names)}, then arrival",
        f"  results     event_time, stream, {'' if contract.deadline is None else 'ready, '}{payload}",
        f"  contract    {short(contract)}, cap {contract.longest_wait or 'none'}",
        f"  controller  {short(controller)}, a decision every {contract.interval} of event time",
        f"  late        {node.late!r}",
        f"  idle        {', '.join(idle) or 'every stream is waited for, however long it is silent'}",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in (*explain_gate(contract), *engine))])


def _over(node: MergeNode) -> str:
    if not node.by:
        return "one over all rows (1 bucket)"
    return f"one over the rows of each {', '.join(node.by)} ({node.buckets} buckets on Spark, each with its own clocks)"
