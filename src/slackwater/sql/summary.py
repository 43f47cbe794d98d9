"""What a run came to: where every row is, and whether the contract was kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.contracts import DropRatio, Recall
from slackwater.plan.contract_text import contract_text

if TYPE_CHECKING:
    from slackwater.contracts import Contract

_TOLERANCE = 0.99  # of a recall, as JI16 counts it: docs/decisions/0008
JUDGED = ("target", "measured", "ruled")  # the columns of decisions that say whether a contract was kept


@dataclass(frozen=True)
class Kept:
    """At how many decisions a contract was kept, of those where that is known."""

    kept: int
    known: int
    worst: float | None

    def __str__(self) -> str:
        if not self.known:
            return "not measured: too short a run, or a contract without a target"
        share = "always" if self.kept == self.known else f"at {self.kept:,} of {self.known:,} decisions"
        return f"kept {share}; the worst that was measured is {self.worst:.4g}"


@dataclass(frozen=True)
class Summary:
    """Where the rows of a query are, what was written where, and what became of its contract."""

    query: str
    contract: str
    arrived: int
    released: int
    late: int
    buffered: int
    kept: Kept
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


def kept_of(decisions: pa.Table, contract: Contract) -> Kept:
    """Return at how many decisions a contract was kept: a recall from 99 % of its target on, others exactly.

    >>> rows = pa.table({"target": [0.9, 0.9, 0.9], "measured": [0.95, 0.8, None], "ruled": [None, None, None]})
    >>> str(kept_of(rows, Recall(0.9)))
    'kept at 1 of 2 decisions; the worst that was measured is 0.8'
    """
    promise = contract.promise
    known = decisions.filter(pc.and_(pc.is_valid(decisions["measured"]), pc.is_valid(decisions["target"])))
    measured, target = (known[name].to_numpy() for name in ("measured", "target"))
    if not len(measured):
        return Kept(0, 0, None)
    if isinstance(promise, DropRatio):
        return Kept(int(np.count_nonzero(measured <= target)), len(measured), float(measured.max()))
    least = target * (_TOLERANCE if isinstance(promise, Recall) and promise.target < 1 else 1)
    return Kept(int(np.count_nonzero(measured >= least)), len(measured), float(measured.min()))


def contract_in_words(contract: Contract) -> str:
    """Return a contract as text; where it has none, as Python shows it."""
    from slackwater.errors import ParameterError

    try:
        return contract_text(contract)
    except ParameterError:
        return repr(contract)


def title_of(number: int, node: Any) -> str:
    """Return what a query is, in a line."""
    streams = getattr(node, "streams", None) or (node.stream,)
    return f"query {number}: {node.operator} of {', '.join(stream.name for stream in streams)}"
