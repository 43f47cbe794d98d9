"""From rows that are marked as prods or punctuations to marks, and from the answers of prods to rows of `decisions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.decisions import decisions_table
from slackwater.errors import ColumnError
from slackwater.events import PROD, PUNCTUATION
from slackwater.pipeline.columns import read_times
from slackwater.pipeline.marks import Answer, Mark
from slackwater.wording import time_in_words

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.pipeline.guard import Incoming
    from slackwater.plan.nodes import AggregateNode

_EVENT = ("event", "")


@dataclass(frozen=True, slots=True)
class KnownGroups:
    """The groups that a batch can speak of: the code of each of its rows, and the keys of each code."""

    code: Rows
    keys: pa.Table

    def where(self, values: Mapping[str, pa.Scalar[Any]]) -> Rows:
        """Return the codes of groups whose keys have these values; null is a value of its own."""
        wanted = np.ones(self.keys.num_rows, np.bool_)
        for column, value in values.items():
            keys = self.keys[column]
            same = pc.equal(keys, value).fill_null(False) if value.is_valid else pc.is_null(keys)
            wanted &= same.to_numpy()
        return np.flatnonzero(wanted)


def read_marks(
    node: AggregateNode, table: pa.Table, incoming: Incoming, groups: KnownGroups, last: KnownGroups | None = None
) -> tuple[Incoming, list[Mark]]:
    """Split the rows of a batch into events and marks, both in arrival order.

    In a plan of several aggregates a punctuation is about groups of the first, and a prod about those of the `last`.

    A punctuation whose time the guard would not believe of an event is ignored: it would close all that is open.
    """
    if node.stream.marker is None:
        return incoming, []
    kinds = table[node.stream.marker]
    _check_kinds(node, kinds)
    marked = pc.is_in(kinds, pa.array([PROD, PUNCTUATION], kinds.type)).to_numpy()[incoming.events.row]
    positions = np.flatnonzero(marked)
    usable, _ = incoming[positions].usable(node.stream.max_ahead)
    marks = [
        _mark(node, table, incoming, position, groups, last or groups, usable=ok)
        for position, ok in zip(positions.tolist(), usable.tolist(), strict=True)
    ]
    return (incoming[np.flatnonzero(~marked)] if len(positions) else incoming), marks


def _check_kinds(node: AggregateNode, kinds: pa.ChunkedArray[Any]) -> None:
    known = (None, PROD, PUNCTUATION, *_EVENT)
    for kind in kinds.unique().to_pylist():
        if kind not in known:
            raise ColumnError(
                node.stream.name,
                str(node.stream.marker),
                problem=f"has {kind!r}, which marks nothing",
                remedy='write "prod" or "punctuation"; leave it null for events',
            )


def _mark(
    node: AggregateNode,
    table: pa.Table,
    incoming: Incoming,
    position: int,
    groups: KnownGroups,
    last: KnownGroups,
    *,
    usable: bool,
) -> Mark:
    row, stream = int(incoming.events.row[position]), node.stream
    kind = cast("Literal['prod', 'punctuation']", table[str(stream.marker)][row].as_py())
    has_time = incoming.has_time is None or bool(incoming.has_time[position])
    if kind == PUNCTUATION and not has_time:
        raise ColumnError(
            stream.name, stream.event_time, problem="is null in a punctuation", remedy="say up to when it holds"
        )
    until = int(incoming.events.time[position]) if has_time else None
    by = node.by if kind == PROD else node.levels[0].by
    values = {column: table[column][row] for column in by if table[column][row].is_valid}
    since = _since(node, table.slice(row, 1)) if kind == PUNCTUATION else None
    if since is not None and values:
        raise ColumnError(
            stream.name,
            str(stream.since),
            problem="is set in a punctuation of a group",
            remedy="leave one of them null",
        )
    if kind == PUNCTUATION and 0 < len(values) < len(by):
        raise ColumnError(
            stream.name,
            next(column for column in by if column not in values),
            problem="is null in a punctuation of a group",
            remedy="set all columns that make a group, or none: a punctuation is of one group, or of all",
        )
    codes = None
    if values:
        own = len(values) == len(by) and (kind == PUNCTUATION or last is groups)
        codes = groups.code[row : row + 1] if own else last.where(values)
    arrival, words = int(incoming.events.arrival[position]), in_words(until, values)
    if kind == PUNCTUATION and not usable:
        return Mark("ignored", arrival, words=f"ignored: from the future, {words}")
    return Mark(kind, arrival, until, since, codes, words)


def _since(node: AggregateNode, row: pa.Table) -> int | None:
    if node.stream.since is None:
        return None
    times, known = read_times(node.stream, node.stream.since, row[node.stream.since])
    return int(times[0]) if known is None or known[0] else None


def in_words(until: int | None, values: Mapping[str, pa.Scalar[Any]]) -> str:
    """Return what a prod asks for.

    >>> in_words(50_000_000, {"line": pa.scalar(5)})
    '<= 1970-01-01T00:00:50Z, line=5'
    """
    time = "all that is open" if until is None else f"<= {time_in_words(until)}"
    return ", ".join([time, *(f"{column}={value.as_py()}" for column, value in values.items())])


def answers_table(answers: Sequence[Answer], *, bucket: int) -> pa.Table:
    """Return one row of decisions for each prod that came with the stream: what it asked, how many results it got.

    And one for each window that was held for rows of a burst: the range of time that is final by now; and one for each
    punctuation that was ignored.
    """
    columns = {
        "operator": [PUNCTUATION if answer.mark.kind == "ignored" else answer.mark.kind for answer in answers],
        "stream": [answer.mark.words for answer in answers],
        "bucket": bucket,
        "at": pa.array([answer.clock for answer in answers], pa.int64()),
        "results": np.array([answer.results for answer in answers], np.int64),
    }
    return decisions_table(columns, len(answers))
