"""What a run came to: where every row is, and whether the contract was kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.combined import Combined
from slackwater.contracts import DropRatio, Recall
from slackwater.deadline import Deadline
from slackwater.plan.contract_text import contract_text

if TYPE_CHECKING:
    from slackwater.contracts import Contract

_TOLERANCE = 0.99  # of a recall, as JI16 counts it: docs/decisions/0008
JUDGED = ("target", "measured", "ruled", "slack_ready")  # the columns of decisions that say what became of a contract


@dataclass(frozen=True)
class Summary:
    """Where the rows of a query are, what was written where, and what became of its contract."""

    query: str
    contract: str
    arrived: int
    released: int
    late: int
    buffered: int
    kept: str
    written: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def lines(self) -> list[str]:
        """Return it as people read it."""
        places = f"{self.released:,} released + {self.late:,} late + {self.buffered:,} buffered"
        return [
            self.query,
            *(f"  {line}" for line in self.written),
            f"  rows      {self.arrived:,} arrived = {places}",
            f"  contract  {self.contract}: {self.kept}",
            *(f"  {note}" for note in self.notes),
        ]


def kept_of(decisions: pa.Table, contract: Contract) -> str:
    """Say at how many decisions a contract was kept: a recall from 99 % of its target on, others exactly.

    >>> rows = pa.table({"target": [0.9, 0.9, 0.9], "measured": [0.95, 0.8, None], "ruled": [None, None, None]})
    >>> kept_of(rows, Recall(0.9))
    'kept at 1 of 2 decisions; the worst that was measured is 0.8'
    """
    match contract:
        case Combined():
            return _ruled(decisions, contract)
        case Deadline():
            early = pc.sum(decisions["slack_ready"]).as_py() or 0
            return f"{early:,} rows left before they were ready, to be in time"
        case _ if contract.quality is None:
            return "a fixed policy, which promises nothing"
    return _measured(decisions, contract)


def dropped(contract: Contract, late: int, arrived: int) -> str:
    """Say what became of a drop ratio over the whole run: rows after the last decision are in no measurement.

    >>> dropped(DropRatio(0.01), 1, 50)
    '; of all rows 2 % came late'
    """
    if not isinstance(contract.promise, DropRatio) or not arrived:
        return ""
    return f"; of all rows {100 * late / arrived:.3g} % came late"


def _ruled(decisions: pa.Table, contract: Combined) -> str:
    """Say how often the first of two contracts had to give way."""
    names = type(contract.first).__name__, type(contract.second).__name__
    ruled = decisions["ruled"].drop_null().to_pylist()
    gave_way = ruled.count(names[1])
    if not gave_way:
        return f"{names[0]} never had to give way to {names[1]}, in {len(ruled):,} decisions"
    return f"{names[0]} had to give way to {names[1]} at {gave_way:,} of {len(ruled):,} decisions"


def _measured(decisions: pa.Table, contract: Contract) -> str:
    known = decisions.filter(pc.and_(pc.is_valid(decisions["measured"]), pc.is_valid(decisions["target"])))
    if not known.num_rows:
        return "not measured: the run was too short"
    measured, target = (np.asarray(known[name].to_numpy(), np.float64) for name in ("measured", "target"))
    if isinstance(contract, DropRatio):
        kept, worst = measured <= target, measured.max()
    else:
        is_recall = isinstance(contract, Recall) and contract.target < 1
        kept, worst = measured >= target * (_TOLERANCE if is_recall else 1), measured.min()
    count = int(np.count_nonzero(kept))
    share = f"at all of {len(kept):,}" if count == len(kept) else f"at {count:,} of {len(kept):,}"
    return f"kept {share} decisions; the worst that was measured is {worst:.4g}"


def contract_in_words(contract: Contract) -> str:
    """Return a contract as text; where it has none, as Python shows it."""
    from slackwater.errors import ParameterError

    try:
        return contract_text(contract)
    except ParameterError:
        return repr(contract)


def title_of(number: int, plan: Any) -> str:
    """Return what a query is, in a line."""
    node = getattr(plan, "first", plan).node
    then = f", then {plan.then.operator}" if hasattr(plan, "then") else ""
    streams = getattr(node, "streams", None) or (node.stream,)
    return f"query {number}: {node.operator} of {', '.join(stream.name for stream in streams)}{then}"
