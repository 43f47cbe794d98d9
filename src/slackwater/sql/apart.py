"""Sinks are apart: none writes over another, or over what a stream reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from slackwater.paths import overlap

if TYPE_CHECKING:
    from slackwater.sql.places import Places
    from slackwater.sql.tree import CreateSink, CreateStream

_OWN = "give each a path of its own, which is not within that of the other"
_ELSEWHERE = "write to a path that is neither within the stream's nor around it; a second pipeline can read that"


def check_apart(places: Places, sinks: Sequence[CreateSink], streams: Iterable[CreateStream]) -> None:
    """Refuse sinks whose paths overlap, or overlap with a stream's: rows would be lost, or read again as input.

    Raises:
        SqlError: at the sink.
    """
    for other, sink in combinations(sinks, 2):
        if _overlap(sink, other):
            problem = f"sinks {other.name!r} and {sink.name!r} would write over each other: {_paths(other, sink)}"
            places.fail(sink.place, problem, _OWN)
    for stream in streams:
        for sink in sinks:
            if _overlap(sink, stream):
                problem = f"sink {sink.name!r} would write where stream {stream.name!r} reads: {_paths(sink, stream)}"
                places.fail(sink.place, problem, _ELSEWHERE)


def _overlap(one: CreateSink, other: CreateSink | CreateStream) -> bool:
    paths = [each.options.get("path") for each in (one, other)]
    return None not in paths and overlap(*map(str, paths))


def _paths(one: CreateSink, other: CreateSink | CreateStream) -> str:
    return f"their paths are {one.options.get('path')!r} and {other.options.get('path')!r}"
