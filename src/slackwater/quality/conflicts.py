"""When of two contracts the first could not be kept: stretches of decisions in which the second ruled."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.combined import Combined
from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from slackwater.contracts import Contract

_TIME = pa.timestamp("us", tz="UTC")
_FIELDS: list[pa.Field[Any]] = [
    pa.field("bucket", pa.int32()),
    pa.field("start", _TIME),  # the decision before; of the first one, itself
    pa.field("end", _TIME),
    pa.field("decisions", pa.int64()),
    pa.field("ruled", pa.string()),
    pa.field("slack_ready", pa.int64()),
    pa.field("target", pa.float64()),
    pa.field("worst", pa.float64()),  # of what was measured at these decisions; null where nothing could be
]
CONFLICTS = pa.schema(_FIELDS)
_NEEDED = ("bucket", "at", "arrived", "ruled", "slack_ready", "target", "measured")


def conflicts(decisions: pa.Table, contract: Contract) -> pa.Table:
    """Return each stretch of time in which the first of two contracts had to give way, bucket by bucket.

    Args:
        decisions: the `decisions` of a plan, as a table.
        contract: the plan's, such as `Recall(0.99) & Deadline("5 seconds")`.

    >>> from slackwater.contracts import DropRatio
    >>> from slackwater.deadline import Deadline
    >>> from slackwater.decisions import decisions_table
    >>> ruled = ["DropRatio", "Deadline", "Deadline", "DropRatio"]
    >>> table = decisions_table({"bucket": 0, "at": np.arange(4) * 1_000_000, "ruled": ruled}, 4)
    >>> [str(row["end"] - row["start"]) for row in conflicts(table, DropRatio(0.01) & Deadline("5 s")).to_pylist()]
    ['0:00:02']
    """
    if not isinstance(contract, Combined):
        raise ParameterError(
            "contract", contract, must="be two contracts", remedy='such as Recall(0.99) & Deadline("5 seconds")'
        )
    _check(decisions, contract)
    ruling, stretches = type(contract.second).__name__, []
    made = decisions.filter(pc.and_(pc.is_valid(decisions["bucket"]), pc.is_valid(decisions["ruled"])))
    made = made.sort_by([("bucket", "ascending"), ("at", "ascending"), ("arrived", "ascending")])
    buckets = made["bucket"].to_numpy()
    for start, stop in pairwise([*np.unique(buckets, return_index=True)[1].tolist(), len(buckets)]):
        own = made.slice(start, stop - start)
        is_ruled = np.array(own["ruled"].to_pylist()) == ruling
        edges = np.flatnonzero(np.diff(is_ruled, prepend=False, append=False))
        worst = pc.max if contract.promise.shown(np.array([1.0]))[0] == 0 else pc.min  # of a drop ratio, the largest
        stretches += [_stretch(own, first, past, worst) for first, past in edges.reshape(-1, 2).tolist()]
    return pa.Table.from_pylist(stretches, schema=CONFLICTS)


def _check(decisions: Any, contract: Combined) -> None:
    """Refuse what no plan under this contract has decided."""
    if not isinstance(decisions, pa.Table) or not set(_NEEDED) <= set(decisions.column_names):
        found = f"{type(decisions).__name__} {getattr(decisions, 'column_names', '')}".strip()
        remedy = "give the .decisions of a plan; of files, pyarrow.parquet.read_table(folder)"
        raise ParameterError("decisions", found, must="be an Arrow table of decisions", remedy=remedy)
    names = [type(each).__name__ for each in (contract.first, contract.second)]
    others = {str(each) for each in decisions["ruled"].drop_null().to_pylist()} - set(names)
    if others:
        remedy = f"these decisions are of another one, in which {', '.join(sorted(others))} ruled"
        raise ParameterError("contract", " & ".join(names), must="be that of the plan", remedy=remedy)


def _stretch(decisions: pa.Table, start: int, stop: int, worst: Any) -> dict[str, Any]:
    part = decisions.slice(start, stop - start)
    return {
        "bucket": part["bucket"][0].as_py(),
        "start": decisions["at"][max(start - 1, 0)].as_py(),
        "end": part["at"][-1].as_py(),
        "decisions": part.num_rows,
        "ruled": part["ruled"][0].as_py(),
        "slack_ready": pc.sum(part["slack_ready"]).as_py(),
        "target": part["target"][0].as_py(),
        "worst": worst(part["measured"]).as_py(),
    }
