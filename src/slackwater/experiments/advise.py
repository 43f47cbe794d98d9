"""`sw.advise`: what to write for a wish, from a sample of the streams."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from slackwater.api import Stream
from slackwater.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slackwater.advice.result import Advice
    from slackwater.advice.wish import Wish
    from slackwater.contracts import Contract
    from slackwater.disorder.columns import Question
    from slackwater.plan.nodes import Unit
    from slackwater.time import DurationLike

    Notice: TypeAlias = Callable[[str, int, int | None], None]  # what is done now, how much of it, of how much


def advise(
    *frames: Any,
    contract: Contract,
    event_time: str | None = None,
    unit: Unit | None = None,
    arrival: str | None = None,
    by: str | None = None,
    stream: str | None = None,
    within: str | None = None,
    on: str | Sequence[str] | None = None,
    where: str | None = None,
    over: DurationLike = "1 minute",
    max_ahead: DurationLike | None = "1 day",
    parse: bool = False,
    notice: Notice | None = None,
) -> Advice:
    """Say what to write for a wish, what it gives and costs on a sample, and what Spark's watermark would need for it.

    The contract runs over the sample; beside it, every constant slack is counted from what rows or results need. All
    rows' times are held in memory, for a join all rows.

    Args:
        frames: a pyarrow Table, pandas or polars frame, a path, or what `sw.stream` made; several, one for each stream,
            for a join.
        contract: the wish: `sw.DropRatio(0.005)`, `sw.Recall(0.99)` for a join; either with `cap=` for the longest
            wait; or the wait alone, `sw.MaxSlack(cap="10 seconds")`.
        event_time: the column that says when a row happened; `unit`, `arrival`, `max_ahead` and `parse` as in
            `sw.profile`.
        unit: of integer event times; guessed where that is possible.
        arrival: a column that orders rows by arrival.
        by: a column of keys: which of them would lose most?
        stream: a column that tells streams apart, likewise.
        within: the window of the join.
        on: columns that must be equal, as in `sw.join`.
        where: what else must hold, in SQL.
        over: the period that is looked at where the contract has none.
        max_ahead: rows with a time further than this past their arrival are left out.
        parse: read event times from ISO 8601 text.
        notice: is told how far it is.

    >>> import slackwater as sw
    >>> rows = {"ts": [second - 5 * (second % 50 == 7) for second in range(4_000)]}
    >>> found = sw.advise(rows, event_time="ts", unit="s", contract=sw.DropRatio(0.01))
    >>> found.code, found.spark_code
    ('sw.DropRatio(0.01, over="1 minute")', 'rows.withWatermark("ts", "4001 milliseconds")')
    """
    from slackwater.advice.wish import Wish
    from slackwater.disorder.columns import Question

    _check(frames)
    wish = Wish.of(contract, over)
    if any(isinstance(each, Stream) for each in frames):
        event_time, unit, arrival, max_ahead = _of_streams(frames)
    if event_time is None:
        remedy = 'name the column: event_time="ts"'
        raise ParameterError("event_time", None, must="be given for a frame or a path", remedy=remedy)
    asked = Question.of(
        event_time=event_time, unit=unit, arrival=arrival, by=by, stream=stream, max_ahead=max_ahead, parse=parse
    )
    if within is None:
        _refuse(on=on, where=where)
        return _rows(frames, asked, wish, notice)
    from slackwater.experiments.advise_join import advise_join

    return advise_join(frames, asked, wish, within=within, on=on, where=where, notice=notice)


def _rows(frames: Sequence[Any], asked: Question, wish: Wish, notice: Notice | None) -> Advice:
    from slackwater.advice.snippet import Query, Source, contract_code
    from slackwater.disorder.collected import Collected
    from slackwater.disorder.files import Files, profile_files
    from slackwater.disorder.run import profile_table
    from slackwater.experiments.advise_rows import advise_rows
    from slackwater.experiments.subject import stream_name
    from slackwater.local.frames import to_arrow

    collected, present = Collected(), time.time_ns() // 1_000
    paths = [str(each) for each in frames if isinstance(each, str | os.PathLike)]
    if paths and len(paths) == len(frames):
        files = Files(paths, asked)
        profile = profile_files(files, present=present, notice=_reading(files, notice), collected=collected)
        name = stream_name(Path(paths[0]))
    elif len(frames) == 1:
        table = to_arrow(frame_of(frames[0]), event_time=asked.event_time)
        profile = profile_table(asked, table, present=present, collected=collected)
        name = frames[0].node.name if isinstance(frames[0], Stream) else "rows"
    else:
        remedy = 'for a join say the window: within="5 seconds"'
        raise ParameterError("frames", len(frames), must="be one without a window", remedy=remedy)
    if notice is not None:
        notice("running the contract", 0, None)
    unit, files_read = profile.subject.unit, tuple(paths)
    source = Source(
        name=name, event_time=asked.event_time, unit=unit, arrival=asked.arrival, files=files_read, parse=asked.parse
    )
    return advise_rows(profile, collected, wish, Query(sources=[source], contract=contract_code(wish.contract)))


def _reading(files: Any, notice: Notice | None) -> Callable[[int], None] | None:
    if notice is None:
        return None
    done = 0

    def tell(rows: int) -> None:
        nonlocal done
        done += rows
        notice("reading", done, files.rows)

    return tell


def _check(frames: Sequence[Any]) -> None:
    if not frames:
        raise ParameterError("frames", "none", must="be one or more", remedy='sw.advise(frame, event_time="ts", ...)')
    for each in frames:
        if type(frame_of(each)).__module__.startswith("pyspark.sql"):
            raise ParameterError(
                "frame",
                "a Spark DataFrame",
                must="be in process",
                remedy="take a sample with its arrival order, such as frame.limit(1_000_000).toArrow(); "
                "sw.profile takes bounded DataFrames",
            )


def frame_of(given: Any) -> Any:
    """Return the frame itself, if it was wrapped by `sw.stream`."""
    return given.frame if isinstance(given, Stream) else given


def _of_streams(frames: Sequence[Any]) -> tuple[str, Unit | None, str | None, Any]:
    """Return what the columns mean, which must be the same for all streams here."""
    nodes = [each.node if isinstance(each, Stream) else None for each in frames]
    meanings = {None if node is None else (node.event_time, node.unit, node.arrival, node.max_ahead) for node in nodes}
    if len(meanings) != 1 or None in meanings:
        remedy = "call the columns alike, or give frames and event_time="
        raise ParameterError("frames", "streams of several kinds", must="be alike", remedy=remedy)
    event_time, unit, arrival, max_ahead = next(iter(meanings))  # type: ignore[misc]
    return event_time, unit, arrival, max_ahead


def _refuse(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            remedy = 'say the window of the join: within="5 seconds"'
            raise ParameterError(name, value, must="come with a window", remedy=remedy)
