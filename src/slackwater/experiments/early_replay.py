"""How accurate the early results of a query are, by how early they are, under a contract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from slackwater.early import Early
from slackwater.estimate.early_accuracy import accuracy_of
from slackwater.experiments.window_stream import places_of
from slackwater.plan.contract_text import contract_text

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.estimate.arrays import Floats
    from slackwater.experiments.window_stream import WindowStream
    from slackwater.local.aggregate import LocalAggregate

    Notice = Callable[[str, int, int], None]

SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
SKIPPED = 20  # windows at the start, in which nothing is known yet
ESTIMATES: tuple[Literal["raw", "corrected"], ...] = ("raw", "corrected")


def compare_early(
    stream: WindowStream, contracts: Sequence[Contract], *, shown: float, notice: Notice
) -> list[dict[str, Any]]:
    """Show windows at several shares of the slide, `shown` among them, raw and corrected; a row for each value."""
    shares = sorted({*SHARES, shown})
    asked = [(contract, share, how) for contract in contracts for share in shares for how in ESTIMATES]
    rows: list[dict[str, Any]] = []
    for done, (contract, share, how) in enumerate(asked):
        notice(f"early by {share:g}", done, len(asked))
        out = stream.plan(contract, Early(aggressiveness=share, estimate=how))
        known = {"contract": contract_text(contract), "aggressiveness": share, "estimate": how}
        rows += [{**known, **row} for row in summarize(out)]
    return rows


def summarize(out: LocalAggregate) -> list[dict[str, Any]]:
    """Return for each value how near early results were to the final ones, and how long after the end both were given.

    Durations in us; negative is before the end. The first 20 windows are left out; nothing is known of windows that
    never had an early result.
    """
    emitted, node = out.emitted, out.node
    if emitted is None:
        return []
    past = emitted.clock - node.panes.ends(emitted.cells.place)
    late_enough = emitted.cells.place >= emitted.cells.place.min() + SKIPPED
    early, final = (np.flatnonzero((emitted.final == is_final) & late_enough) for is_final in (False, True))
    at = places_of(emitted.cells[early], emitted.cells[final])
    early, final = early[at >= 0], final[at[at >= 0]]
    if not len(early):
        return []
    rows = []
    for place, (name, value) in enumerate(node.values):
        numbers, valid = value.algebra.lower(emitted.cells.states[place])
        values = np.where(True if valid is None else valid, numbers, np.nan).astype(np.float64)
        held, expected = None, values
        if emitted.estimates is not None and name in node.estimated:
            row = node.estimated.index(name)
            low, high = emitted.estimates.low[row][early], emitted.estimates.high[row][early]
            held = _share_held(low, high, values[final])
            expected = emitted.estimates.value[row]
        accuracy = accuracy_of(expected[early], values[final])
        rows.append(
            {
                "value": name,
                "results": len(early),
                "accuracy": float(np.nanmean(accuracy)),
                "worst": float(np.nanmin(accuracy)),
                "held": held,
                "early_us": float(past[early].mean()),
                "final_us": float(past[final].mean()),
            }
        )
    return rows


def _share_held(low: Floats, high: Floats, final: Floats) -> float | None:
    """Return which share of the intervals that there are hold the final value."""
    known = ~(np.isnan(low) | np.isnan(high) | np.isnan(final))
    return float(((low <= final) & (final <= high))[known].mean()) if known.any() else None
