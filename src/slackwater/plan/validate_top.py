"""Checks of `sw.top`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode


def check_top(node: AggregateNode, count: Any, of: Any) -> None:
    """Check that the groups of each window can be compared: all of them leave at the same time."""
    if type(count) is not int or count < 1:
        raise ParameterError("count", count, must="be a whole number >= 1", remedy="such as 3")
    names = [name for name, _ in node.values]
    if of not in names:
        raise ParameterError("of", of, must="be a value of the aggregate", remedy=f"it has: {', '.join(names)}")
    refused = {
        "top": (node.top, "be asked for once", "ask for the smaller number"),
        "early": (node.early, "be left out", "a group that leads early may not lead in the end"),
        "sideline": (node.sideline, "be left out", "a window that waits for rows is not compared"),
        "marker": (node.stream.marker, "be left out", "a punctuation of one group would close it apart from others"),
    }
    for name, (value, must, remedy) in refused.items():
        if value is not None:
            raise ParameterError(name, repr(value), must=f"{must} where the leading groups are kept", remedy=remedy)
    if node.buckets > 1:
        raise ParameterError(
            "buckets",
            node.buckets,
            must="be 1 where the leading groups are kept",
            remedy="each bucket would have its own; aggregate in one bucket, or take the top of what is written",
        )
