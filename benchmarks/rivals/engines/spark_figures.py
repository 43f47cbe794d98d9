"""What a query on Spark says of its state, whoever wrote its operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.rivals.jobs import size_of


def figures(query: Any, checkpoint: Path) -> dict[str, float]:
    """Return batches, the largest state of any of them, and what the checkpoint got; bytes.

    The state is what Spark's progress says: an in-memory store's rows, or RocksDB's memory and files. Old versions are
    not removed from a checkpoint within so short a run, so that its size is what all batches have written.
    """
    batches = [each for each in query.recentProgress if each["stateOperators"]]
    written = size_of(checkpoint)
    return {
        "batches": len(batches),
        "state_bytes": max((_state(each["stateOperators"]) for each in batches), default=0),
        "checkpoint_bytes": written,
        "checkpoint_bytes_per_batch": written / max(len(batches), 1),
    }


def _state(operators: list[dict[str, Any]]) -> int:
    return sum(int(each["memoryUsedBytes"]) + each["customMetrics"].get("rocksdbSstFileSize", 0) for each in operators)
