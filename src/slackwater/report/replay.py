"""A replay in tables and figures: what contracts reached and cost, against references and hindsight.

A replay is a file of JSON lines, one for each run, and a Parquet file with a row for each decision of each run. Runs
that were measured for the same goal (target, period, adaptation interval) are shown together.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from slackwater.report.page import Section, page_of, section_of, table_of
from slackwater.report.plots import Floats, over_time
from slackwater.report.tables import Numbers, numbers
from slackwater.time import Duration

Figures: TypeAlias = Mapping[str, Any]  # of a run, as the JSON line has them

HEADS = ("policy", "Φ(Γ)", "Φ(.99Γ)", "lowest recall", "average slack", "of hindsight", "results")
_UNITS = ((3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1_000, "ms"))
_NOT_SURE = "More slack did not always help here, so a smaller constant might do as well."


@dataclass(frozen=True)
class Comparison:
    """The runs for one goal, in the order in which they are shown."""

    runs: tuple[Figures, ...]
    series: pa.Table

    @property
    def title(self) -> str:
        """What was to be reached."""
        first = self.runs[0]
        if first["target"] is None:
            return f"Recall over {_text(first['period_us'])}"
        return f"Recall {first['target']:g} over {_text(first['period_us'])}"

    @property
    def caption(self) -> str:
        """What the figures mean."""
        first = self.runs[0]
        empty = first["measurements_without_results"]
        parts = [f"{first['measurements']:,} measurements of the recall, one every {_text(first['interval_us'])}"]
        parts.append(f" ({empty:,} of them without anything to find)." if empty else ".")
        if first["target"] is not None:
            parts.append(f" Φ: the share that reached Γ = {first['target']:g}, or 99 % of it.")
        if not all(run["smallest"] for run in self.runs):
            parts.append(f" {_NOT_SURE}")
        return "".join(parts)

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells of each run, under `HEADS`."""
        return [self._row(number) for number in range(len(self.runs))]

    def _row(self, number: int) -> tuple[str, ...]:
        run = self.runs[number]
        return (
            label_of(run),
            _percent(run["phi"]),
            _percent(run["phi_nearly"]),
            f"{run['lowest_recall']:.3f}",
            span(run["average_slack_us"]),
            self._ratio(number),
            f"{run['share']:.2%}",
        )

    def _ratio(self, number: int) -> str:
        """Return how many times the slack of its hindsight, which follows it, a contract waited."""
        following = self.runs[number + 1 : number + 2]
        if not following or following[0]["kind"] != "hindsight" or not following[0]["average_slack_us"]:
            return ""
        return f"{self.runs[number]['average_slack_us'] / following[0]['average_slack_us']:.2f}"


def read_replay(figures: Path, series: Path) -> list[Comparison]:
    """Read the files of a replay."""
    runs = [json.loads(line) for line in figures.read_text(encoding="utf-8").splitlines()]
    table = pq.read_table(series)
    return [Comparison(tuple(together), table) for _, together in groupby(runs, key=_goal)]


def write_replay_page(path: Path, *, title: str, intro: str, comparisons: Sequence[Comparison], footer: str) -> Path:
    """Write the page of a replay: for each goal a table, the slack and the recall over time."""
    sections = [figure for each in comparisons for figure in _figures(each)]
    body = [f"<h1>{html.escape(title)}</h1><p>{html.escape(intro)}</p>"]
    for number, each in enumerate(comparisons):
        heading, caption = html.escape(each.title), html.escape(each.caption)
        table = table_of(HEADS, each.rows())
        body.append(f'<section><h2>{heading}</h2><p class="caption">{caption}</p>{table}</section>')
        body += [section_of(section) for section in sections[2 * number : 2 * number + 2]]
    body.append(f"<footer>{html.escape(footer)}</footer>")
    path.write_text(page_of(title, "\n".join(body), [section.figure for section in sections]), encoding="utf-8")
    return path


def label_of(run: Figures) -> str:
    """Return what a run is called in tables and figures that name its goal.

    >>> label_of({"kind": "hindsight", "policy": "fixed 680 ms"}), label_of({"kind": "reference", "policy": "max"})
    ('hindsight 680 ms', 'MaxSlack')
    >>> goal = {"period_us": 60_000_000, "interval_us": 1_000_000}
    >>> label_of({"kind": "contract", "policy": "recall 0.95 over 1 minute by pd", **goal})
    'recall 0.95 by pd'
    """
    policy = str(run["policy"])
    if run["kind"] == "hindsight":
        return policy.replace("fixed", "hindsight")
    if policy.startswith("recall"):
        known = (f" over {_text(run['period_us'])}", f" every {_text(run['interval_us'])}")
        return policy.replace(known[0], "").replace(known[1], "")
    return {"none": "NoSlack", "max": "MaxSlack"}.get(policy, policy)


def span(duration: float) -> str:
    """Write a duration in us for people, in the unit that suits it.

    >>> span(0), span(680_000), span(19_767_672), span(6_600_000_000)
    ('0 ms', '680 ms', '19.8 s', '1.83 h')
    """
    size, unit = unit_for(duration)
    value = duration / size
    return f"{value:.0f} {unit}" if value >= 100 or value == round(value) else f"{value:.3g} {unit}"


def unit_for(duration: float) -> tuple[int, str]:
    """Return the largest unit that a duration has at least one of, in us and by name.

    >>> unit_for(90_000_000), unit_for(10)
    ((60000000, 'min'), (1000, 'ms'))
    """
    return next((each for each in _UNITS if duration >= each[0]), _UNITS[-1])


def _figures(comparison: Comparison) -> tuple[Section, Section]:
    # What never waits has nothing to show of its slack, and a zero would forbid a logarithmic axis. It comes last, so
    # that the others have the same color in both figures.
    runs = sorted(comparison.runs, key=lambda run: run["largest_slack_us"] == 0)
    waiting = [run for run in runs if run["largest_slack_us"]]
    size, unit = unit_for(max((run["largest_slack_us"] for run in waiting), default=0))
    slack = [(label, at, values / size) for label, at, values in _lines(comparison, waiting, "slack")]
    recall = _lines(comparison, runs, "recall")
    period = _text(comparison.runs[0]["period_us"])
    return (
        Section(
            f"{comparison.title}: how long each policy waited",
            "The slack in force at each decision.",
            over_time(slack, y=f"slack ({unit})", unit=unit, step=True),
        ),
        Section(
            f"{comparison.title}: what each policy found",
            f"Of the results of the last {period}, the share that was produced; dotted is the target.",
            over_time(recall, y="recall", unit="", reduce=np.minimum, level=comparison.runs[0]["target"]),
        ),
    )


def _lines(comparison: Comparison, runs: Sequence[Figures], column: str) -> list[tuple[str, Numbers, Floats]]:
    lines = []
    for run in runs:
        own = comparison.series.filter(pc.equal(comparison.series["run"], run["run"]))
        lines.append((label_of(run), numbers(own, "at"), own[column].cast(pa.float64()).to_numpy()))
    return lines


def _goal(run: Figures) -> tuple[Any, ...]:
    return run["target"], run["period_us"], run["interval_us"]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _text(microseconds: int) -> str:
    return str(Duration(microseconds))
