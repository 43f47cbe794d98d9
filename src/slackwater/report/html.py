"""One page with tables and figures that opens in any browser, offline."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from slackwater.report.page import Section, page_of, section_of, table_of
from slackwater.report.plots import (
    buffered_over_time,
    delay_distribution,
    late_over_time,
    slack_over_time,
)
from slackwater.report.tables import LateReason, Run, Summary, late_reasons, summarize_run
from slackwater.time import Times


def write_page(
    path: str | os.PathLike[str],
    *,
    title: str,
    intro: str,
    runs: Sequence[Run],
    delays: Mapping[str, Times],
    footer: str = "",
) -> Path:
    """Write the report of some runs over the same streams; `delays` (us) has those of each stream.

    The page holds all it needs, plotly included (about 5 MB), and shows text from the data as text, whatever it says.
    """
    sections = _sections(runs, delays)
    body = [
        f"<h1>{html.escape(title)}</h1><p>{html.escape(intro)}</p>",
        f"<section><h2>Summary</h2>{_summary_table([summarize_run(run) for run in runs])}</section>",
        *(section_of(section) for section in sections),
        f"<section><h2>Why rows were late</h2>{_reason_table([each for run in runs for each in late_reasons(run)])}"
        "</section>",
        f"<footer>{html.escape(footer)}</footer>",
    ]
    target = Path(path)
    target.write_text(page_of(title, "\n".join(body), [section.figure for section in sections]), encoding="utf-8")
    return target


def milliseconds(duration: float) -> str:
    """Write a duration in us for people.

    >>> milliseconds(50_000), milliseconds(1_234.5), milliseconds(21_965_296)
    ('50 ms', '1.23 ms', '21,965 ms')
    """
    value = duration / 1e3
    digits = 0 if value >= 100 or value == round(value) else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} ms"


def _sections(runs: Sequence[Run], delays: Mapping[str, Times]) -> list[Section]:
    return [
        Section(
            "How long each policy waited",
            "The slack in force: every row is held until the clock of its stream is this far past it.",
            slack_over_time(runs),
        ),
        Section(
            "What was late",
            "Rows behind what had been passed on already, counted by the event time at which they came in.",
            late_over_time(runs),
        ),
        Section(
            "What waiting cost",
            "Rows held back in the reorder buffer; the drain at the end of the stream empties it.",
            buffered_over_time(runs),
        ),
        Section(
            "How out-of-order the stream is",
            "The share of events that lie further behind the clock than a given delay: the most that a fixed slack "
            "of this length can make late.",
            delay_distribution(dict(delays)),
        ),
    ]


def _summary_table(summaries: Sequence[Summary]) -> str:
    rows = [
        (
            each.policy,
            f"{each.arrived:,}",
            f"{each.released:,}",
            f"{each.late:,}",
            f"{each.late_share:.3%}",
            milliseconds(each.average_slack),
            milliseconds(each.largest_slack),
            f"{each.most_buffered:,}",
        )
        for each in summaries
    ]
    heads = ("policy", "rows", "released", "late", "late %", "average slack", "largest slack", "most buffered")
    return table_of(heads, rows)


def _reason_table(reasons: Sequence[LateReason]) -> str:
    if not reasons:
        return "<p>No row was late.</p>"
    rows = [
        (
            each.policy,
            each.reason,
            f"{each.rows:,}",
            "" if each.median_late_by is None else milliseconds(each.median_late_by),
            "" if each.largest_late_by is None else milliseconds(each.largest_late_by),
        )
        for each in reasons
    ]
    return table_of(("policy", "reason", "rows", "late by, median", "late by, largest"), rows)
