"""How long results of a running query take, batch by batch: rows of figures, as lines of JSON in a folder.

A figure that a batch repeats after a crash replaces what it said before: the last line of a batch counts. Only the
newest 100,000 batches or so are kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from slackwater.errors import ParameterError
from slackwater.quality.counted import QUANTILES

IN_CHECKPOINT = Path("slackwater") / "latency"
_BATCHES_PER_FILE = 10_000
_FILES = 10
_TIME = pa.timestamp("us", tz="UTC")

_FIELDS: list[pa.Field[Any]] = [
    pa.field("operator", pa.string()),
    pa.field("batch", pa.int64()),
    pa.field("read", _TIME),  # when the batch began: what a trigger reads, it reads then
    pa.field("written", _TIME),  # when all outputs of the batch were there
    pa.field("rows", pa.int64()),  # that left in order; of an aggregate, final results
    pa.field("since", pa.string()),  # from when on latency counts: "read", "arrival_time" or "end"
    *(pa.field(f"latency_{name}", pa.int64()) for name in QUANTILES),  # us of processing time, until written
    *(pa.field(f"stall_{name}", pa.int64()) for name in QUANTILES),  # us that the clock moved on meanwhile
    pa.field("held_max", pa.int64()),  # us of processing time: the longest from being read until written
    pa.field("missed", pa.int64()),  # rows that took longer than the contract's deadline; null where it has none
]
LATENCY = pa.schema(_FIELDS)


def add_line(folder: Path, figures: Mapping[str, Any]) -> None:
    """Add the figures of a batch; the oldest file goes where there are too many."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{figures['batch'] // _BATCHES_PER_FILE:010}.jsonl"
    if not file.exists():
        for old in sorted(folder.glob("*.jsonl"))[: 1 - _FILES]:
            old.unlink(missing_ok=True)
    with file.open("a+b") as lines:
        torn = b"" if lines.tell() == 0 or _ends_a_line(lines) else b"\n"  # a crash may have cut the last line
        lines.write(torn + json.dumps(dict(figures)).encode() + b"\n")


def _ends_a_line(lines: Any) -> bool:
    lines.seek(-1, os.SEEK_END)
    return bool(lines.read(1) == b"\n")


def read_log(where: str | os.PathLike[str]) -> pa.Table:
    """Return the figures of all batches that are kept, in order; `where` is a checkpoint or the folder itself."""
    folders = [Path(where) / IN_CHECKPOINT, Path(where)]
    files = next((found for folder in folders if (found := sorted(folder.glob("*.jsonl")))), None)
    if files is None:
        raise ParameterError(
            "where",
            os.fspath(where),
            must="have figures of a query",
            remedy="give the checkpoint of one that has written a batch, or the folder of start(latency=)",
        )
    last = {row["batch"]: row for file in files for row in lines_of(file)}
    columns = {field.name: [last[batch].get(field.name) for batch in sorted(last)] for field in LATENCY}
    return pa.Table.from_arrays([pa.array(columns[field.name], field.type) for field in LATENCY], schema=LATENCY)


def lines_of(file: Path) -> Iterator[dict[str, Any]]:
    """Return the lines of a file that were written to their end."""
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # cut by a crash: the batch is replayed, and says it again
        if isinstance(row, dict) and "batch" in row:
            yield row
