"""The one matrix: every contract and controller on every set, from the results of all experiments that are in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slackwater.report.reproduction_tables import metric_table

if TYPE_CHECKING:
    from slackwater.report.reproduction import Found

TITLE = "Every contract and controller on every set"
ABOUT = (
    "Fulfilled is Φ(.99Γ) for Recall, the share of the periods kept for DropRatio, of the results within the bound for "
    "RelativeError, and of the intervals without a miss for Deadline. Slacks are compared with the smallest constant "
    "that does as well in hindsight, and with what each interval would have needed by itself. Latency is how far "
    "results or events are behind, cost is processor time. Reaction and violations are those after a step in delay "
    "(ours-step). What each figure means is said with its experiment."
)
_COLUMNS = tuple(
    {"name": name, "head": head, "unit": unit}
    for name, head, unit in (
        ("fulfilled", "fulfilled", "%"),
        ("average_slack_s", "slack", "s"),
        ("latency_s", "latency", "s"),
        ("ratio", "of hindsight", ""),
        ("best_ratio", "of best per interval", ""),
        ("cost_us", "cost per event", "us"),
        ("reaction_s", "reaction", "s"),
        ("violations", "violations", "%"),
    )
)
_NAMES = ("contract", "set", "target", "policy")


def matrix_of(found: Sequence[Found]) -> tuple[list[str], list[tuple[str, ...]]] | None:
    """Return heads and cells; None where no experiment is part of it."""
    rows: list[Mapping[str, Any]] = [row for each in found if each.summary.get("in_matrix") for row in each.rows]
    if not rows:
        return None
    heads, cells = metric_table(_COLUMNS, rows, _NAMES)
    return ["controller" if head == "policy" else head for head in heads], cells
