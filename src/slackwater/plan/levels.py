"""Plans of several aggregates: which levels keep what they have shown, and which hand it over (PROD's rule R1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.core.algebra import Count, Max, Min, Sum

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode

# What may be applied to parts of a value as to the whole: a sum of sums is a sum.
_SAME = ((Sum, Sum), (Count, Sum), (Min, Min), (Max, Max))


def handing_over(node: AggregateNode) -> int:
    """Return how many levels, from the first on, hand over what they show; all others keep it.

    A level may hand over if its windows do not overlap, the level above applies to each value what gave it, and the
    level below hands over too: else what it shows has parts that will come again.
    """
    count = 0
    for below, above in zip(node.levels, node.levels[1:], strict=False):
        if not _can_hand_over(below, above):
            break
        count += 1
    return count


def _can_hand_over(below: AggregateNode, above: AggregateNode) -> bool:
    functions = {name: type(value.algebra) for name, value in below.values}
    pairs = [(None if v.column is None else functions[v.column], type(v.algebra)) for _, v in above.values]
    return below.size == below.slide and all(pair in _SAME for pair in pairs)


def explain_levels(node: AggregateNode) -> list[str]:
    """Say of each level of a plan who keeps what it shows."""
    count = handing_over(node)
    lines = []
    for number, level in enumerate(node.levels):
        who = "hands over what it shows: the level above adds the parts up" if number < count else "keeps what it shows"
        windows = f"{level.size} every {level.slide} by {', '.join(level.by) or 'nothing'}"
        lines.append(f"level {number + 1}     {windows}; {who}")
    return lines
