"""An advice as a page: what to write, what it costs, the curve of every slack with its interval, and the code."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from slackwater.advice.text import NAMES, PARTS, curve_heads, curve_rows, heads_of, part_table, rows_of, statements
from slackwater.advice.wish import percent
from slackwater.disorder.text import span
from slackwater.report.page import Section, page_of, section_of, table_of
from slackwater.report.plots import Figure, banded_curve

if TYPE_CHECKING:
    from pathlib import Path

    from slackwater.advice.result import Advice, Policy

MOST_ROWS = 100  # of a table of parts
_MOST_POINTS = 24  # of the table of the curve


def write_advice_page(path: Path, advice: Advice, *, footer: str = "") -> Path:
    """Write the page. It holds all it needs, plotly included (about 5 MB)."""
    title = f"Advice for {advice.source}"
    sections = _sections(advice)
    body = [
        f"<h1>{html.escape(title)}</h1><p>{html.escape(_intro(advice))}</p>",
        _warnings(advice),
        f"<section>{_statements(advice)}</section>",
        "<section><h2>What each would have done on this sample</h2>"
        f"{table_of(heads_of(advice), rows_of(advice))}</section>",
        *(section_of(section) for section in sections),
        "<section><h2>Any constant slack</h2>"
        f"{table_of(curve_heads(advice), curve_rows(advice, _MOST_POINTS))}</section>",
        _parts(advice),
        _code("In process", advice.snippet),
        _code("On Spark", advice.spark_snippet),
        "".join(f'<p class="caption">{html.escape(each)}</p>' for each in advice.notes),
        f"<footer>{html.escape(footer)}</footer>",
    ]
    path.write_text(page_of(title, "\n".join(body), [section.figure for section in sections]), encoding="utf-8")
    return path


def by_slack(advice: Advice) -> Figure:
    """Return what every constant slack misses, with the policies as points."""
    curve = advice.curve
    band = None if curve.low is None or curve.high is None else (curve.low, curve.high)
    points = [(NAMES[each.kind], each.slack / 1e6, each.missed) for each in _policies(advice)]
    return banded_curve(
        (curve.slack / 1e6, curve.missed), band, points, x="slack (s)", y=_missed(advice), level=advice.allowed
    )


def by_wait(advice: Advice) -> Figure | None:
    """Return the same by how long rows wait on average; None where waits were not measured."""
    curve = advice.curve
    if curve.mean_wait is None:
        return None
    points = [
        (NAMES[each.kind], each.mean_wait / 1e6, each.missed)
        for each in _policies(advice)
        if each.mean_wait is not None
    ]
    return banded_curve(
        (curve.mean_wait / 1e6, curve.missed),
        None,
        points,
        x="mean wait (s)",
        y=_missed(advice),
        level=advice.allowed,
        step=False,
    )


def _policies(advice: Advice) -> list[Policy]:
    wanted = ("contract", "every_period", "overall", "limit")
    return [*(each for each in advice.policies if each.kind in wanted), *([advice.spark] if advice.spark else [])]


def _sections(advice: Advice) -> list[Section]:
    caption = f"The share of the {advice.what} that a constant slack misses"
    caption += ", and where another sample like this would put it." if advice.curve.low is not None else "."
    caption += "" if advice.allowed is None else f" Dotted: the wish, {percent(advice.allowed)}."
    found = [Section("What a wait buys", caption, by_slack(advice))]
    waits = by_wait(advice)
    if waits is not None:
        found.append(
            Section("What it costs", "The same by how long a row is held on average, in event time.", waits),
        )
    return found


def _missed(advice: Advice) -> str:
    return "share of rows late" if advice.what == "rows" else "share of results missed"


def _intro(advice: Advice) -> str:
    count = "" if advice.what == "rows" else f", {advice.total:,.0f} results"
    return f"{advice.rows:,} rows{count}, {span(advice.length)} of event time."


def _warnings(advice: Advice) -> str:
    if not advice.warnings:
        return ""
    lines = "".join(f"<li>{html.escape(each)}</li>" for each in advice.warnings)
    return f"<section><h2>Beware</h2><ul>{lines}</ul></section>"


def _statements(advice: Advice) -> str:
    found = []
    for label, sentence in statements(advice):
        first, _, rest = sentence.partition("\n")
        shown = f"<pre>{html.escape(first)}</pre><p>{html.escape(rest)}</p>" if rest else f"<p>{html.escape(first)}</p>"
        found.append(f"<h2>{html.escape(label)}</h2>{shown}")
    return "".join(found)


def _parts(advice: Advice) -> str:
    if not advice.parts:
        return ""
    heads, rows, rest = part_table(advice, MOST_ROWS)
    return (
        f"<section><h2>{html.escape(PARTS.format(heads[0]))}</h2>{table_of(heads, rows)}"
        f'<p class="caption">{html.escape(rest)}</p></section>'
    )


def _code(heading: str, snippet: str) -> str:
    return f"<section><h2>{heading}</h2><pre>{html.escape(snippet)}</pre></section>"
