"""The Parquet files of an output, batch by batch: each is read once, the last ones again if they were replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from slackwater.errors import DatasetError
from slackwater.parquet import read_parquet

_BATCH = re.compile(r"batch=(\d+)")
_MAY_CHANGE = 2  # of the newest batches: one may be under way, and one be replayed after a crash


class BatchFolder:
    """What is new in a folder since it was last looked at. Only the newest batches are read at first."""

    def __init__(self, folder: Path, newest: int = 500) -> None:
        self.folder = folder
        self.newest = newest
        self._seen: dict[int, tuple[tuple[str, int], ...]] = {}

    def read(self) -> Iterator[tuple[int, pa.Table]]:
        """Return the batches that are new, or not what they were, in order; one that is half written comes later."""
        numbers = self._numbers()
        last = max(self._seen, default=-1)
        for number in numbers:
            if number > last - _MAY_CHANGE:
                table = self._read(number)
                if table is not None:
                    yield number, table
        for old in sorted(self._seen)[:-_MAY_CHANGE]:  # of the others nobody asks again
            del self._seen[old]

    def _numbers(self) -> list[int]:
        try:
            names = [_BATCH.fullmatch(path.name) for path in self.folder.iterdir()]
        except OSError:
            return []
        return sorted(int(name[1]) for name in names if name)[-self.newest :]

    def _read(self, number: int) -> pa.Table | None:
        """Return a batch, or None where it is as it was, or cannot be read yet."""
        try:
            files = sorted((self.folder / f"batch={number}").glob("[!._]*.parquet"))
            found = tuple((file.name, file.stat().st_size) for file in files)
            if not found or self._seen.get(number) == found:
                return None
            table = pa.concat_tables([read_parquet(file) for file in files])
        except (OSError, pa.ArrowInvalid, DatasetError):
            return None
        self._seen[number] = found
        return table
