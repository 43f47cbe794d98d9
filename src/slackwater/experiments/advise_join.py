"""Advice about the results of a join: the contract runs over it, constants are counted from what results need."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.advice.measured import Facts, advice_of
from slackwater.advice.needed import Needed, Periods
from slackwater.advice.result import Curve, Policy
from slackwater.advice.snippet import Query, Source, contract_code
from slackwater.api import Stream, stream
from slackwater.contracts import DropRatio
from slackwater.disorder.columns import first_value, guessed_unit, is_text
from slackwater.disorder.text_times import TextTimes
from slackwater.errors import DatasetError, ParameterError
from slackwater.experiments.needs import MOST_LISTED, needs_of, spark_needs_of
from slackwater.experiments.queries import JoinQuery
from slackwater.experiments.replay import count
from slackwater.experiments.subject import Subject, read_rows, stream_names
from slackwater.local.frames import to_arrow
from slackwater.plan.nodes import StreamNode
from slackwater.quality.recall import share_found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from slackwater.advice.result import Advice, Kind
    from slackwater.advice.wish import Wish
    from slackwater.disorder.columns import Question
    from slackwater.experiments.advise import Notice

_TOO_MANY = "There are too many results to say what Spark's watermark would need for them: give a shorter sample."
_NOTES = (
    "Recall is counted over result times; a period counts as kept from 99 % of its target on, as the contract counts.",
    "Spark's inner join emits a match as soon as both rows are there, not in order: there the delay costs state (rows "
    "are kept for the window and the delay), and a wait only for outer joins and what follows.",
)


@dataclass(frozen=True)
class Sample:
    """The results of a join, and how the wish looks at them."""

    subject: Subject
    needed: Needed
    wish: Wish

    @property
    def periods(self) -> Periods:
        """The periods that are measured."""
        return self.needed.periods(self.wish.period, self.wish.every)

    def constant(self, kind: Kind, slack: int, needed: Needed | None = None) -> Policy:
        """Count what a constant slack misses."""
        needed = needed or self.needed
        return self._policy(kind, slack, needed.missed(slack), needed.periods(self.wish.period, self.wish.every), slack)

    def _policy(self, kind: Kind, slack: float, missed: float, periods: Periods, constant: int) -> Policy:
        shares = periods.missed(constant)
        worst = float(shares.max()) if len(shares) else None
        return Policy(kind=kind, slack=slack, missed=missed, worst=worst, kept=self.wish.kept(shares))

    def under_contract(self) -> Policy:
        """Run the contract over the streams, and count what it produced."""
        counted = count(self.subject.run(self.wish.contract))
        periods = self.periods
        made = counted.results.within(periods.at - self.wish.period, periods.at)
        shares = 1 - share_found(made, np.rint(periods.totals).astype(np.int64))
        return Policy(
            kind="contract",
            slack=float(counted.slack.mean()) if len(counted.slack) else 0.0,
            missed=1 - counted.total / self.needed.total,
            worst=float(shares.max()) if len(shares) else None,
            kept=self.wish.kept(shares),
        )


def advise_join(
    frames: Sequence[Any],
    asked: Question,
    wish: Wish,
    *,
    within: str,
    on: str | Sequence[str] | None,
    where: str | None,
    notice: Notice | None,
) -> Advice:
    """Run the wish over the join of the streams, and compare it with constants."""
    _check(frames, asked, wish)
    on = on if on is None or isinstance(on, str) else tuple(on)
    subject, sources = _subject(frames, asked, JoinQuery(streams=(), within=str(within), on=on, where=where))
    _tell(notice, "what results need", 0)
    needs = needs_of(subject.plan)
    if not needs.total:
        remedy = "check the condition and the window, or give more of the streams"
        raise DatasetError(subject.name, problem="have no result that the join could miss", remedy=remedy)
    sample = Sample(subject, needs, wish)
    _tell(notice, "running the contract", 1)
    slack, missed = needs.curve()
    too_many = needs.total > MOST_LISTED
    facts = Facts(
        source=subject.name,
        what="results",
        rows=subject.rows,
        needed=needs,
        spark_needed=None if too_many else spark_needs_of(subject.plan),
        contract=sample.under_contract(),
        measure=sample.constant,
        curve=Curve(slack, missed, None, None, None),
        mean_limit=None,
        notes=(*(_NOTES if wish.allowed is not None else _NOTES[1:]), *([_TOO_MANY] if too_many else [])),
    )
    listed = list(on) if isinstance(on, tuple) else on
    code = contract_code(wish.contract)
    return advice_of(facts, wish, Query(sources=sources, contract=code, within=str(within), on=listed, where=where))


def _check(frames: Sequence[Any], asked: Question, wish: Wish) -> None:
    if len(frames) < 2:
        remedy = "a join takes one file or frame for each stream"
        raise ParameterError("frames", len(frames), must="be two or more with a window", remedy=remedy)
    if isinstance(wish.contract, DropRatio):
        remedy = "ask for sw.Recall(0.99), or for the drop ratio of each stream without within="
        raise ParameterError("contract", wish.contract, must="be about results with a window", remedy=remedy)
    for name in ("by", "stream"):
        if getattr(asked, name) is not None:
            remedy = "it is for the rows of one stream"
            raise ParameterError(name, getattr(asked, name), must="be left out with a window", remedy=remedy)


def _subject(frames: Sequence[Any], asked: Question, query: JoinQuery) -> tuple[Subject, list[Source]]:
    streams, sources = [], []
    files = [Path(each) for each in frames if isinstance(each, str | os.PathLike)]
    named = dict(zip(files, stream_names(files), strict=True))
    for number, frame in enumerate(frames):
        path = frame if isinstance(frame, str | os.PathLike) else None
        name, table = _named_rows(frame, number, named, asked.event_time)
        asked.check(name, table.column_names)
        table, unit = _with_times(name, table, asked)
        columns: dict[str, Any] = {"event_time": asked.event_time, "unit": unit, "arrival": asked.arrival}
        streams.append(stream(table, name=name, max_ahead=asked.max_ahead, **columns))
        sources.append(Source(name=name, files=() if path is None else (str(path),), parse=asked.parse, **columns))
    names = tuple(each.node.name for each in streams)
    shown = ", ".join(Path(each.files[0]).name if each.files else each.name for each in sources)
    joined = JoinQuery(streams=names, within=query.within, on=query.on, where=query.where)
    return Subject(shown, "", joined, tuple(streams)), sources


def _named_rows(frame: Any, number: int, named: Mapping[Path, str], event_time: str) -> tuple[str, pa.Table]:
    if isinstance(frame, str | os.PathLike):
        return named[Path(frame)], read_rows(Path(frame))
    if isinstance(frame, Stream):
        return frame.node.name, frame.frame
    return f"s{number + 1}", to_arrow(frame, event_time=event_time)


def _with_times(name: str, table: pa.Table, asked: Question) -> tuple[pa.Table, str | None]:
    """Return the rows with event times that a stream takes, and the unit of integers."""
    node = StreamNode(name=name, event_time=asked.event_time)
    values: Any = table.column(asked.event_time)
    if is_text(values.type):
        times = TextTimes().read(node, values, parse=asked.parse)
        return table.set_column(table.column_names.index(asked.event_time), asked.event_time, times), None
    if asked.unit is not None or str(values.type).startswith("timestamp"):
        return table, asked.unit
    first = first_value(values)
    return table, None if first is None else guessed_unit(node, first)


def _tell(notice: Notice | None, what: str, done: int) -> None:
    if notice is not None:
        notice(what, done, 2)
