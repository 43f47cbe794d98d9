"""What decisions say: the slack of each operator, quality against its target, early results, what control records did.

Times are ms of the epoch, as browsers count; slacks are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.board.folders import BatchFolder
from slackwater.board.series import Floats, binned, filled, steps
from slackwater.board.shown import shown

_MOST_ROWS = 200_000
_CONTROL, _EARLY, _PROD = "control", "early", "prod"
_MOST_SAID = 12
_MOST_ANSWERS = 10_000  # of buckets, looked through for the newest
_COLUMNS = ("operator", "stream", "bucket", "at", "slack", "target", "measured", "max_delay", "results")


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
    operators = sorted({str(name) for name in table["operator"].to_pylist()} - {_CONTROL, _EARLY, _PROD})
    slacks = [name for name in operators if _of(table, name)["slack"].null_count < _of(table, name).num_rows]
    alike = _after_last_kind(table)
    return {
        "slack": [_slack(name, _of(table, name)) for name in slacks],
        "quality": [each for name in operators if (each := _quality(name, _of(alike, name)))["measured"]["at"]],
        "early": [_early(name, part) for name, part in _by_stream(_of(table, _EARLY))],
        "said": _said(table.filter(pc.field("operator").isin([_CONTROL, _PROD]))),
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
    """Return what control records and prods led to, the newest first; answers of all buckets to a prod are one."""
    newest = rows.slice(max(rows.num_rows - _MOST_ANSWERS, 0))
    columns = (newest[name].to_pylist() for name in ("operator", "stream", "bucket", "results"))
    said: list[_Said] = []
    for at, operator, words, bucket, results in zip(_times(newest).tolist(), *columns, strict=True):
        given = results or 0 if operator == _PROD else None
        if said and given is not None and said[-1].is_of_others(words, bucket):
            said[-1] = said[-1].with_answer(bucket, given)
        else:
            said.append(_Said(at if np.isfinite(at) else None, words, given, frozenset([bucket])))
    return [each.as_dict() for each in said[-_MOST_SAID:]][::-1]


@dataclass(frozen=True)
class _Said:
    """What a control record led to, or a prod: then with the number of its results, in the buckets that answered."""

    at: float | None
    words: str | None
    results: int | None
    buckets: frozenset[Any]

    def is_of_others(self, words: str | None, bucket: Any) -> bool:
        """Whether an answer of a bucket is to the same prod: no bucket answers twice."""
        return self.results is not None and self.words == words and bucket not in self.buckets

    def with_answer(self, bucket: Any, results: int) -> _Said:
        """Return it with the answer of one more bucket."""
        return replace(self, results=(self.results or 0) + results, buckets=self.buckets | {bucket})

    def as_dict(self) -> dict[str, Any]:
        """Return it as the page shows it."""
        words = self.words if self.results is None else f"prod: {self.words}, early results: {self.results:,}"
        return {"at": self.at, "words": shown(words, 1_000)}


def _times(rows: pa.Table) -> Floats:
    at = rows["at"].cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    return filled(at) / 1e3


def _floats(rows: pa.Table, column: str) -> Floats:
    return filled(rows[column])
