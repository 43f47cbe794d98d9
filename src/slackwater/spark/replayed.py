"""A batch that comes again after a crash must have the rows that it had; what it has is noted before it is written.

Spark asks the source for the same offsets again, and takes what it gets. A source that gives other rows then (a file
that was replaced, a topic that was made anew, a query in front that throws dice) would leave outputs of two truths,
some already seen by others. Compared are how many rows there were in each stream, and a sum of hashes of their event
times and arrivals: it depends neither on the order of rows nor on how many tasks read them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from slackwater.errors import ReplayError, StateError
from slackwater.paths import local_folder
from slackwater.spark.control_stream import put
from slackwater.spark.plan_file import FOLDER
from slackwater.spark.read_back import read_file

_FILE = "input.json"


@dataclass(frozen=True)
class InputCheck:
    """The driver's part: what the batch under way was given is in a file of the checkpoint, until the next one comes.

    A checkpoint that the driver cannot look into has no such file, and is not checked.
    """

    streams: tuple[str, ...]
    checkpoint: str | os.PathLike[str]

    def on_batch(self, bodies: Iterable[bytes], batch: int) -> None:
        """Compare with what the batch had when it came before, or write down what it has.

        Raises:
            ReplayError: it has other rows; nothing of it was written this time.
        """
        folder = local_folder(self.checkpoint)
        if folder is None or not (folder / "offsets").exists():
            return
        before, now = _read(folder / FOLDER / _FILE), self._noted(bodies, batch, logs_of_sources(folder))
        if before.batch != batch or len(before.rows) != len(self.streams):
            # Spark does not wait for the disk with its own logs either, and a file that is lost is not missed
            put(folder / FOLDER / _FILE, json.dumps(asdict(now)) + "\n", lasting=False)
        elif (before.rows, before.sums) != (now.rows, now.sums):
            rows = [dict(zip(self.streams, each.rows, strict=True)) for each in (before, now)]
            raise ReplayError(batch, before=rows[0], now=rows[1], file=str(folder / FOLDER / _FILE))

    def _noted(self, bodies: Iterable[bytes], batch: int, logs: Sequence[str]) -> _Noted:
        found = [json.loads(body) for body in bodies]
        count = range(len(self.streams))
        return _Noted(
            batch,
            rows=[sum(each["rows"][stream] for each in found) for stream in count],
            sums=[sum(each["sums"][stream] for each in found) % 2**64 for stream in count],
            logs=logs,
        )


@dataclass(frozen=True, slots=True)
class _Noted:
    """What a batch was given."""

    batch: int | None = None
    rows: Sequence[int] = ()  # of each stream
    sums: Sequence[int] = ()
    logs: Sequence[str] = ()  # names of sources that have one


def noted_logs(checkpoint: Path) -> list[str]:
    """Return the sources that had a log when a batch was last noted: one that is gone since would be read again."""
    return list(_read(checkpoint / FOLDER / _FILE).logs)


def logs_of_sources(checkpoint: Path) -> list[str]:
    """Return the names of the sources that have a log in a checkpoint."""
    return sorted(path.name for path in (checkpoint / "sources").glob("[!.]*"))


def _read(file: Path) -> _Noted:
    """Return what was written down; nothing where that cannot be read: it protects, and must not be in the way."""
    try:
        return read_file(_Noted, file, remedy="delete it")
    except StateError:
        return _Noted()
