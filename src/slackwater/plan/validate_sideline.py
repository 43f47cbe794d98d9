"""Checks of an aggregate that sets rows of bursts aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.contracts import RelativeError
from slackwater.errors import ParameterError
from slackwater.sideline import Sideline

if TYPE_CHECKING:
    from slackwater.plan.nodes import AggregateNode


def check_sideline(node: AggregateNode) -> None:
    """Refuse what needs every row at once."""
    sideline = node.sideline
    if sideline is None:
        return
    if not isinstance(sideline, Sideline):
        raise ParameterError(
            "sideline", sideline, must="be made by sw.Sideline", remedy="such as sw.Sideline(over=10_000)"
        )
    if isinstance(node.contract, RelativeError):
        raise ParameterError(
            "sideline",
            repr(sideline),
            must="be left out under a RelativeError, which needs the values of every row at once",
            remedy="use DropRatio or FixedSlack",
        )
    if node.early is not None and (node.early.estimate == "corrected" or node.early.accuracy is not None):
        raise ParameterError(
            "sideline",
            repr(sideline),
            must="be left out where early results are corrected, which needs to know how many rows have come",
            remedy='use sw.Early(..., estimate="raw") without accuracy=',
        )
    if node.empty:
        raise ParameterError(
            "sideline",
            repr(sideline),
            must="be left out with empty=True",
            remedy="whether a window has no rows is not known while some wait",
        )
