"""What Spark's progress reports say of a query, under the name `slackwater`: every listener can read it there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.combined import Combined
from slackwater.contracts import DropRatio, Recall, RelativeError
from slackwater.events import REASONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from slackwater.contracts import Contract

OBSERVED = "slackwater"
QUALITY = ("target", "estimated", "measured")  # columns of packets of decisions
COUNTED = ("decisions", *(f"late_{reason}" for reason in REASONS))  # columns of packets of decisions and late rows
_MEASURES = {Recall: "recall", DropRatio: "drop_ratio", RelativeError: "within_bound"}
_OTHERS = pa.array(["early", "control"])  # decisions that are not about the slack


def figures_of(table: pa.Table) -> dict[str, Any]:
    """Return what progress reports say of a table of late rows or of decisions: how many, why, how good.

    >>> from slackwater.decisions import decisions_table
    >>> figures_of(decisions_table({"operator": "join", "target": 0.9, "measured": [0.95, None]}, 2))
    {'decisions': 2, 'target': 0.9, 'estimated': None, 'measured': 0.95}
    >>> figures_of(pa.table({"reason": ["late", "future", "late"]}))
    {'late_late': 2, 'late_future': 1}
    """
    if "reason" in table.column_names:
        counted = table.select(["reason"]).group_by("reason").aggregate([([], "count_all")])
        return {f"late_{each['reason']}": each["count_all"] for each in counted.to_pylist()}
    own = table.filter(pc.invert(pc.is_in(table["operator"], value_set=_OTHERS)))
    return {"decisions": own.num_rows, **{name: _last(own[name]) for name in QUALITY}}


def _last(values: pa.ChunkedArray[Any]) -> float | None:
    known = values.drop_null()
    found: float | None = known[-1].as_py() if len(known) else None
    return found


def measure_of(contract: Contract) -> str:
    """Return what the target of a contract is about, in a word.

    >>> import slackwater as sw
    >>> measure_of(sw.DropRatio(0.01) & sw.Deadline("5 seconds")), measure_of(sw.NoSlack())
    ('drop_ratio', 'none')
    """
    promise = contract.promise if isinstance(contract, Combined) else contract
    return next((name for kind, name in _MEASURES.items() if isinstance(promise, kind)), "none")


def observed(packets: DataFrame, *, operator: str) -> DataFrame:
    """Let progress reports say what the packets of a batch add up to.

    Of several buckets: the sums of counts, the longest slack, and the worst quality. What that is about they say
    themselves: the contract may have changed since the query was started. A column is null in packets that have nothing
    to say of it, so that no expression need look at their kind: Spark plans all of them anew in every batch.
    """
    from pyspark.sql import functions as F  # noqa: N812  (the name that every Spark program uses)

    measure = F.max("measure")
    return packets.observe(
        OBSERVED,
        F.max(F.lit(operator)).alias("operator"),
        measure.alias("measure"),
        *(F.sum(name).alias(name) for name in ("arrived", "released", "late", "buffered")),
        *(F.max(name).alias(name) for name in ("slack", "held", "stall")),
        F.sum("state_bytes").alias("state_bytes"),
        *(F.sum(name).alias(name) for name in COUNTED),
        F.max("target").alias("target"),
        *(
            F.when(measure == "drop_ratio", F.max(name)).otherwise(F.min(name)).alias(name)
            for name in ("estimated", "measured")
        ),
    )
