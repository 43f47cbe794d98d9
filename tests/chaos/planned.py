"""Which files of its input each batch of a query was made of, and the same input as files of just these batches.

A driver may die after a source has noted its next file and before the batch is noted: Spark then plans that batch anew,
with the file after it as well. Such a run is compared with an undisturbed one over the same batches.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

Batches: TypeAlias = list[tuple[int, ...]]  # the files of a stream that each batch took


def planned(folder: Path) -> dict[str, Batches]:
    """Return the numbers of the files that each batch took of each stream; batches without any are left out."""
    streams = sorted(stream.name for stream in (folder / "in").iterdir())
    offsets = [_offsets(folder / "checkpoint" / "offsets" / str(batch)) for batch in range(_batches(folder))]
    return {name: _taken([each[number] for each in offsets]) for number, name in enumerate(streams)}


def is_usual(folder: Path) -> bool:
    """Return whether every batch took one file of each stream."""
    return all(len(files) == 1 for batches in planned(folder).values() for files in batches)


def write_as_planned(folder: Path, copy: Path) -> None:
    """Write the input of a query as files of the batches that it was taken in."""
    for name, batches in planned(folder).items():
        (copy / "in" / name).mkdir(parents=True)
        for number, files in enumerate(batches):
            path = copy / "in" / name / f"{number:04}.parquet"
            tables = [pq.read_table(folder / "in" / name / f"{file:04}.parquet") for file in files]
            pq.write_table(pa.concat_tables(tables), path)
            os.utime(path, (1_700_000_000 + number,) * 2)  # Spark takes files by their times


def _batches(folder: Path) -> int:
    return len([each for each in (folder / "checkpoint" / "offsets").iterdir() if each.name.isdigit()])


def _offsets(file: Path) -> list[int]:
    """Return the last file of each source, -1 where none was taken yet; versions and settings are two lines before."""
    return [-1 if line == "-" else int(json.loads(line)["logOffset"]) for line in file.read_text().splitlines()[2:]]


def _taken(last: list[int]) -> Batches:
    return [tuple(range(one + 1, other + 1)) for one, other in pairwise([-1, *last]) if other > one]
