"""Logged runs as a file, for a tuner to begin with: one row for each interval of each run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.errors import DatasetError
from slackwater.estimate.arrays import Floats
from slackwater.models.latency import Situation
from slackwater.parquet import read_parquet

HISTORY = ("at", "slack", "parallelism", "window", "spread", "latency", "slack_ready")  # durations in us


def write_history(path: str | os.PathLike[str], rows: pa.Table) -> None:
    """Write the columns of HISTORY of logged runs as Parquet."""
    pq.write_table(rows.select(list(HISTORY)), os.fspath(path))


def read_history(path: str | os.PathLike[str], features: Sequence[str]) -> Floats:
    """Return a row of features for each interval of a history, then its latency and its slack-ready events."""
    try:
        return history_rows(read_parquet(Path(path), HISTORY), features)
    except DatasetError as error:
        raise DatasetError(
            str(path),
            problem=f"is no history: it {error.problem}",
            remedy="write one with slackwater.control.history.write_history",
        ) from error


def history_rows(table: pa.Table, features: Sequence[str]) -> Floats:
    """Return the same of a table.

    >>> row = {"at": 3_600_000_000, "slack": 2_000_000, "parallelism": 1, "window": 5_000_000, "spread": 0,
    ...        "latency": 250_000, "slack_ready": 7}
    >>> history_rows(pa.Table.from_pylist([row]), ("slack", "hour")).tolist()
    [[2.0, 1.0, 250000.0, 7.0]]
    """
    column = {name: table[name].to_numpy() for name in HISTORY}
    inputs = [column[name] for name in ("at", "slack", "parallelism", "window", "spread")]
    rows = Situation(*inputs).features(features)
    return np.column_stack([rows, column["latency"], column["slack_ready"]]).astype(np.float64)
