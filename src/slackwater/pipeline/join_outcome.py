"""What a batch of an operator over several streams led to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slackwater.core.join import Processed, Results
from slackwater.events import Late
from slackwater.pipeline.boundaries import Decisions
from slackwater.time import Times


@dataclass(frozen=True, slots=True)
class JoinOutcome:
    """What a batch led to."""

    results: Results | None  # None where only their number was wanted
    late: tuple[Late, ...]  # of each stream
    decisions: Decisions
    watermark: Times  # at each decision, the join's time: no earlier result will follow
    processed: tuple[Processed, ...] = ()  # part by part


def joined(outcomes: Sequence[JoinOutcome]) -> JoinOutcome:
    """Return what several batches led to, as one."""
    sides = tuple(Late.concat(late) for late in zip(*(outcome.late for outcome in outcomes), strict=True))
    listed = [outcome.results for outcome in outcomes if outcome.results is not None]
    return JoinOutcome(
        _all_results(listed) if listed else None,
        sides,
        Decisions.concat([outcome.decisions for outcome in outcomes]),
        np.concatenate([outcome.watermark for outcome in outcomes]),
        tuple(processed for outcome in outcomes for processed in outcome.processed),
    )


def _all_results(parts: list[Results]) -> Results:
    if len(parts) == 1:
        return parts[0]
    rows = tuple(np.concatenate(columns) for columns in zip(*(part.rows for part in parts), strict=True))
    time, position = (np.concatenate(c) for c in zip(*((p.time, p.position) for p in parts), strict=True))
    return Results(time, position, rows)
