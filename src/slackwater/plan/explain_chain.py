"""An aggregate over the results of another operator, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.plan.explain_aggregate import explain_early, explain_top, explain_windows
from slackwater.plan.levels import explain_levels
from slackwater.plan.values import described

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode


def explain_chain(node: AggregateNode, *, engine: tuple[str, ...] = ()) -> str:
    """Describe the aggregate of a chain; `engine` adds what the runner will do."""
    first, bottom = node.stream.name, node.levels[0]
    lines = [
        f"then aggregate by {', '.join(bottom.by) or 'nothing'}: {described(bottom.values)}",
        f"  windows     {explain_windows(bottom)}",
        f"  closes      when the {first} is past the end: its results are in order, so nothing is waited for again",
    ]
    if node.early is not None:
        lines.append(f"  early       {explain_early(node.early)}; what has come, without estimates")
    if node.top is not None:
        lines.append(f"  top         {explain_top(*node.top)}")
    levels = explain_levels(node) if node.below is not None else []
    return "\n".join([*lines, *(f"  {line}" for line in (*levels, *engine))])
