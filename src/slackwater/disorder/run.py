"""Runs a profile over batches, a table or files, and makes the result of what was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from slackwater.disorder import kernels
from slackwater.disorder.columns import KEYS, STREAMS, Question, Reader
from slackwater.disorder.delays import Delays
from slackwater.disorder.result import DisorderProfile, Gap, Part, Slice, Subject
from slackwater.disorder.suspicions import suspicions_of
from slackwater.estimate.needed_slack import slack_of_bin
from slackwater.pipeline.columns import read_arrival
from slackwater.plan.nodes import StreamNode

if TYPE_CHECKING:
    from slackwater.disorder.collected import Collected
    from slackwater.disorder.parts import PartTally
    from slackwater.disorder.tally import Tally

Batches: TypeAlias = Iterable[tuple[str, pa.RecordBatch | pa.Table]]  # each with the name of where it is from
Notice: TypeAlias = Callable[[int], None]  # is told how many more rows were read
BATCH_ROWS = 1 << 18


def profile_table(
    question: Question, table: pa.Table, *, present: int, source: str = "frame", collected: Collected | None = None
) -> DisorderProfile:
    """Profile a table whose rows are in arrival order, unless the question names a column that orders them.

    `collected`, here and below, keeps the event times besides.

    >>> asked = Question.of(event_time="ts", unit="s", max_ahead=None)
    >>> profile_table(asked, pa.table({"ts": [1, 4, 3, 5]}), present=0)
    <DisorderProfile of frame: 4 rows, 25.0% out of order, at most 1 s>
    """
    question.check(source, table.column_names)
    rows = table.select(question.columns)
    if question.arrival is not None:
        node = StreamNode(name=source, event_time=question.event_time)
        arrivals = read_arrival(node, question.arrival, rows)
        if (arrivals[1:] < arrivals[:-1]).any():
            rows = rows.take(np.argsort(arrivals, kind="stable"))
    reader = _reader(question, present, collected)
    for at in range(0, rows.num_rows, BATCH_ROWS):
        reader.on_batch(source, rows.slice(at, BATCH_ROWS))
    return finished(reader, source, present=present)


def profile_batches(
    question: Question,
    batches: Batches,
    *,
    present: int,
    source: str,
    notice: Notice | None = None,
    collected: Collected | None = None,
) -> DisorderProfile | None:
    """Profile batches in arrival order; None if the column that orders them says that they are not."""
    reader = _reader(question, present, collected)
    for name, batch in batches:
        if not reader.on_batch(name, batch):
            return None
        if notice is not None:
            notice(batch.num_rows)
    return finished(reader, source, present=present)


def finished(reader: Reader, source: str, *, present: int) -> DisorderProfile:
    """Return the profile of all that a reader has counted."""
    asked, unit = reader.question, reader.unit or reader.question.unit
    subject = Subject(
        source=source,
        event_time=asked.event_time,
        unit=unit,
        unit_is_guessed=reader.unit is not None,
        arrival=asked.arrival,
        by=asked.by,
        stream=asked.stream,
    )
    return profile_of(subject, reader.tally, {kind: each.known for kind, each in reader.names.items()}, present=present)


def profile_of(subject: Subject, tally: Tally, names: dict[str, list[str | None]], *, present: int) -> DisorderProfile:
    """Return the profile of what was counted; `names` has the parts of each kind by their codes."""
    tally.close()
    parts = {kind: _parts(tally.parts[kind], each) for kind, each in names.items()}
    others = {kind: tally.parts[kind].other_rows for kind in names}
    known: dict[str, Any] = {
        "subject": subject,
        **tally.counted,
        "first": None if tally.clock is None else tally.least,
        "last": tally.clock,
        "delays": Delays.counted(tally.counts_of_all(), tally.largest),
        "slices": tuple(_slice(start, tally, counts) for start, counts in tally.counts_of_slices().items()),
        "gaps": tuple(Gap(int(start), int(start + length)) for start, length in tally.gaps if length),
        "streams": parts.get(STREAMS, ()),
        "keys": parts.get(KEYS, ()),
        "other_stream_rows": others.get(STREAMS, 0),
        "other_key_rows": others.get(KEYS, 0),
    }
    found = suspicions_of(DisorderProfile(**known), present=present, transit=tally.transit)
    return DisorderProfile(**known, suspicions=tuple(found))


def _reader(question: Question, present: int, collected: Collected | None) -> Reader:
    return Reader(question, present=present, tally=None if collected is None else collected.tally(question.kinds))


def _slice(start: int, tally: Tally, counts: Any) -> Slice:
    used = np.flatnonzero(counts)
    largest = min(slack_of_bin(int(used[-1])), tally.largest) if len(used) else 0  # to 2 %: kept for all only
    return Slice(start, start + tally.width, Delays.counted(counts, largest))


def _parts(tally: PartTally, names: list[str | None]) -> tuple[Part, ...]:
    found = [_part(tally, code, name) for code, name in enumerate(names) if code < len(tally.numbers)]
    return tuple(sorted((each for each in found if each.events), key=_badness, reverse=True))


def _part(tally: PartTally, code: int, name: str | None) -> Part:
    numbers = tally.numbers[code]
    delays = []
    for kind in range(3):
        counts = tally.counts[code, kind] if code < len(tally.counts) else None
        used = None if counts is None else counts[: int(np.flatnonzero(counts)[-1]) + 1 if counts.any() else 0].copy()
        out, largest = int(numbers[kernels.OWN_OUT + kind]), int(numbers[kernels.OWN_LARGEST + kind])
        delays.append(Delays(int(numbers[kernels.P_ROWS]), out, largest, used))
    own, behind, skew = delays
    first, last = int(numbers[kernels.P_LEAST]), int(numbers[kernels.P_CLOCK])
    return Part(name=name, first=first, last=last, own=own, behind=behind, skew=skew)


def _badness(part: Part) -> tuple[int, int, int]:
    """Return what the worst parts have most of: the delay of their slowest hundredth, against the clock of all."""
    slow = part.behind.quantile(0.99)
    return part.behind.largest if slow is None else slow, part.own.largest, part.events
