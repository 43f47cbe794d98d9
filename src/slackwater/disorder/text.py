"""A profile as text for a terminal."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from slackwater.disorder.delays import QUANTILES, Delays
from slackwater.estimate.arrays import add
from slackwater.time import MAX_TIME, MIN_TIME

if TYPE_CHECKING:
    from slackwater.disorder.result import DisorderProfile, Part, Slice

_UNITS = ((86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1_000, "ms"))
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MOST_LINES = 12  # of one section
QUANTILE_HEADS = tuple(f"p{100 * share:g}" for share in QUANTILES)


def span(duration: float | None) -> str:
    """Write a duration in us for people, in the unit that suits it; nothing for None.

    >>> span(0), span(12), span(680_000), span(19_767_672), span(6_600_000_000), span(3 * 86_400_000_000)
    ('0', '12 us', '680 ms', '19.8 s', '1.83 h', '3 d')
    """
    if duration is None or not duration:
        return "" if duration is None else "0"
    size, unit = next((each for each in _UNITS if duration >= each[0]), (1, "us"))
    value = duration / size
    return f"{value:,.0f} {unit}" if value >= 100 or value == round(value) else f"{value:.3g} {unit}"


def moment(time: int | None) -> str:
    """Write an event time for people.

    >>> moment(1_700_000_000_000_000), moment(None)
    ('2023-11-14 22:13:20Z', '')
    """
    if time is None:
        return ""
    time = min(max(time, MIN_TIME), MAX_TIME)  # a slice may begin before the first time there is
    return str((_EPOCH + dt.timedelta(microseconds=time)).replace(tzinfo=None, microsecond=0)) + "Z"


def table_of(profile: DisorderProfile) -> str:
    """Return all sections, one after the other."""
    if not profile.rows:
        return f"{profile.subject.source}: no rows, nothing to profile."
    sections = [_head(profile), *_sections(profile)]
    if profile.suspicions:
        sections.append("Suspicious\n" + "\n".join(f"  ! {each}" for each in profile.suspicions))
    return "\n\n".join(sections)


def coarse_slices(slices: Sequence[Slice], most: int) -> list[tuple[int, Delays]]:
    """Return the start and the delays of at most so many runs of slices, each of equally many."""
    step = -(-len(slices) // most) if slices else 1
    runs = [slices[at : at + step] for at in range(0, len(slices), step)]
    return [(run[0].start, _together([each.delays for each in run])) for run in runs]


def name_of(part: Part) -> str:
    """Return what a part is called."""
    return "(null)" if part.name is None else part.name


def quantiles(delays: Delays) -> list[str]:
    """Return the quantiles and the largest, for people."""
    return [span(delays.quantile(share)) for share in QUANTILES] + [span(delays.largest)]


def _head(profile: DisorderProfile) -> str:
    subject, delays = profile.subject, profile.delays
    left_out = [(profile.nulls, "without a time"), (profile.future, "from the future")]
    notes = "".join(f", {count:,} {what}" for count, what in left_out if count)
    unit = f" in {subject.unit}{' (guessed)' if subject.unit_is_guessed else ''}" if subject.unit else ""
    rate = "" if profile.rate is None else f", {profile.rate:,.3g} events/s"
    lines = [
        f"{subject.source}: {profile.rows:,} rows{notes}",
        f"event time    {subject.event_time}{unit}, {moment(profile.first)} to {moment(profile.last)}{rate}",
        f"arrival       {'by ' + subject.arrival if subject.arrival else 'as the rows are'}",
        f"out of order  {delays.share_out_of_order:.2%} ({delays.out_of_order:,} events)",
        f"delay         {_worded(delays)}",
    ]
    return "\n".join(lines)


def _worded(delays: Delays) -> str:
    shown = zip((*QUANTILE_HEADS, "max"), quantiles(delays), strict=True)
    return ", ".join(f"{head} {value}" for head, value in shown) + " (quantiles at most 2 % too large)"


def _sections(profile: DisorderProfile) -> Iterator[str]:
    drift = [
        (moment(start), f"{each.events:,}", f"{each.share_out_of_order:.1%}", *quantiles(each))
        for start, each in coarse_slices(profile.slices, MOST_LINES)
    ]
    if len(drift) > 1:
        yield aligned("Drift", ("clock from", "events", "out of order", *QUANTILE_HEADS, "max"), drift)
    for column, parts, other in (
        (profile.subject.stream, profile.streams, profile.other_stream_rows),
        (profile.subject.by, profile.keys, profile.other_key_rows),
    ):
        if column is not None:
            yield _parts(column, parts, other)
    if profile.gaps:
        gaps = [(span(each.end - each.start), moment(each.start), moment(each.end)) for each in profile.gaps[:5]]
        yield aligned("Longest gaps", ("gap", "from", "to"), gaps)


def _parts(column: str, parts: Sequence[Part], other: int) -> str:
    heads = (column, "events", "own %", "p99", "max", "all %", "p99", "max", "skew p50", "max")
    lines = [
        (
            name_of(each),
            f"{each.events:,}",
            *_short(each.own),
            *_short(each.behind),
            span(each.skew.quantile(0.5)),
            span(each.skew.largest),
        )
        for each in parts[:MOST_LINES]
    ]
    title = (
        f"By {column}, worst first: share out of order and delay against its own clock, and against the clock of all"
    )
    shown = aligned(title, heads, lines)
    more = len(parts) - len(lines)
    shown += f"\n  and {more:,} more" if more else ""
    return shown + (f"\n  {other:,} rows of further values, not followed" if other else "")


def _short(delays: Delays) -> tuple[str, str, str]:
    return f"{delays.share_out_of_order:.1%}", span(delays.quantile(0.99)), span(delays.largest)


def aligned(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a title and a table, numbers to the right."""
    widths = [max(len(line[place]) for line in (heads, *lines)) for place in range(len(heads))]
    shown = [
        "  " + "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in (heads, *lines)
    ]
    return "\n".join([title, *shown])


def _together(delays: Sequence[Delays]) -> Delays:
    counts = np.zeros(1, np.int64)
    for each in delays:
        counts = add(counts, each.counts if each.counts is not None else counts[:0])
    return Delays.counted(counts, max(each.largest for each in delays))
