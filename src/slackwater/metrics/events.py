"""What happens to queries, as records of Python's own logging: one for each batch, and for each end.

The logger is `slackwater.queries`. What a record says in words, its attribute `slackwater` has as values.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slackwater.metrics.batch import Batch

LOGGER = logging.getLogger("slackwater.queries")
ATTRIBUTE = "slackwater"


def log_batch(batch: Batch) -> None:
    """A batch has been written."""
    if not LOGGER.isEnabledFor(logging.INFO):
        return
    known = {name: value for name, value in batch.observed.items() if value is not None}
    latency = {name: batch.latency[name] for name in ("latency_p50", "latency_p99") if batch.latency.get(name)}
    said = {"event": "batch", "query": batch.query, "id": batch.id, "batch": batch.number, **known, **latency}
    arrived, late = known.get("arrived", 0), known.get("late", 0)
    text = "%s: batch %d, %s rows arrived, %s late, slack %s us"
    LOGGER.info(text, batch.query, batch.number, arrived, late, known.get("slack"), extra={ATTRIBUTE: said})


def log_end(query: str, name: str, error: str | None) -> None:
    """A query has ended."""
    said = {"event": "end" if error is None else "failure", "query": name, "id": query}
    if error is None:
        LOGGER.info("%s: ended", name, extra={ATTRIBUTE: said})
        return
    first = error.strip().split("\n", 1)[0]
    LOGGER.error("%s: failed: %s", name, first, extra={ATTRIBUTE: {**said, "error": error}})
