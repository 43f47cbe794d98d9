"""An aggregate plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.control.choose import default_controller
from slackwater.early import Early
from slackwater.plan.explain import short
from slackwater.plan.levels import explain_levels
from slackwater.plan.values import described
from slackwater.sideline import Sideline

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode


def explain_aggregate(node: AggregateNode, *, engine: tuple[str, ...]) -> str:
    """Describe an aggregate plan; `engine` adds what the runner will do."""
    stream, contract = node.stream, node.contract
    arrival = f"in the order of {stream.arrival}" if stream.arrival else "as the engine delivers them"
    controller = contract.controller or default_controller(contract)
    count = node.panes.per_window
    lines = [
        f"aggregate {stream.name!r} by {', '.join(node.by) or 'nothing'}: {described(node.values)}",
        f"  windows     {explain_windows(node)}, {count} pane{'s' if count > 1 else ''} each",
        f"  arrival     rows {arrival}",
        f"  contract    {short(contract)}, cap {contract.longest_wait or 'none'}",
        f"  controller  {short(controller)}, a decision every {contract.interval} of event time",
        f"  late        {node.late!r}: rows whose windows are all closed; max_ahead {stream.max_ahead or 'off'}",
    ]
    if node.early is not None:
        lines.append(f"  early       {explain_early(node.early)}")
        lines.append(f"  estimate    {_estimate(node)}")
    if node.sideline is not None:
        lines.append(f"  bursts      {_sideline(node.sideline)}")
    if node.top is not None:
        lines.append(f"  top         {explain_top(*node.top)}")
    levels = explain_levels(node) if node.below is not None else []
    return "\n".join([*lines, *(f"  {line}" for line in (*levels, *engine))])


def explain_early(early: Early) -> str:
    """Say when windows are shown.

    >>> explain_early(Early(aggressiveness=0.25, every="1 minute"))
    '0.25 of the slide before their end; every 1 minute; when a prod asks'
    """
    words = [] if early.aggressiveness is None else [f"{early.aggressiveness:g} of the slide before their end"]
    if early.accuracy is not None:
        words = [f"as early before their end as values are {early.accuracy:.4g} accurate on average"]
    words += [] if early.every is None else [f"every {early.every}"]
    words += [f"{each} after their start" for each in early.at]
    return "; ".join([*words, "when a prod asks"])


def _estimate(node: AggregateNode) -> str:
    """Say what early values are."""
    assert node.early is not None
    if node.below is not None:
        return "raw: what has come; early results of several aggregates are not corrected"
    if not node.corrects_early:
        return "raw: what has come"
    about = ", ".join(node.estimated) or "no value (times are shown as they are)"
    return f"corrected: what is expected in the end of {about}, with intervals of confidence {node.early.confidence:g}"


def _sideline(sideline: Sideline) -> str:
    """Say what is set aside.

    >>> _sideline(Sideline(over=300))
    'rows of a slide above 300 a second wait, 1 is worked off for every 50 new; finals leave in any order'
    """
    waits = f"rows of a slide above {sideline.over} a second wait"
    return f"{waits}, 1 is worked off for every {sideline.one_in} new; finals leave in any order"


def explain_top(count: int, of: str) -> str:
    """Say which groups are kept."""
    return f"of each window, the groups with the {count} largest {of}; of equal ones all"


def explain_groups(node: AggregateNode) -> str:
    """Say how the groups are spread, where they are."""
    if node.buckets == 1:
        return "groups      all together, with one clock (1 bucket)"
    return f"groups      by a hash of {', '.join(node.by)} ({node.buckets} buckets, each with its own clock)"


def explain_windows(node: AggregateNode) -> str:
    """Say how long windows are, and how far apart."""
    empty = ", also without rows" if node.empty else ""
    if node.slide == node.size:
        return f"of {node.size}, one after the other{empty}"
    return f"of {node.size}, one every {node.slide}{empty}"
