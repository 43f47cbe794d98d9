"""What is shown of policies under a deadline: latency, slack, slack-ready events and what was detected."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from slackwater.report.comparisons import Comparison, Figures, span, unit_for
from slackwater.report.page import Section
from slackwater.report.plots import over_time
from slackwater.time import Duration


class DeadlineComparison(Comparison):
    """A graph of operators, measured by its latency and by what it did not wait for."""

    heads = ("policy", "deadline missed", "worst latency", "average slack", "slack-ready events", "events detected")

    @property
    def title(self) -> str:
        """What was to be kept."""
        return f"Deadline {Duration(self.runs[0]['target'])}"

    @property
    def caption(self) -> str:
        """What the figures mean."""
        first = self.runs[0]
        return (
            f"{first['measurements']:,} intervals of {self.interval}. Latency is from the arrival of an event until "
            "its results are written: the wait for slower streams, for the next step, and the work. A deadline is "
            "missed in an interval if one event's latency came to it. Slack-ready events were passed on before every "
            "stream had come so far; events detected are compared with waiting for everything (StaticHigh). "
            "The deadline is kept by SLTuner, unless its row says by whom. SLTuner, eq. 6, is the same with the "
            "features of SSG17 alone and nothing that stops it at the deadline; if strict, it waits longer only where "
            "that is expected to save events."
        )

    def label(self, run: Figures) -> str:
        """Return the deadline, with who keeps it unless that is SLTuner; of what it is compared with, the controller.

        >>> own = {"kind": "contract", "target": 6_000_000}
        >>> label = DeadlineComparison((), None).label
        >>> label({**own, "policy": "SLTuner"}), label({**own, "policy": "Tcp"})
        ('deadline 6 seconds', 'deadline 6 seconds by Tcp')
        >>> label({"kind": "reference", "policy": "StaticLow"})
        'StaticLow'
        """
        policy = str(run["policy"])
        if run["kind"] != "contract":
            return policy
        return f"deadline {Duration(run['target'])}" + ("" if policy == "SLTuner" else f" by {policy}")

    def cells(self, run: Figures, ratio: str) -> tuple[str, ...]:
        """Return the cells of a run."""
        share = "" if run["share"] is None else f" ({run['share']:.1%})"
        return (
            self.label(run),
            f"{run['missed'] / run['measurements']:.1%}",
            span(run["worst_us"]),
            span(run["average_slack_us"]),
            f"{run['slack_ready']:,}",
            f"{run['detected']:,}{share}",
        )

    def quality(self, runs: Sequence[Figures]) -> Section:
        """Return the latency over time."""
        deadline = self.runs[0]["target"]
        size, unit = unit_for(deadline)
        lines = [(label, at, values / size) for label, at, values in self.lines(runs, "latency")]
        return Section(
            f"{self.title}: latency",
            "The largest latency of each interval; dotted is the deadline.",
            over_time(lines, y=f"latency ({unit})", unit=unit, level=deadline / size),
        )

    def sections(self) -> tuple[Section, ...]:
        """Return how long each policy waited, and what that brought: the four plots of SSG17 Fig. 12 and 13."""
        counted = (("slack_ready", "slack-ready events"), ("detected", "events detected"))
        return (self.quality(self.runs), self._slack(self.runs), *(self._count(*each) for each in counted))

    def _count(self, column: str, what: str) -> Section:
        return Section(
            f"{self.title}: {what}",
            f"In each interval of {self.interval}.",
            over_time(self.lines(self.runs, column), y=what, unit="", reduce=np.add),
        )
