"""A replay as a page: what contracts reached and cost, against references and hindsight.

A replay is a file of JSON lines, one for each run, and a Parquet file with a row for each measurement of each run. Runs
that were measured for the same goal (quality, target, period, adaptation interval) are shown together.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from slackwater.parquet import read_parquet
from slackwater.report.comparisons import KINDS, Comparison, Figures
from slackwater.report.deadline import DeadlineComparison
from slackwater.report.page import Section, page_of, section_of, table_of

_KINDS: Mapping[str, type[Comparison]] = {**KINDS, "deadline": DeadlineComparison}


def read_replay(figures: Path, series: Path) -> list[Comparison]:
    """Read the files of a replay."""
    runs = [json.loads(line) for line in figures.read_text(encoding="utf-8").splitlines()]
    table = read_parquet(series)
    groups = [tuple(together) for _, together in groupby(runs, key=_goal)]
    return [_KINDS[runs[0]["quality"]](runs, table) for runs in groups]


def write_replay_page(
    path: Path,
    *,
    title: str,
    intro: str,
    comparisons: Sequence[Comparison],
    footer: str,
    more: Sequence[Section] = (),
) -> Path:
    """Write the page of a replay: for each goal a table, the slack and the quality over time; then more sections."""
    sections = [each.sections() for each in comparisons]
    body = [f"<h1>{html.escape(title)}</h1><p>{html.escape(intro)}</p>"]
    for each, own in zip(comparisons, sections, strict=True):
        heading, caption = html.escape(each.title), html.escape(each.caption)
        table = table_of(each.heads, each.rows())
        body.append(f'<section><h2>{heading}</h2><p class="caption">{caption}</p>{table}</section>')
        body += map(section_of, own)
    body += [*map(section_of, more), f"<footer>{html.escape(footer)}</footer>"]
    figures = [section.figure for own in (*sections, more) for section in own]
    path.write_text(page_of(title, "\n".join(body), figures), encoding="utf-8")
    return path


def _goal(run: Figures) -> tuple[Any, ...]:
    return run["quality"], run["target"], run["period_us"], run["interval_us"], run.get("confidence")
