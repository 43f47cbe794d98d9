"""Figures of every batch of a running query, in its checkpoint, and which contract rules: what a dashboard shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from slackwater.quality.latency_log import lines_of

IN_CHECKPOINT = Path("slackwater") / "batches"
RULES = Path("slackwater") / "contract.json"
ABOUT = Path("slackwater") / "query.json"
ENDED = Path("slackwater") / "ended.json"  # there from the end that a drain asked for until a query begins here again


def read_batches(checkpoint: Path, newest: int) -> list[dict[str, Any]]:
    """Return the figures of the newest batches, in order: of a batch that was repeated, the last."""
    found: dict[int, dict[str, Any]] = {}
    for file in sorted((checkpoint / IN_CHECKPOINT).glob("*.jsonl"), reverse=True):
        found = {row["batch"]: row for row in lines_of(file)} | found
        if len(found) >= newest:
            break
    return [found[batch] for batch in sorted(found)[-newest:]]


def ruling_contract(checkpoint: Path, of: str) -> str | None:
    """Return the contract that rules instead of the plan's, which is `of`; None: the plan's own does."""
    try:
        found = json.loads((checkpoint / RULES).read_text())
        return str(found["contract"]) if found["of"] == of else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ended_at(checkpoint: Path) -> int | None:
    """Return when a drain ended the query, in us since 1970; None: none did, or a query has begun here since."""
    try:
        return int(json.loads((checkpoint / ENDED).read_text())["written"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
