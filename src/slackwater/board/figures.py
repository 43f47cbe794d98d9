"""What the checkpoint says of every batch: latency, delays now and before, what is held, how large the state is."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from slackwater.board.series import binned, filled
from slackwater.errors import ParameterError
from slackwater.quality.batch_log import read_batches
from slackwater.quality.delay_bins import UPPER, added_up, share_above
from slackwater.quality.latency_log import read_log

_NEWEST = 5_000  # batches
_NOW = 5 * 60 * 1_000_000  # us: over which "now" looks back
_HOUR = 3_600 * 1_000_000
_STATE_EVERY = 20.0  # seconds between two looks at how large the state is
_MOST_FILES = 50_000

Row = Mapping[str, Any]


def latency_of(where: Path) -> dict[str, Any]:
    """Return how long results took, batch by batch, in seconds of processing time."""
    try:
        log = read_log(where)
    except (ParameterError, OSError, pa.ArrowInvalid, pa.ArrowTypeError):
        return {}
    log = log.slice(max(log.num_rows - _NEWEST, 0))
    at = log["written"].cast(pa.int64()).to_numpy() / 1e3
    drawn = {name: binned(at, filled(log[f"latency_{name}"]) / 1e6) for name in ("p50", "p95", "p99")}
    missed = log["missed"]
    return {**drawn, "missed": None if missed.null_count == len(missed) else int(sum(filter(None, missed.to_pylist())))}


def batches_of(checkpoint: Path) -> list[dict[str, Any]]:
    """Return the figures of the newest batches."""
    return read_batches(checkpoint, _NEWEST)


def held_of(batches: Sequence[Row]) -> dict[str, Any]:
    """Return what is held and written, and how many rows came, over processing time in ms."""
    at = np.array([row["written"] / 1e3 for row in batches])
    names = ("buffered", "state_bytes", "arrived", "late", "slack")
    return {name: binned(at, np.array([float(row[name]) for row in batches])) for name in names}


def delays_of(batches: Sequence[Row]) -> dict[str, Any]:
    """Return which share of the rows came further behind than each delay: of the last minutes, and of an hour ago.

    A query that has not run for an hour is compared with its own beginning.
    """
    if not batches:
        return {}
    end = batches[-1]["written"]
    now = [row for row in batches if row["written"] > end - _NOW]
    before = [row for row in batches if abs(end - _HOUR - row["written"]) <= _NOW]
    label = "an hour ago"
    if not any(row["arrived"] for row in before):
        label, before = "at the beginning", [row for row in batches if row["written"] < batches[0]["written"] + _NOW]
    if len(before) + len(now) > len(batches):  # so short a run is compared half with half
        label, half = "its first half", max(len(batches) // 2, 1)
        before, now = list(batches[:half]), list(batches[half:])
    parts = {"now": now, "before": before}
    shares = {name: share_above(added_up(row["delays"] for row in rows)) for name, rows in parts.items()}
    rows = {name: sum(row["arrived"] for row in part) for name, part in parts.items()}
    return {"delay": (UPPER / 1e6).tolist(), "label": label, "rows": rows, **shares}


class StateSize:
    """How many bytes the state has on disk: that of all versions which Spark keeps. Looked at now and then."""

    def __init__(self, checkpoint: Path) -> None:
        self._folder = checkpoint / "state"
        self._looked, self._bytes = -_STATE_EVERY, 0

    def look(self) -> int:
        """Return the size when it was last looked at."""
        if time.monotonic() - self._looked >= _STATE_EVERY:
            self._looked, self._bytes = time.monotonic(), _bytes_in(self._folder)
        return self._bytes


def _bytes_in(folder: Path) -> int:
    total, files = 0, 0
    for where, _, names in os.walk(folder):
        for name in names:
            files += 1
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue  # Spark cleans up while we count
        if files > _MOST_FILES:
            break
    return total


def rate_of(batches: Sequence[Row]) -> float | None:
    """Return how many rows came in a second, over the last minute of batches."""
    recent = [row for row in batches if row["written"] > batches[-1]["written"] - 60_000_000] if batches else []
    if len(recent) < 2:
        return None
    took = (recent[-1]["written"] - recent[0]["written"]) / 1e6
    return sum(row["arrived"] for row in recent[1:]) / took if took else None
