"""A plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.control.choose import default_controller

if TYPE_CHECKING:
    from slackwater.plan.nodes import JoinNode, ReorderNode


def explain_reorder(node: ReorderNode, *, engine: tuple[str, ...]) -> str:
    """Describe a reorder plan; `engine` adds what the runner will do."""
    stream, contract = node.stream, node.contract
    arrival = f"in the order of {stream.arrival}" if stream.arrival else "as the engine delivers them"
    controller = contract.controller or default_controller(contract)
    lines = [
        f"reorder {stream.name!r} by {stream.event_time}",
        f"  arrival     rows {arrival}",
        f"  contract    {_short(contract)}, cap {contract.longest_wait or 'none'}",
        f"  controller  {_short(controller)}, a decision every {contract.interval} of event time",
        f"  late        {node.late!r}; max_ahead {stream.max_ahead or 'off'}",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in engine)])


def explain_join(node: JoinNode, *, engine: tuple[str, ...]) -> str:
    """Describe a join plan; `engine` adds what the runner will do."""
    contract, names = node.contract, [stream.name for stream in node.streams]
    controller = contract.controller or default_controller(contract)
    windows = ", ".join(f"{name} {window}" for name, window in zip(names, node.windows, strict=True))
    lines = [
        f"join {', '.join(map(repr, names))}",
        f"  windows     {windows}",
        *(f"  {line}" for line in _explain_condition(node, names)),
        f"  contract    {_short(contract)}, cap {contract.longest_wait or 'none'}",
        f"  controller  {_short(controller)}, a decision every {contract.interval} of event time",
        f"  late        {node.late!r}",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in engine)])


def _explain_condition(node: JoinNode, names: list[str]) -> list[str]:
    """Say how partners are found: by key, within the window, and what is checked on the way."""
    condition = node.condition
    lines = [
        f"hash        {' = '.join(f'{names[c.stream]}.{c.column}' for c in key.columns)}"
        for key in condition.key_classes
    ]
    lines += [f"filter      {part.sql} (before the join)" for part in condition.filters]
    lines += [f"check       {part.sql} (on pairs, as soon as its streams are bound)" for part in condition.residuals]
    if condition.function is not None:
        lines.append("check       a Python function (on combinations)")
    if not condition.key_classes:
        lines.insert(0, "nested      every pair within the windows")
    if len(names) > 2:
        lines.append("order       streams that offer fewest partners first, measured on a sample of every batch")
    return lines


def explain_buckets(node: ReorderNode) -> str:
    """Say how the rows are spread, where they are."""
    if node.buckets == 1:
        return "order       one over all rows (1 bucket)"
    return f"order       per {', '.join(node.by)} ({node.buckets} buckets, each with its own clock)"


def explain_scope(node: JoinNode, *, streaming: bool) -> str:
    """Say who decides the slack."""
    if node.buckets == 1:
        return f"scope       {node.scope}: one bucket, which keeps the contract"
    if node.scope == "bucket":
        return "scope       bucket: each bucket decides its slack and keeps the contract by itself"
    if not streaming:
        return "scope       global: but a bounded run has no batches to learn from, so each bucket decides by itself"
    return (
        "scope       global: the driver adds up what all buckets see and decides one slack, which they follow from the "
        f"next batch on; one that hears nothing new for {node.contract.period} of event time decides by itself"
    )


def _short(value: object) -> str:
    hidden = ("cap", "adaptation_interval", "controller")
    fields = {k: v for k, v in vars(value).items() if k not in hidden and v != ()}
    return f"{type(value).__name__}({', '.join(f'{k}={v}' for k, v in fields.items())})"
