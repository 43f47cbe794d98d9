"""A profile as a page: tables, the curve from slack to share late, drift, rates and the parts of the stream."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from slackwater.disorder.delays import QUANTILES, Delays
from slackwater.disorder.text import QUANTILE_HEADS, moment, name_of, quantiles, span
from slackwater.report.comparisons import unit_for
from slackwater.report.page import Section, page_of, section_of, table_of
from slackwater.report.plots import Figure, log_log_lines, over_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.disorder.result import DisorderProfile, Part

MOST_CURVES = 6  # as many as there are colors
MOST_ROWS = 100  # of a table of parts


def write_profile_page(path: Path, profile: DisorderProfile, *, footer: str = "") -> Path:
    """Write the page. It holds all it needs, plotly included (about 5 MB)."""
    title = f"Disorder of {profile.subject.source}"
    sections = _sections(profile)
    body = [
        f"<h1>{html.escape(title)}</h1><p>{html.escape(_intro(profile))}</p>",
        _suspicions(profile),
        f"<section><h2>Summary</h2>{_summary(profile)}</section>",
        *(section_of(section) for section in sections),
        *_part_tables(profile),
        f"<section><h2>Longest gaps</h2>{_gaps(profile)}</section>",
        f"<footer>{html.escape(footer)}</footer>",
    ]
    path.write_text(page_of(title, "\n".join(body), [section.figure for section in sections]), encoding="utf-8")
    return path


def curves(profile: DisorderProfile) -> Figure:
    """Return the share of events that a constant slack makes late at most, for all and for the worst parts."""
    lines = [("all", profile.delays)]
    lines += [(name_of(each), each.behind) for each in (profile.streams or profile.keys)[: MOST_CURVES - 1]]
    drawn = []
    for label, delays in lines:
        slack, share = delays.curve()
        seen = (slack > 0) & (share > 0)
        if seen.any():
            drawn.append((label, slack[seen] / 1e3, share[seen]))
    return log_log_lines(drawn, x="slack (ms)", y="share late at most")


def _sections(profile: DisorderProfile) -> list[Section]:
    if not profile.delays.events:
        return []
    found = [
        Section(
            "What a constant slack would do",
            "The share of events that lie further behind the clock than a given slack: the most it can make late.",
            curves(profile),
        )
    ]
    if len(profile.slices) > 1:
        found += [_drift(profile), _rate(profile)]
    return found


def _drift(profile: DisorderProfile) -> Section:
    at = np.array([each.start for each in profile.slices if each.delays.events])
    some = [each.delays for each in profile.slices if each.delays.events]
    size, unit = unit_for(profile.delays.largest)
    lines = [
        (head, at, np.array([(each.quantile(share) or 0) / size for each in some]))
        for head, share in zip(QUANTILE_HEADS, QUANTILES, strict=True)
    ]
    caption = f"Quantiles of the delay, for each {span(_width(profile))} of the clock."
    return Section("Drift of the delay", caption, over_time(lines, y=f"delay ({unit})", unit=unit))


def _rate(profile: DisorderProfile) -> Section:
    at = np.array([each.start for each in profile.slices])
    seconds = _width(profile) / 1e6
    rates = np.array([each.delays.events / seconds for each in profile.slices])
    late = np.array([each.delays.out_of_order / seconds for each in profile.slices])
    caption = "Events, and those out of order, per second of event time; the first and last slice are not full."
    lines = [("all", at, rates), ("out of order", at, late)]
    return Section("Rate", caption, over_time(lines, y="events/s", unit="events/s"))


def _width(profile: DisorderProfile) -> int:
    return profile.slices[0].end - profile.slices[0].start


def _intro(profile: DisorderProfile) -> str:
    if not profile.delays.events:
        return f"{profile.rows:,} rows, none with a usable event time."
    times = f"{moment(profile.first)} to {moment(profile.last)}"
    return (
        f"{profile.rows:,} rows from {times}; {profile.delays.share_out_of_order:.2%} of them came out of order, "
        f"the farthest {span(profile.delays.largest)} behind the clock. Quantiles are at most 2 % too large."
    )


def _summary(profile: DisorderProfile) -> str:
    heads = ("rows", "without a time", "from the future", "out of order", *QUANTILE_HEADS, "largest", "events/s")
    counts = [f"{each:,}" for each in (profile.rows, profile.nulls, profile.future)]
    rate = "" if profile.rate is None else f"{profile.rate:,.3g}"
    return table_of(heads, [[*counts, f"{profile.delays.share_out_of_order:.2%}", *quantiles(profile.delays), rate]])


def _suspicions(profile: DisorderProfile) -> str:
    if not profile.suspicions:
        return ""
    lines = "".join(f"<li>{html.escape(each)}</li>" for each in profile.suspicions)
    return f"<section><h2>Suspicious</h2><ul>{lines}</ul></section>"


def _part_tables(profile: DisorderProfile) -> list[str]:
    kinds = ((profile.subject.stream, profile.streams), (profile.subject.by, profile.keys))
    caption = "Against its own clock, and against the clock of all rows; skew: how far its clock is behind that of all."
    return [
        f'<section><h2>By {html.escape(column)}, worst first</h2><p class="caption">{caption}</p>'
        f"{_part_table(column, parts)}</section>"
        for column, parts in kinds
        if column is not None
    ]


def _part_table(column: str, parts: Sequence[Part]) -> str:
    heads = (column, "rows", "own: out of order", "p99", "largest", "all: out of order", "p99", "largest", "skew p50")
    rows = [
        [name_of(each), f"{each.events:,}", *_cells(each.own), *_cells(each.behind), span(each.skew.quantile(0.5))]
        for each in parts[:MOST_ROWS]
    ]
    more = "" if len(parts) <= MOST_ROWS else f"<p>and {len(parts) - MOST_ROWS:,} more</p>"
    return table_of(heads, rows) + more


def _cells(delays: Delays) -> list[str]:
    return [f"{delays.share_out_of_order:.1%}", span(delays.quantile(0.99)), span(delays.largest)]


def _gaps(profile: DisorderProfile) -> str:
    rows = [[span(each.end - each.start), moment(each.start), moment(each.end)] for each in profile.gaps]
    return table_of(("gap", "from", "to"), rows) if rows else "<p>The clock never moved.</p>"
