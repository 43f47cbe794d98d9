"""Late rows: how many for which reason, and the newest of them as text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.board.folders import BatchFolder
from slackwater.board.shown import shown

_SAMPLES = 10  # of each reason
_MOST_COLUMNS = 12


class LateRows:
    """The late rows of the newest batches; of each batch only counts and a few rows are kept."""

    def __init__(self, folder: Path, newest: int = 500) -> None:
        self._folder = BatchFolder(folder, newest)
        self._counts: dict[int, Counter[tuple[str, str]]] = {}
        self._samples: dict[str, dict[int, list[dict[str, str | None]]]] = {}
        self._columns: list[str] = []

    def look(self) -> dict[str, Any]:
        """Read what is new; return counts and samples."""
        for number, table in self._folder.read():
            if {"stream", "reason"} <= set(table.column_names):
                self._take(number, table)
        for old in sorted(self._counts)[: -self._folder.newest]:
            del self._counts[old]
        total: Counter[tuple[str, str]] = sum(self._counts.values(), Counter())
        counts = [{"stream": stream, "reason": reason, "rows": rows} for (stream, reason), rows in total.most_common()]
        return {"counts": counts, "columns": self._columns, "samples": self._newest()}

    def _take(self, number: int, table: pa.Table) -> None:
        counted = table.group_by(["stream", "reason"]).aggregate([([], "count_all")]).to_pylist()  # a row for each pair
        self._counts[number] = Counter()
        for pair in counted:
            self._counts[number][str(shown(pair["stream"])), str(shown(pair["reason"]))] += pair["count_all"]
        last = ["late_by", "reason", "stream"]
        self._columns = [*last, *(name for name in table.column_names if name not in last)][:_MOST_COLUMNS]
        for reason in pc.unique(table["reason"]):
            of_it = table.filter(pc.equal(table["reason"], reason)).select(self._columns)
            rows = [_row(row) for row in of_it.slice(max(0, len(of_it) - _SAMPLES)).to_pylist()]
            own = self._samples.setdefault(str(shown(reason.as_py())), {})
            own[number] = rows
            for old in sorted(own)[:-_SAMPLES]:
                del own[old]

    def _newest(self) -> list[dict[str, str | None]]:
        """Return samples, those of the newest batches first, reason by reason."""
        found = []
        for batches in self._samples.values():
            rows = [row for number in sorted(batches, reverse=True) for row in reversed(batches[number])]
            found += rows[:_SAMPLES]
        return found


def _row(row: dict[str, Any]) -> dict[str, str | None]:
    late_by = row.pop("late_by", None)
    behind = {"late_by": None if late_by is None else f"{late_by / 1e6:.3f} s"}
    return {**behind, **{name: shown(value) for name, value in row.items()}}
