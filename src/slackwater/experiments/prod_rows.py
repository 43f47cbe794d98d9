"""Early results beside final ones, prods being rows of the stream itself, as in PROD; in process or on Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.api import stream
from slackwater.api_aggregate import aggregate
from slackwater.contracts import NoSlack
from slackwater.early import Early
from slackwater.experiments.on_spark import moved_to_spark
from slackwater.plan import values as functions
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.core.panes import Panes
    from slackwater.estimate.arrays import Floats
    from slackwater.events import Rows
    from slackwater.experiments.frame.description import Engine
    from slackwater.time import Times

VALUES: Mapping[str, Any] = {
    "mean": functions.mean("value"),
    "max": functions.max("value"),
    "sum": functions.sum("value"),
    "count": functions.count(),
}


@dataclass(frozen=True)
class EarlyAndFinal:
    """The windows that were shown early, in their order; a row for each of `VALUES`."""

    window: Rows
    early: Floats
    final: Floats


def with_prods(times: Times, values: Floats, panes: Panes, lead: int, now: Times | None = None) -> pa.Table:
    """Return events, whose times do not decrease, with a prod for each whole window between them.

    It comes before the first event that is at most `lead` (us) before the end, or that arrives then: `now` says when
    each does.
    """
    first, last = int(times[0]) // panes.slide + panes.size // panes.slide, int(times[-1]) // panes.slide
    ends = panes.ends(np.arange(first, last))
    before = np.searchsorted(times if now is None else now, ends - lead, side="left")
    columns: dict[str, Any] = {
        "event_time": np.concatenate((times, ends)),
        "arrival": np.concatenate((2 * np.arange(len(times)) + 1, 2 * before)),
        "value": pa.array(np.append(values, np.zeros(len(ends))), mask=np.arange(len(times) + len(ends)) >= len(times)),
        "marker": pa.array(["event"] * len(times) + ["prod"] * len(ends)),
    }
    return pa.table(columns).sort_by("arrival")


def early_and_final(
    rows: pa.Table, panes: Panes, *, estimate: Literal["raw", "corrected"], engine: Engine = "local"
) -> EarlyAndFinal:
    """Aggregate a stream with prods in it."""
    given = stream(
        rows, name="s", event_time="event_time", unit="us", arrival="arrival", marker="marker", max_ahead=None
    )
    out = aggregate(
        moved_to_spark(given) if engine == "spark" else given,
        size=Duration(panes.size),
        slide=Duration(panes.slide),
        values=VALUES,
        contract=NoSlack(),
        early=Early(estimate=estimate),
    )
    return _matched(out.results.toArrow() if engine == "spark" else out.results, panes)


def _matched(results: pa.Table, panes: Panes) -> EarlyAndFinal:
    """Put early and final results of the same windows beside each other."""
    ends = pc.cast(pc.struct_field(results["window"], "end"), pa.int64()).to_numpy()
    columns = np.stack([results[name].to_numpy().astype(np.float64) for name in VALUES])
    is_final = pc.is_in(results["kind"], pa.array(["final"])).to_numpy()
    order = np.argsort(ends, kind="stable")
    early, final = order[~is_final[order]], order[is_final[order]]
    beside = final[np.searchsorted(ends[final], ends[early])]
    return EarlyAndFinal(ends[early] // panes.slide - 1, columns[:, early], columns[:, beside])
