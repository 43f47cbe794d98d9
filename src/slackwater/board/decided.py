"""What decisions say: the slack of each operator, quality against its target, early results, what control records did.

Times are ms of the epoch, as browsers count; slacks are seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.board.folders import BatchFolder
from slackwater.board.series import Floats, binned, filled, steps
from slackwater.board.shown import shown

_MOST_ROWS = 200_000
_CONTROL, _EARLY = "control", "early"
_MOST_SAID = 12
_COLUMNS = ("operator", "stream", "bucket", "at", "slack", "target", "measured", "max_delay")


class Decided:
    """The decisions of the newest batches."""

    def __init__(self, folder: Path) -> None:
        self._folder = BatchFolder(folder)
        self._batches: dict[int, pa.Table] = {}

    def look(self) -> dict[str, Any]:
        """Read what is new; return all that is drawn from decisions."""
        for number, table in self._folder.read():
            if set(_COLUMNS) <= set(table.column_names):
                self._batches[number] = table.select(list(_COLUMNS))
        rows = sum(table.num_rows for table in self._batches.values())
        for number in sorted(self._batches):
            if rows <= _MOST_ROWS:
                break
            rows -= self._batches.pop(number).num_rows
        tables = [self._batches[number] for number in sorted(self._batches)]
        return _drawn(pa.concat_tables(tables)) if tables else {}


def _drawn(table: pa.Table) -> dict[str, Any]:
    operators = sorted({str(name) for name in table["operator"].to_pylist()} - {_CONTROL, _EARLY})
    slacks = [name for name in operators if _of(table, name)["slack"].null_count < _of(table, name).num_rows]
    alike = _after_last_kind(table)
    return {
        "slack": [_slack(name, _of(table, name)) for name in slacks],
        "quality": [each for name in operators if (each := _quality(name, _of(alike, name)))["measured"]["at"]],
        "early": [_early(name, part) for name, part in _by_stream(_of(table, _EARLY))],
        "said": _said(_of(table, _CONTROL)),
    }


def _of(table: pa.Table, operator: str) -> pa.Table:
    return table.filter(pc.field("operator") == operator)


def _after_last_kind(table: pa.Table) -> pa.Table:
    """Return the decisions since the contract was last one of another kind: a recall is no drop ratio."""
    words = table["stream"].to_pylist()
    changes = [
        place
        for place, operator in enumerate(table["operator"].to_pylist())
        if operator == _CONTROL and _changes_kind(str(words[place]))
    ]
    return table.slice(changes[-1] + 1) if changes else table


def _changes_kind(words: str) -> bool:
    """Whether a change is to another kind of contract.

    >>> _changes_kind("contract: drop 0.1 -> recall 0.9"), _changes_kind("contract: drop 0.1 -> drop 0.2")
    (True, False)
    """
    before, arrow, after = words.removeprefix("contract: ").partition(" -> ")
    return bool(arrow) and words.startswith("contract: ") and before.split(" ")[0] != after.split(" ")[0]


def _by_stream(table: pa.Table) -> list[tuple[str, pa.Table]]:
    names = list(dict.fromkeys(table["stream"].to_pylist()))
    return [(str(shown(name)), table.filter(pc.field("stream") == name)) for name in names if name is not None]


def _slack(operator: str, rows: pa.Table) -> dict[str, Any]:
    at = _times(rows)
    return {
        "operator": operator,
        "buckets": len(pc.unique(rows["bucket"])),
        **binned(at, _floats(rows, "slack") / 1e6),
        "max_delay": binned(at, _floats(rows, "max_delay") / 1e6),
    }


def _quality(operator: str, rows: pa.Table) -> dict[str, Any]:
    return {"operator": operator, **_against_target(rows)}


def _early(value: str, rows: pa.Table) -> dict[str, Any]:
    return {"value": value, **_against_target(rows)}


def _against_target(rows: pa.Table) -> dict[str, Any]:
    at = _times(rows)
    return {"measured": binned(at, _floats(rows, "measured")), "target": steps(at, _floats(rows, "target"))}


def _said(rows: pa.Table) -> list[dict[str, Any]]:
    """Return what control records led to, the newest first."""
    newest = rows.slice(max(rows.num_rows - _MOST_SAID, 0))
    said = zip(_times(newest).tolist(), newest["stream"].to_pylist(), strict=True)
    return [{"at": at if np.isfinite(at) else None, "words": shown(words, 1_000)} for at, words in said][::-1]


def _times(rows: pa.Table) -> Floats:
    at = rows["at"].cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    return filled(at) / 1e3


def _floats(rows: pa.Table, column: str) -> Floats:
    return filled(rows[column])
