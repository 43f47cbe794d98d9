"""How accurate early results are, by how early they are: PROD Sec. 4.4, and the same with corrected estimates.

The stream is that of PROD (`slackwater.sources.values`): 20 events a second, windows of 30 s that slide by 10 s or
tumble. `document` arrivals are PROD's own: whole seconds, each with a geometric number of events, and prods that act
one second before theirs (docs/DOCUMENTS.md). The other shapes are Poisson streams that travel for around half a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.core.panes import Panes
from slackwater.estimate.early_accuracy import accuracy_of
from slackwater.experiments.prodded import NAMES, Prodded, run_prodded
from slackwater.sources.dataset import event_times_of
from slackwater.sources.values import values

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.estimate.arrays import Floats
    from slackwater.time import Mask

SECOND = 1_000_000
DOCUMENT = "document"
SLACK = 2 * SECOND
SKIPPED = 20  # windows at the start, in which nothing is known yet


@dataclass(frozen=True)
class EarlyCase:
    """What is run; durations in seconds."""

    arrivals: str = DOCUMENT
    slide: int = 10
    aggressiveness: float = 0.5
    distribution: str = "uniform"
    deviation: float = 400.0
    per_second: float = 20.0
    size: int = 30


def run_case(case: EarlyCase, *, seed: int = 1, duration: str = "2000 seconds", groups: int = 1) -> Prodded:
    """Aggregate the stream of a case and prod every window; groups, if there are any, have unequal shares."""
    document = case.arrivals == DOCUMENT
    stream = stream_of(case, seed=seed, duration=duration)
    times = event_times_of(stream)
    return run_prodded(
        times,
        stream["value"].to_numpy().astype(np.float64),
        panes_of(case),
        aggressiveness=case.aggressiveness,
        group=None if groups == 1 else np.random.default_rng(seed).zipf(1.5, len(times)) % groups,
        slack=0 if document else SLACK,
        before=SECOND if document else 0,
    )


def stream_of(case: EarlyCase, *, seed: int = 1, duration: str = "2000 seconds") -> pa.Table:
    """Return the stream that a case is about, in order of arrival."""
    document = case.arrivals == DOCUMENT
    return values(
        distribution=case.distribution,  # type: ignore[arg-type]
        deviation=case.deviation,
        density=1 - 1 / case.per_second,
        arrivals=None if document else case.arrivals,  # type: ignore[arg-type]
        max_delay="0 seconds" if document else "0.5 seconds",
        seed=seed,
        duration=duration,
    ).streams["s"]


def panes_of(case: EarlyCase) -> Panes:
    """Return the windows of a case."""
    return Panes(case.size * SECOND, case.slide * SECOND)


def summarize(run: Prodded, case: EarlyCase) -> list[dict[str, Any]]:
    """Return a row for each function: mean and worst accuracy, raw and corrected, and what intervals hold.

    `known_rate` is about what a count can reach for someone who knows the rate: Poisson counts scatter by their square
    root, those of the document's seconds sqrt(19) times as much, and what is to come does not depend on what came.
    """
    counts = run.window >= run.window[0] + SKIPPED
    raw, better = accuracy_of(run.raw, run.final)[:, counts], run.accuracy[:, counts]
    held, final = run.held[:, counts], np.abs(run.final[:, counts])
    widths = (run.high - run.low)[:, counts] / np.where(final > 0, final, np.nan)
    return [
        {
            "function": name,
            "raw": _mean(raw[number]),
            "raw_worst": float(np.nanmin(raw[number])),
            "corrected": _mean(better[number]),
            "corrected_worst": float(np.nanmin(better[number])),
            "held": _mean(held[number]),
            "width": float(np.nanmedian(widths[number])),
            "known_rate": _known_rate(run, case, counts) if name == "count" else None,
        }
        for number, name in enumerate(NAMES)
    ]


def _known_rate(run: Prodded, case: EarlyCase, counts: Mask) -> float:
    final = run.final[0][counts]
    to_come = float((final - run.rows[counts]).mean())
    scatter = to_come * (case.per_second - 1 if case.arrivals == DOCUMENT else 1.0)
    return 1 - float(np.sqrt(2 / np.pi * scatter) * (1 / final).mean())


def _mean(column: Floats) -> float:
    return float(np.nanmean(column)) if not np.isnan(column).all() else float("nan")
