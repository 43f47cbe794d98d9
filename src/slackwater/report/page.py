"""The parts of a page that opens in any browser, offline: tables, figures, and what holds them together."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

from slackwater.report.assets import POLICY, SCRIPT, STATIC_POLICY, STYLE
from slackwater.report.plots import Figure
from slackwater.report.svg_marks import SHAPES


@dataclass(frozen=True)
class Section:
    """A figure with its heading and what to see in it."""

    heading: str
    caption: str
    figure: Figure


def page_of(title: str, body: str, figures: Sequence[Figure]) -> str:
    """Return the page; the figures are drawn, in their order, in the sections that `section_of` made.

    It holds all it needs, plotly included (about 5 MB).
    """
    return "\n".join(
        (
            _head(title, POLICY),
            f"<body><main>{body}<noscript><p>The figures need JavaScript; the tables do not.</p></noscript></main>",
            f'<script type="application/json" id="figures">{_inert_json(figures)}</script>',
            f"<script>{get_plotlyjs()}</script>",
            f"<script>{SCRIPT}</script></body></html>\n",
        )
    )


def static_page_of(title: str, body: str) -> str:
    """Return a page without a script, whose figures are SVG."""
    return f"{_head(title, STATIC_POLICY)}\n<body>{SHAPES}<main>{body}</main></body></html>\n"


def section_of(section: Section) -> str:
    """Return a section with a place for its figure."""
    heading, caption = html.escape(section.heading), html.escape(section.caption)
    return (
        f'<section><h2>{heading}</h2><p class="caption">{caption}</p>'
        f'<div class="figure" role="img" aria-label="{heading}"></div></section>'
    )


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; all text is shown as text, whatever it says.

    >>> "<td>&lt;b&gt;</td>" in table_of(["name"], [["<b>"]])
    True
    """
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    lines = ("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _head(title: str, policy: str) -> str:
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>",
        )
    )


def _inert_json(figures: Sequence[Figure]) -> str:
    """Return the figures as JSON that cannot end the script element it stands in, whatever the data says."""
    text = "[" + ",".join(figure.to_json() for figure in figures) + "]"
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
