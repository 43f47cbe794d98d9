"""A reorder plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.combined import Combined
from slackwater.control.choose import default_controller
from slackwater.plan.nodes import StreamsNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slackwater.contracts import Contract
    from slackwater.plan.nodes import AggregateNode, ReorderNode


def explain_reorder(node: ReorderNode, *, engine: tuple[str, ...]) -> str:
    """Describe a reorder plan; `engine` adds what the runner will do."""
    stream, contract = node.stream, node.contract
    arrival = f"in the order of {stream.arrival}" if stream.arrival else "as the engine delivers them"
    controller = contract.controller or default_controller(contract)
    lines = [
        f"reorder {stream.name!r} by {stream.event_time}",
        f"  arrival     rows {arrival}",
        f"  contract    {short(contract)}, cap {contract.longest_wait or 'none'}",
        f"  controller  {short(controller)}, a decision every {contract.interval} of event time",
        f"  late        {node.late!r}; max_ahead {stream.max_ahead or 'off'}",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in engine)])


def explain_order(node: ReorderNode) -> str:
    """Say over which rows there is one order."""
    return (
        f"order       per {', '.join(node.by)}, each with its own clock" if node.by else "order       one over all rows"
    )


def explain_buckets(node: ReorderNode) -> str:
    """Say how the rows are spread, where they are."""
    count = "1 bucket" if node.buckets == 1 else f"{node.buckets} buckets, each with its own slack"
    return f"{explain_order(node)} ({count})"


def explain_gate(contract: Contract) -> Iterator[str]:
    """Say how long a gate holds rows back, where there is one."""
    if contract.deadline is None:
        return
    left = contract.deadline.left
    if isinstance(contract, Combined) and not contract.deadline_rules:
        yield f"gate        waits for all streams; decisions say where that took longer than {left}"
    else:
        yield f"gate        a row leaves when all streams are past it, or when the fastest is more than {left} ahead"


def in_a_line(kind: str, node: ReorderNode | StreamsNode | AggregateNode, what: str) -> str:
    """Return what an output is, for its repr; `what` says what it runs over."""
    return f"<{kind} of {_names(node)}: {what}, {short(node.contract)}>"


def in_words(node: ReorderNode | StreamsNode | AggregateNode) -> str:
    """Return what runs over which streams: the name of a query that has none."""
    return f"{node.operator} of {_names(node)}"


def _names(node: ReorderNode | StreamsNode | AggregateNode) -> str:
    streams = node.streams if isinstance(node, StreamsNode) else (node.stream,)
    return ", ".join(stream.name for stream in streams)


def short(value: object) -> str:
    """Return a contract or controller in words, without what is said elsewhere."""
    if isinstance(value, Combined):
        return f"{short(value.first)} & {short(value.second)}"
    hidden = ("cap", "adaptation_interval", "controller")
    fields = {k: v for k, v in vars(value).items() if k not in hidden and v != ()}
    return f"{type(value).__name__}({', '.join(f'{k}={v}' for k, v in fields.items())})"
