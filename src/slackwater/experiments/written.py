"""Runs as files that reports read: figures as JSON lines, and the series of all runs as one Parquet file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


class Written(Protocol):
    """What a report needs of a run."""

    def figures(self) -> dict[str, Any]:
        """Return the run in numbers, as JSON can hold them."""

    def series(self) -> pa.Table:
        """Return a row for each measurement."""


def write(runs: Sequence[Written], config: Mapping[str, Any], *, figures: Path, series: Path) -> None:
    """Write the figures as JSON lines, each with `config`, and the series of all runs as one Parquet file."""
    lines = [json.dumps({**config, "run": number, **run.figures()}) for number, run in enumerate(runs)]
    figures.write_text("\n".join([*lines, ""]), encoding="utf-8")
    tables = [run.series() for run in runs]
    numbered = [table.add_column(0, "run", _repeat(number, table)) for number, table in enumerate(tables)]
    pq.write_table(pa.concat_tables(numbered, promote_options="default"), series)


def timestamps(times: Any) -> Any:
    """Return times in us as Arrow timestamps."""
    return pa.array(times, pa.int64()).cast(pa.timestamp("us", tz="UTC"))


def _repeat(number: int, table: pa.Table) -> Any:
    return pa.array(np.full(table.num_rows, number, np.int32))
