"""Read the output folders of a query, and say in numbers what happened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.decisions import DECISIONS, late_schema
from slackwater.errors import DatasetError
from slackwater.parquet import claimed_rows, parquet_schema, read_parquet

Numbers = npt.NDArray[np.int64]

_LATE = pa.schema([late_schema(pa.schema([])).field(name) for name in ("late_by", "reason")])


@dataclass(frozen=True)
class Run:
    """What one query under one policy left behind: its decisions, what was late, and how many rows it released."""

    policy: str
    decisions: pa.Table
    late: pa.Table
    released: int

    def buckets(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield a label and the decisions of each bucket, in the order of event time."""
        bucket = numbers(self.decisions, "bucket")
        present = np.unique(bucket)
        for number in present:
            label = self.policy if len(present) == 1 else f"{self.policy}, bucket {number}"
            yield label, self.decisions.filter(pa.array(bucket == number))


@dataclass(frozen=True)
class Summary:
    """A run in one line; durations in us."""

    policy: str
    arrived: int
    released: int
    late: int
    average_slack: float
    largest_slack: int
    most_buffered: int

    @property
    def late_share(self) -> float:
        """Late rows out of all that arrived, 0 for an empty stream."""
        return self.late / self.arrived if self.arrived else 0.0


@dataclass(frozen=True)
class LateReason:
    """The late rows of one reason; durations in us, None where the rows have no event time to be late by."""

    policy: str
    reason: str
    rows: int
    median_late_by: float | None
    largest_late_by: int | None


def read_run(policy: str, folder: str | os.PathLike[str]) -> Run:
    """Read the folders `results`, `late` and `decisions` in a folder, as `start()` writes them.

    A folder of late rows that was never written means that there were none; decisions must be there.
    """
    source = Path(folder)
    if not (source / "decisions").is_dir():
        raise DatasetError(
            str(source), problem="has no folder 'decisions'", remedy="start the query with decisions=<folder>"
        )
    decisions = _read(source / "decisions", DECISIONS)
    # What has no event time reports on the control stream; what has no bucket was decided by the driver, for rows that
    # buckets account for.
    adaptations = decisions.filter(pc.and_(pc.is_valid(decisions["at"]), pc.is_valid(decisions["bucket"])))
    return Run(
        policy=policy,
        decisions=adaptations.sort_by([("bucket", "ascending"), ("at", "ascending"), ("arrived", "ascending")]),
        late=_read(source / "late", _LATE),
        released=sum(map(claimed_rows, _files(source / "results"))),
    )


def summarize_run(run: Run) -> Summary:
    """Add up the buckets; the average slack is that of the rows: each counts with the slack it arrived under."""
    last = [table.slice(table.num_rows - 1) for _, table in run.buckets()]
    slack, weights = _slack_of_rows(run)
    return Summary(
        policy=run.policy,
        arrived=sum(table["arrived"][0].as_py() for table in last),
        released=run.released,
        late=sum(table["late"][0].as_py() for table in last),
        average_slack=float(np.average(slack, weights=weights)) if weights.sum() else 0.0,
        largest_slack=int(slack.max()) if len(slack) else 0,
        most_buffered=max((int(numbers(table, "buffered").max()) for _, table in run.buckets()), default=0),
    )


def late_reasons(run: Run) -> list[LateReason]:
    """Return why rows were late and by how much, the most frequent reason first."""
    groups = run.late.group_by("reason").aggregate([("reason", "count"), ("late_by", "list")])
    found = []
    for row in groups.to_pylist():
        late_by = [each for each in row["late_by_list"] if each is not None]
        found.append(
            LateReason(
                policy=run.policy,
                reason=row["reason"],
                rows=row["reason_count"],
                median_late_by=float(np.median(late_by)) if late_by else None,
                largest_late_by=max(late_by, default=None),
            )
        )
    return sorted(found, key=lambda each: (-each.rows, each.reason))


def numbers(table: pa.Table, column: str) -> Numbers:
    """Return a column as int64; times are us since 1970, null is 0."""
    filled: Numbers = np.nan_to_num(table[column].cast(pa.int64()).to_numpy()).astype(np.int64)
    return filled


def since_before(counts: Numbers) -> Numbers:
    """Return by how much counts from the start grew since the decision before.

    >>> since_before(np.array([3, 3, 8])).tolist()
    [3, 0, 5]
    """
    return np.diff(counts, prepend=0)


def _slack_of_rows(run: Run) -> tuple[Numbers, Numbers]:
    """Return the slack of each decision and how many rows arrived under it."""
    tables = [table for _, table in run.buckets()]
    empty = np.empty(0, np.int64)
    slack = np.concatenate([empty, *(numbers(table, "slack") for table in tables)])
    return slack, np.concatenate([empty, *(since_before(numbers(table, "arrived")) for table in tables)])


def _files(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder, each of one batch."""
    return sorted(path for path in folder.glob("**/*.parquet") if not path.name.startswith((".", "_")))


def _read(folder: Path, schema: pa.Schema) -> pa.Table:
    files = _files(folder)
    if not files:
        return schema.empty_table()
    missing = set(schema.names) - set(parquet_schema(files[0]).names)
    if missing:
        raise DatasetError(
            str(folder),
            problem=f"lacks the column(s) {', '.join(sorted(missing))}",
            remedy="give a folder that start() wrote",
        )
    return pa.concat_tables([read_parquet(file, schema.names).cast(schema) for file in files])
