"""What experiments found, as one page: results are read, nothing is run."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from slackwater.report.matrix import ABOUT, TITLE, matrix_of
from slackwater.report.page import page_of, static_page_of, table_of
from slackwater.report.reproduction_plots import Row, figure_of
from slackwater.report.reproduction_tables import metric_table, name_of
from slackwater.report.svg_figure import svg_of

VERDICTS = ("pass", "differs", "cannot be compared")
_SIGNS = {"pass": "✓ pass", "differs": "≠ differs", "cannot be compared": "· cannot be compared"}
_DOCUMENTS = {
    "JI16": "JI16: m-way joins",
    "SUN15": "SUN15: two-way joins",
    "KIM": "KIM: drop ratios",
    "PROD": "PROD: early estimates",
    "SSG17": "SSG17: merging under a deadline",
    "ours": "Our own questions",
}
INTRO = (
    "Tables and figures of the documents that slackwater builds on, run again, and our own defaults beside them. Each "
    "claim of a document is quoted with its place, beside it our number, with the lowest and highest over seeds where "
    "there are several. Seeds were fixed beforehand. A number agrees if it is within 10 % of ours (a share: 2 points) "
    "or within the spread over seeds, a trend if the ends differ by 5 %; where a claim needs another measure, decision "
    "0025 has it. Where we differ, the reason is said, if we know it."
)


@dataclass(frozen=True)
class Found:
    """One experiment: its description with verdicts, and its rows."""

    summary: Mapping[str, Any]
    rows: Sequence[Row]
    names: Sequence[str]  # of what a configuration says

    @property
    def table(self) -> tuple[list[str], list[tuple[str, ...]]]:
        """The metrics: heads and cells."""
        return metric_table(self.summary["table"], self.rows, self.names)

    @property
    def verdicts(self) -> Counter[str]:
        """How many claims got each verdict."""
        return Counter(claim["verdict"] for claim in self.summary["claims"])


def read_experiments(*folders: Path) -> list[Found]:
    """Read the results of all experiments in some folders, in the order of the documents.

    What is in several of them is taken from the first.
    """
    found = []
    for path in {path.name: path for folder in reversed(folders) for path in folder.glob("*.json")}.values():
        summary = json.loads(path.read_text(encoding="utf-8"))
        lines = _lines(path.with_suffix(".jsonl"))
        names = dict.fromkeys(name for line in lines for name in line["config"])
        rows = [{**line["config"], **row, "seed": line["seed"]} for line in lines for row in line["rows"]]
        found.append(Found(summary, rows, list(names)))
    documents = list(_DOCUMENTS)
    return sorted(found, key=lambda each: (documents.index(each.summary["document"]), name_of(each.summary["name"])))


def _lines(path: Path) -> list[Mapping[str, Any]]:
    """Return the cells; a line that was cut off does not count, nor what was run again."""
    lines: dict[str, Mapping[str, Any]] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        lines[json.dumps([line["config"], line["seed"], line["engine"]], sort_keys=True)] = line
    return list(lines.values())


def write_page(path: Path, found: Sequence[Found], *, static: bool = False) -> Path:
    """Write the page; it holds all it needs, plotly included (about 5 MB).

    A static one has no script: its figures are drawn already, and are small.
    """
    figures: list[Any] = []
    place = _drawn if static else partial(_left_for, figures)
    body = [f"<h1>slackwater: reproduction</h1><p>{html.escape(INTRO)}</p>", _overview(found)]
    document = None
    for each in found:
        if each.summary["document"] != document:
            document = each.summary["document"]
            body.append(f'<h2 class="document">{html.escape(_DOCUMENTS[document])}</h2>')
            body.append(_matrix(found) if document == "ours" else "")
        body.append(_section(each, place))
    body.append(f"<footer>{html.escape(_footer(found))}</footer>")
    title, text = "slackwater: reproduction", "\n".join(body)
    path.write_text(static_page_of(title, text) if static else page_of(title, text, figures), encoding="utf-8")
    return path


def _left_for(figures: list[Any], figure: Any, heading: str) -> str:
    """Return the place of a figure that the script draws."""
    figures.append(figure)
    return f'<div class="figure" role="img" aria-label="{html.escape(heading)}"></div>'


def _drawn(figure: Any, heading: str) -> str:
    return f'<div class="scroll">{svg_of(figure, heading)}</div>'


def _overview(found: Sequence[Found]) -> str:
    heads = ("experiment", "shows", "scale", *VERDICTS)
    rows = []
    for each in found:
        counts = [str(each.verdicts[verdict] or "") for verdict in VERDICTS]
        rows.append((each.summary["name"], each.summary["title"], each.summary["scale"], *counts))
    total = sum((each.verdicts for each in found), Counter[str]())
    rows.append(("all", "", "", *(str(total[verdict]) for verdict in VERDICTS)))
    table = table_of(heads, rows)
    for each in found:
        name = html.escape(each.summary["name"])
        table = table.replace(f"<td>{name}</td>", f'<td><a href="#{name}">{name}</a></td>')
    return f'<section class="overview"><h2>All experiments</h2>{table}</section>'


def _matrix(found: Sequence[Found]) -> str:
    matrix = matrix_of(found)
    if matrix is None:
        return ""
    head = f'<section id="matrix"><h2>{TITLE}</h2><p>{html.escape(ABOUT)}</p>'
    return f"{head}<details><summary>The matrix</summary>{table_of(*matrix)}</details></section>"


def _section(each: Found, place: Callable[[Any, str], str]) -> str:
    summary = each.summary
    where = place_of(summary)
    parts = [
        f'<section id="{html.escape(summary["name"])}"><h2>{html.escape(summary["title"])}</h2>',
        f'<p class="caption">{html.escape(where)} · {html.escape(summary["name"])} · '
        f"{html.escape(scale_of(summary))}</p><p>{html.escape(summary['about'])}</p>",
        _claims(summary) if summary["claims"] else "",
    ]
    for plot in summary["plots"]:
        figure = figure_of(plot, each.rows)
        if figure is not None:
            heading, caption = html.escape(plot["heading"]), html.escape(plot["caption"] + _drawn_seed(plot, summary))
            parts.append(f'<h3>{heading}</h3><p class="caption">{caption}</p>')
            parts.append(place(figure, plot["heading"]))
    if summary["table"]:
        heads, rows = each.table
        parts.append(f"<details><summary>Figures as a table</summary>{table_of(heads, rows)}</details>")
    return "".join([*parts, "</section>"])


def _drawn_seed(plot: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """Say which seed is drawn, where it is one of several."""
    return f" Seed {min(summary['seeds'])}." if plot["kind"] == "over_time" and len(summary["seeds"]) > 1 else ""


def _claims(summary: Mapping[str, Any]) -> str:
    lines = []
    for claim in summary["claims"]:
        kind = claim["verdict"].split()[0]
        reason = f'<div class="reason">{html.escape(claim["reason"])}</div>' if claim["reason"] else ""
        lines.append(
            f"<tr><td>{html.escape(claim['says'])} <span class='where'>({html.escape(claim['where'])})</span>{reason}"
            f"</td><td>{html.escape(claim['ours'])}</td>"
            f'<td class="verdict {kind}">{html.escape(_SIGNS[claim["verdict"]])}</td></tr>'
        )
    head = f"<tr><th>{who_says(summary)}</th><th>ours</th><th>verdict</th></tr>"
    return (
        f'<div class="scroll"><table class="claims"><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def place_of(summary: Mapping[str, Any]) -> str:
    """Return where an experiment is from."""
    return f"{summary['document']} {summary['section']}" if summary["document"] != "ours" else str(summary["section"])


def who_says(summary: Mapping[str, Any]) -> str:
    """Return the head of the column of claims."""
    return "we aim at" if summary["document"] == "ours" else "the document says"


def scale_of(summary: Mapping[str, Any]) -> str:
    """Return the scale and the seeds."""
    seeds = summary["seeds"]
    several = f"seeds {', '.join(map(str, seeds))}" if len(seeds) > 1 else f"seed {seeds[0]}"
    return f"{summary['scale']} scale, {several}"


def _footer(found: Sequence[Found]) -> str:
    versions = found[0].summary["versions"] if found else {}
    return "Made from results alone. " + ", ".join(f"{name} {number}" for name, number in versions.items())
