"""A plan under another contract: checked as if it had been made with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.errors import ParameterError
from slackwater.plan.counted_values import counted_values
from slackwater.plan.nodes import AggregateNode, JoinNode, MergeNode, ReorderNode
from slackwater.plan.validate import check_contract, check_join, check_reorder
from slackwater.plan.validate_aggregate import check_aggregate
from slackwater.plan.validate_merge import check_merge

if TYPE_CHECKING:
    from slackwater.contracts import Contract


def under_contract(node: Any, contract: Contract, schemas: Sequence[pa.Schema]) -> Any:
    """Return a plan of the same inputs and results under another contract, or say why it cannot keep that.

    Raises:
        ParameterError: the operator cannot keep it; or its results would have other columns, or need another way in.
    """
    check_contract(node.operator, contract)
    if isinstance(node, AggregateNode):
        return _aggregate(node, contract, schemas[0])
    _check_same_way(node.contract.deadline is not None, contract.deadline is not None)
    changed = replace(node, contract=contract)
    match changed:
        case ReorderNode():
            check_reorder(changed, schemas[0].names)
        case JoinNode():
            check_join(changed)
        case MergeNode():
            check_merge(changed, schemas)
    return changed


def _aggregate(node: AggregateNode, contract: Contract, schema: pa.Schema) -> AggregateNode:
    """Change all levels alike; a bound on errors is about values of the first."""
    if node.below is not None:
        below = _aggregate(node.below, contract, schema)
        return replace(node, contract=contract, below=below, counted=below.counted)
    changed = replace(node, contract=contract)
    check_aggregate(changed, schema)
    if node.can_be_added_up and not changed.can_be_added_up:
        raise ParameterError(
            "contract",
            contract,
            must="leave the choice of its controller open, as rows of this query are added up where they are read",
            remedy="leave out the controller; or stop the query and start it with this contract",
        )
    return replace(changed, counted=counted_values(changed, schema))


def _check_same_way(before: bool, after: bool) -> None:
    if before != after:
        raise ParameterError(
            "contract",
            "one with a deadline" if after else "one without a deadline",
            must="have a deadline where that of the query has one, and none where it has none",
            remedy="streams are then read through a gate, with timers: stop the query and start it with this contract",
        )
