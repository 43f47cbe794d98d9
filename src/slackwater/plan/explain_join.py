"""A join plan in words, before it runs and with what was measured when it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from slackwater.control.choose import default_controller
from slackwater.plan.explain import explain_gate, short

if TYPE_CHECKING:
    from slackwater.core.work import StepWork, Work
    from slackwater.plan.conjuncts import Band
    from slackwater.plan.nodes import JoinNode

_INDENT = " " * 12


def explain_join(node: JoinNode, *, engine: tuple[str, ...], work: Work | None = None) -> str:
    """Describe a join plan; `engine` adds what the runner will do, `work` what was measured and chosen."""
    contract, names = node.contract, _names(node)
    controller = contract.controller or default_controller(contract)
    windows = ", ".join(f"{name} {window}" for name, window in zip(names, node.windows, strict=True))
    lines = [
        f"join {', '.join(map(repr, names))}",
        f"  windows     {windows}",
        *(f"  {line}" for line in _explain_condition(node, names)),
        f"  contract    {short(contract)}, cap {contract.longest_wait or 'none'}",
        f"  controller  {short(controller)}, a decision every {contract.interval} of event time",
        f"  late        {node.late!r}",
        *(f"  {line}" for line in (*explain_gate(contract), *engine)),
        *(f"  {line}" for line in explain_work(node, work) if work is not None),
    ]
    return "\n".join(lines)


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


def explain_work(node: JoinNode, work: Work | None) -> Iterator[str]:
    """Say how partners were found, step by step in the order of the search: with which kernel, and how many.

    A step binds one more stream to those before the arrow. *In the window* are events with its keys, if it has any;
    *partners* satisfy all conditions that can be checked by then.
    """
    if work is None or not work.steps:
        return
    yield "measured    how partners were found (exact for hash; for band and nested, a sample says what was looked at)"
    names = _names(node)
    for (path, stream), step in sorted(
        work.steps.items(), key=lambda each: (each[0][0][0], len(each[0][0]), -each[1].asked)
    ):
        if step.asked:
            bound = ", ".join(names[each] for each in path)
            yield f"{_INDENT}{bound} -> {names[stream]}: {_kernels(node, path, stream, step)}"
            yield f"{_INDENT}  {_numbers(step)}"


def _explain_condition(node: JoinNode, names: list[str]) -> Iterator[str]:
    """Say how partners are found: by key, within the window, and what is checked on the way."""
    condition = node.condition
    for key in condition.key_classes:
        yield f"hash        {' = '.join(f'{names[c.stream]}.{c.column}' for c in key.columns)}"
    keyed = {stream for key in condition.key_classes for stream in key.streams}
    if not keyed:
        yield "nested      every pair within the windows"
    elif len(keyed) < len(names):
        rest = [name for stream, name in enumerate(names) if stream not in keyed]
        yield f"nested      {', '.join(rest)}: everything within the window"
    for band in condition.bands:
        yield f"band        {_written(band, names)} (nearby cells only, if a sample says that this costs less)"
    for part in condition.filters:
        yield f"filter      {part.sql} (before the join)"
    for part in condition.residuals:
        yield f"check       {part.sql} (on pairs, as soon as its streams are bound)"
    if condition.function is not None:
        yield "check       a Python function (on combinations)"
    if len(names) > 2:
        yield "order       what leaves fewest combinations for least work first, measured on a sample now and then"


def _kernels(node: JoinNode, path: Sequence[int], stream: int, step: StepWork) -> str:
    """Name the kernels of a step, most used first."""
    hashed = any(stream in key.streams and {*path} & {*key.streams} for key in node.condition.key_classes)
    words = []
    for bands, asked in step.bands.most_common():
        on = [_columns(node.condition.bands[band]) for band in bands]
        parts = (["hash"] if hashed else []) + ([f"band on {' and '.join(on)}"] if on else [])
        share = "" if len(step.bands) == 1 else f" ({asked:,} times)"
        words.append((" + ".join(parts) or "nested") + share)
    return ", ".join(words)


def _numbers(step: StepWork) -> str:
    """Say what one that asked found on average: in its window, of that in nearby cells, of that what fits."""
    window, looked_at, partners = (_mean(total, step.asked) for total in (step.offered, step.looked_at, step.partners))
    if step.partners == step.offered:
        return f"{step.asked:,} asked, each found {partners} partners; nothing else was looked at"
    cells = f", looked at {looked_at} of them" if any(step.bands) else ""
    found = f"{step.asked:,} asked, each had {window} in the window{cells} and found {partners} partners"
    per_partner = f", {step.looked_at / step.partners:,.1f} looked at per partner" if step.partners else ""
    return f"{found} ({step.partners / step.offered:.2%}{per_partner})"


def _mean(total: float, count: int) -> str:
    mean = total / count
    return f"{mean:,.0f}" if mean >= 100 else f"{mean:.3g}"


def _written(band: Band, names: Sequence[str]) -> str:
    left, right = (f"{names[column.stream]}.{column.column}" for column in band.columns)
    scaled = right if band.ratio == 1 else f"{band.ratio:g} * {right}"
    shift = "" if band.center == 0 else f" {'+' if band.center > 0 else '-'} {abs(band.center):g}"
    return f"{left} within {band.half:g} of {scaled}{shift}"


def _columns(band: Band) -> str:
    return "/".join(dict.fromkeys(column.column for column in band.columns))


def _names(node: JoinNode) -> list[str]:
    return [stream.name for stream in node.streams]
