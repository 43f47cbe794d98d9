"""What is shown of the runs for one goal: a table, the slack over time, and the quality over time.

Runs are figures as a replay writes them, and a series with a row for each measurement of each run.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.report.page import Section
from slackwater.report.plots import Floats, over_time
from slackwater.report.tables import Numbers, numbers
from slackwater.time import Duration

Figures: TypeAlias = Mapping[str, Any]  # of a run, as the JSON line has them

_UNITS = ((3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1_000, "ms"))
_NAMES = {"none": "NoSlack", "max": "MaxSlack"}
_SHARE = re.compile(r"^(error |drop )([0-9.e-]+)")  # as contracts print it
_NOT_SURE = "More slack did not always help here, so a smaller constant might do as well."
_BEST = (
    "Best per interval: for each measurement by itself, the smallest of the constant slacks tried that reaches .99Γ "
    "in its period. It is a mark, not a run: a slack that changes within a period may need less, or more."
)


@dataclass(frozen=True)
class Comparison(ABC):
    """The runs for one goal, in the order in which they are shown."""

    heads: ClassVar[tuple[str, ...]]

    runs: tuple[Figures, ...]
    series: pa.Table

    @property
    @abstractmethod
    def title(self) -> str:
        """What was to be reached."""

    @property
    @abstractmethod
    def caption(self) -> str:
        """What the figures mean."""

    @abstractmethod
    def cells(self, run: Figures, ratio: str) -> tuple[str, ...]:
        """Return the cells of a run, under `heads`; `ratio` is how many times the slack of its hindsight it waited."""

    @abstractmethod
    def quality(self, runs: Sequence[Figures]) -> Section:
        """Return the figure of what was to be reached."""

    def label(self, run: Figures) -> str:
        """Return what a run is called in the table and the figures."""
        return label_of(run)

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells of each run, under `heads`."""
        return [self.cells(run, self._ratio(number)) for number, run in enumerate(self.runs)]

    def sections(self) -> tuple[Section, ...]:
        """Return how long each policy waited, and what that brought.

        What never waits has nothing to show of its slack, and a zero would forbid a logarithmic axis; a mark has
        nothing but its slack. Both come last, so that the others have the same color in both figures.
        """
        ran = sorted((run for run in self.runs if run["kind"] != "mark"), key=lambda run: run["largest_slack_us"] == 0)
        marks = [run for run in self.runs if run["kind"] == "mark"]
        return self._slack([run for run in (*ran, *marks) if run["largest_slack_us"]]), self.quality(ran)

    def lines(self, runs: Sequence[Figures], column: str) -> list[tuple[str, Numbers, Floats]]:
        """Return a line of each run, of a column of its series."""
        lines = []
        for run in runs:
            own = self.series.filter(pc.equal(self.series["run"], run["run"]))
            lines.append((self.label(run), numbers(own, "at"), own[column].cast(pa.float64()).to_numpy()))
        return lines

    @property
    def period(self) -> str:
        """Over what it was measured."""
        return _text(self.runs[0]["period_us"])

    @property
    def interval(self) -> str:
        """How often it was measured."""
        return _text(self.runs[0]["interval_us"])

    def _slack(self, waiting: Sequence[Figures]) -> Section:
        size, unit = unit_for(max((run["largest_slack_us"] for run in waiting), default=0))
        lines = [(label, at, values / size) for label, at, values in self.lines(waiting, "slack")]
        return Section(
            f"{self.title}: how long each policy waited",
            "The slack in force at each decision.",
            over_time(lines, y=f"slack ({unit})", unit=unit, step=True),
        )

    def _ratio(self, number: int) -> str:
        """Return how many times the slack of its hindsight, which follows it, a contract waited."""
        following = self.runs[number + 1 : number + 2]
        if not following or following[0]["kind"] != "hindsight" or not following[0]["average_slack_us"]:
            return ""
        return f"{self.runs[number]['average_slack_us'] / following[0]['average_slack_us']:.2f}"


class RecallComparison(Comparison):
    """Joins, measured by the results that they found."""

    heads = ("policy", "Φ(Γ)", "Φ(.99Γ)", "lowest recall", "average slack", "of hindsight", "results")

    @property
    def title(self) -> str:
        """What recall was to be reached."""
        target = self.runs[0]["target"]
        return f"Recall over {self.period}" if target is None else f"Recall {target:g} over {self.period}"

    @property
    def caption(self) -> str:
        """What the figures mean."""
        first = self.runs[0]
        empty = first["measurements_without_results"]
        parts = [f"{first['measurements']:,} measurements of the recall, one every {self.interval}"]
        parts.append(f" ({empty:,} of them without anything to find)." if empty else ".")
        if first["target"] is not None:
            parts.append(f" Γ is the recall that the contract asks for, here {first['target']:g}.")
            parts.append(" Φ(Γ) is the share of the measurements that reached it, Φ(.99Γ) of those that came to 99 %.")
        if not all(run["smallest"] for run in self.runs):
            parts.append(f" {_NOT_SURE}")
        if any(run["kind"] == "mark" for run in self.runs):
            parts.append(f" {_BEST}")
        return "".join(parts)

    def cells(self, run: Figures, ratio: str) -> tuple[str, ...]:
        """Return the cells of a run."""
        return (
            self.label(run),
            _percent(run["phi"]),
            _percent(run["phi_nearly"]),
            "" if run["lowest_recall"] is None else f"{run['lowest_recall']:.3f}",
            span(run["average_slack_us"]),
            ratio,
            "" if run["share"] is None else f"{run['share']:.2%}",
        )

    def quality(self, runs: Sequence[Figures]) -> Section:
        """Return the recall over time."""
        lines = self.lines(runs, "recall")
        return Section(
            f"{self.title}: what each policy found",
            f"Of the results of the last {self.period}, the share that was produced; dotted is the target Γ.",
            over_time(lines, y="recall", unit="", reduce=np.minimum, level=self.runs[0]["target"]),
        )


class DropComparison(Comparison):
    """One stream in order, measured by the events that came too late."""

    heads = ("policy", "dropped", "periods kept", "worst period", "average slack", "of hindsight")

    @property
    def title(self) -> str:
        """What may be dropped, and of what."""
        first = self.runs[0]
        return f"Drop ratio {short_percent(first['target'])} of {first['stream']} over {self.period}"

    @property
    def caption(self) -> str:
        """What the figures mean."""
        first = self.runs[0]
        return (
            f"{first['measurements']:,} measurements of the share of events that came too late, one every "
            f"{self.interval}. A period is kept if that is at most {short_percent(first['target'])}; dropped is the "
            "share of all events. Hindsight: the smallest constant slack that keeps as many periods."
        )

    def cells(self, run: Figures, ratio: str) -> tuple[str, ...]:
        """Return the cells of a run."""
        return (
            self.label(run),
            f"{run['dropped']:.3%}",
            _percent(run["kept"]),
            f"{run['worst']:.2%}",
            span(run["average_slack_us"]),
            ratio,
        )

    def quality(self, runs: Sequence[Figures]) -> Section:
        """Return the share dropped over time."""
        lines = self.lines(runs, "dropped")
        return Section(
            f"{self.title}: what each policy dropped",
            f"Of the events that came in the last {self.period}, the share that was late; dotted is the target.",
            over_time(lines, y="share dropped", unit="", level=self.runs[0]["target"]),
        )


class ErrorComparison(Comparison):
    """Windows over one stream, measured by how far their values are off."""

    heads = (
        "policy",
        "within bound",
        "p95 error",
        "missing results",
        "average slack",
        "of hindsight",
        "final latency",
        "late rows",
    )

    @property
    def title(self) -> str:
        """How far values may be off, and for what share of the results."""
        first = self.runs[0]
        return f"Error {short_percent(first['target'])} for {short_percent(first['confidence'])} of the results"

    @property
    def caption(self) -> str:
        """What the figures mean."""
        first = self.runs[0]
        return (
            f"{first['results']:,} results of {first['query']}, against their values with all rows. A result is within "
            f"the bound if none of its values is off by more than {short_percent(first['target'])} of the true one; "
            "one that was never emitted is missing. Final latency: how far the clock was past the end of a window when "
            "it was emitted. Hindsight: the smallest constant slack that keeps as many results within the bound."
        )

    def cells(self, run: Figures, ratio: str) -> tuple[str, ...]:
        """Return the cells of a run."""
        return (
            self.label(run),
            _percent(run["within"]),
            "none" if run["p95"] is None else f"{run['p95']:.2%}",
            f"{run['missing']:,}",
            span(run["average_slack_us"]),
            ratio,
            span(run["latency_us"]),
            f"{run['late']:,}",
        )

    def quality(self, runs: Sequence[Figures]) -> Section:
        """Return the errors over time."""
        return Section(
            f"{self.title}: how far each window was off",
            "The largest error of the results of a window, by its end; dotted is the bound. 1 and more is drawn as 1.",
            over_time(self.lines(runs, "error"), y="relative error", unit="", level=self.runs[0]["target"]),
        )


KINDS: Mapping[str, type[Comparison]] = {
    "recall": RecallComparison,
    "drop": DropComparison,
    "error": ErrorComparison,
}


def label_of(run: Figures) -> str:
    """Return what a run is called in tables and figures that name its goal.

    >>> label_of({"kind": "hindsight", "policy": "fixed 680 ms"}), label_of({"kind": "reference", "policy": "max"})
    ('hindsight 680 ms', 'MaxSlack')
    >>> goal = {"period_us": 60_000_000, "interval_us": 1_000_000}
    >>> label_of({"kind": "contract", "policy": "recall 0.95 over 1 minute by pd", **goal})
    'recall 0.95 by pd'
    >>> label_of({"kind": "contract", "policy": "error 0.03 confidence 0.95", "confidence": 0.95, **goal})
    'error 3%'
    """
    policy = str(run["policy"])
    if run["kind"] == "hindsight":
        return f"hindsight {span(Duration.of(policy.removeprefix('fixed ').split(' every ')[0]).microseconds)}"
    known = [f" every {_text(run['interval_us'])}"] if "interval_us" in run else []
    if policy.startswith("error"):
        known.append(f" confidence {run['confidence']!r}")
    if policy.startswith(("recall", "drop")):
        known.append(f" over {_text(run['period_us'])}")
    for each in known:
        policy = policy.replace(each, "")
    return _NAMES.get(policy, _SHARE.sub(lambda found: found[1] + short_percent(float(found[2])), policy))


def short_percent(share: float) -> str:
    """Write a share as it is written in contracts.

    >>> short_percent(0.03), short_percent(0.001)
    ('3%', '0.1%')
    """
    return f"{100 * share:.4g}%"


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


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _text(microseconds: int) -> str:
    return str(Duration(microseconds))
