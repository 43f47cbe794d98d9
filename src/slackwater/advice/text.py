"""An advice as text for a terminal."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from slackwater.advice.wish import percent
from slackwater.disorder.text import MOST_LINES, aligned, span
from slackwater.time import Duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from slackwater.advice.result import Advice, Policy

WIDTH = 110
_INDENT = 14
PARTS = "By {}: late with the fixed slack that every period takes"
NAMES = {
    "contract": "the contract, on average",
    "every_period": "fixed, so that every period keeps it",
    "as_often": "fixed, kept as often as by the contract",
    "overall": "fixed, kept over all of it only",
    "limit": "fixed, the longest wait allowed",
    "mean_limit": "fixed, the mean wait at most the limit",
    "spark": "Spark's watermark",
}


def seconds(duration: float) -> str:
    """Write a slack in us so that slacks which differ by less than a percent can be told apart.

    >>> seconds(0), seconds(1_234_567), seconds(299_999_000), seconds(45_678), seconds(3_600_000_000)
    ('0 s', '1.235 s', '300 s', '0.04568 s', '3600 s')
    >>> seconds(298_912_345)
    '298.9 s'
    """
    return f"{duration / 1e6:.4g} s" if duration < 1e10 else span(duration)


def table_of(advice: Advice, *, on_spark: bool = False) -> str:
    """Return all sections, one after the other."""
    sections = [_head(advice), *_sections(advice)]
    sections.append(
        "To paste\n" + textwrap.indent((advice.spark_snippet if on_spark else advice.snippet).rstrip(), "  ")
    )
    return "\n\n".join(sections)


def heads_of(advice: Advice) -> tuple[str, ...]:
    """Return the heads of the table of policies."""
    lost = "late" if advice.what == "rows" else "missed"
    heads = ["policy", "slack", lost, "worst period", *([] if advice.allowed is None else ["periods kept"])]
    return (*heads, *(["mean wait", "rows held"] if advice.what == "rows" else []))


def rows_of(advice: Advice) -> list[list[str]]:
    """Return the policies as rows of a table."""
    policies = [*advice.policies, *([] if advice.spark is None else [advice.spark])]
    return [_row(advice, each) for each in policies]


def curve_rows(advice: Advice, most: int = MOST_LINES) -> list[list[str]]:
    """Return some points of the curve, evenly spread over the shares that are missed."""
    curve = advice.curve
    rows = []
    for place in _spread(curve.missed.tolist(), most):
        known = curve.low is not None and curve.high is not None
        band = f"{percent(curve.low[place])} to {percent(curve.high[place])}" if known else "?"  # type: ignore[index]
        wait = [] if curve.mean_wait is None else [span(float(curve.mean_wait[place]))]
        kept = (
            [] if advice.what == "rows" else [f"{math.floor(1e4 * (1 - curve.missed[place])) / 1e4:.4f}"]
        )  # 1 only if it is
        rows.append([span(int(curve.slack[place])), percent(curve.missed[place]), *kept, band, *wait])
    return rows


def curve_heads(advice: Advice) -> tuple[str, ...]:
    """Return the heads of the table of the curve."""
    if advice.what == "rows":
        return ("slack", "late", "95% interval", *([] if advice.curve.mean_wait is None else ["mean wait"]))
    return ("slack", "missed", "recall", "95% interval of missed")


def part_table(advice: Advice, most: int) -> tuple[tuple[str, ...], list[list[str]], str]:
    """Return heads and rows of the keys that lose most, and what is to be said of the others."""
    losing = [each for each in advice.parts if each.missed > 0]
    rows = [[each.name, f"{each.events:,}", percent(each.missed)] for each in losing[:most]]
    others, none = len(losing) - len(rows), len(advice.parts) - len(losing)
    said = [f"{count:,} more {what}" for count, what in ((others, "lose less"), (none, "lose nothing")) if count]
    return (advice.parts[0].column, "rows", "late at most"), rows, ", ".join(said)


def statements(advice: Advice) -> list[tuple[str, str]]:
    """Return what is advised, in sentences, each with its label."""
    found = [("Wish", advice.wish), ("Write", f"{advice.code}\n{_worded(advice, advice.policies[0])}")]
    if advice.spark is not None:
        found.append(("Plain Spark", f"{advice.spark_code}\n{_spark(advice)}"))
    if advice.allowed is not None:
        found.append(("How sure", _sureness(advice)))
    elif advice.missed_interval is not None:
        found.append(("How sure", f"The limit misses {_between(advice)} of the {advice.what} (95 %, block bootstrap)."))
    return found


def _head(advice: Advice) -> str:
    count = "" if advice.what == "rows" else f", {advice.total:,.0f} results"
    lines = [f"{advice.source}: {advice.rows:,} rows{count}, {span(advice.length)} of event time"]
    lines += [_wrapped(f"  ! {each}", "    ") for each in advice.warnings]
    for label, sentence in statements(advice):
        shown = "\n".join(_wrapped(line, "") for line in sentence.split("\n"))
        lines.append("\n" + label.ljust(_INDENT) + textwrap.indent(shown, " " * _INDENT).lstrip())
    return "\n".join(lines)


def _sections(advice: Advice) -> Iterator[str]:
    yield aligned("What each would have done on this sample", heads_of(advice), rows_of(advice))
    yield aligned(f"Any constant slack (share of the {advice.what})", curve_heads(advice), curve_rows(advice))
    if advice.parts:
        heads, rows, rest = part_table(advice, MOST_LINES)
        yield aligned(PARTS.format(heads[0]), heads, rows) + (f"\n  {rest}" if rest else "")
    if advice.notes:
        yield "Notes\n" + "\n".join(_wrapped(f"  - {each}", "    ") for each in advice.notes)


def _row(advice: Advice, policy: Policy) -> list[str]:
    shown = [NAMES[policy.kind], seconds(policy.slack), percent(policy.missed)]
    shown.append("?" if policy.worst is None else percent(policy.worst))
    if advice.allowed is not None:
        shown.append("?" if policy.kept is None else percent(policy.kept))
    if advice.what == "rows":
        shown += [span(policy.mean_wait), "" if policy.held is None else f"{policy.held:,.0f}"]
    return shown


def _worded(advice: Advice, policy: Policy) -> str:
    lost = "late" if advice.what == "rows" else "missed"
    said = f"On this sample it waits {span(policy.slack)} on average, {percent(policy.missed)} of the {advice.what} are"
    said += f" {lost}"
    if policy.worst is not None:
        said += f", {percent(policy.worst)} in the worst {str(Duration(advice.period)).removeprefix('1 ')}"
    if policy.kept is not None and advice.allowed is not None:
        said += f"; {percent(policy.kept)} of the periods keep the wish"
    return said + "."


def _spark(advice: Advice) -> str:
    spark, own = advice.spark, advice.policies[0]
    assert spark is not None
    said = "The limit, as a fixed delay."
    if advice.allowed is not None:
        limit = advice.policy("limit")
        said = "The smallest delay with which every period keeps the wish, known in hindsight alone."
        said += " It breaks the limit on waits." if limit is not None and spark.slack > limit.slack else ""
    if spark.mean_wait is not None and own.mean_wait:
        said += (
            f" It would hold a row for {span(spark.mean_wait)} on average, "
            f"{spark.mean_wait / own.mean_wait:.2g} times as long as the contract ({span(own.mean_wait)})"
        )
        said += "" if not spark.held else f", {spark.held:,.0f} rows at a time instead of {own.held or 0:,.0f}"
        said += "."
    elif own.slack:
        said += f" The contract waits {span(own.slack)}: the delay is {spark.slack / own.slack:.2g} times that."
    return said


def _sureness(advice: Advice) -> str:
    overall = advice.policy("overall")
    periods = 0 if advice.enough is None else advice.enough.periods
    said = []
    if overall is not None and advice.slack_interval is not None and advice.missed_interval is not None:
        low, high = span(advice.slack_interval.low), span(advice.slack_interval.high)
        said.append(
            f"Over all of it, a constant {span(overall.slack)} is enough; another sample like this would say {low} to "
            f"{high}, and with this slack miss {_between(advice)} (95 %, block bootstrap)."
        )
    else:
        said.append("There are too few periods to say how far these figures may be off.")
    if periods:
        said.append(
            f"Of what every period needs, only the largest of {periods:,} periods is known: about one period in "
            f"{periods + 1:,} will need more, were they all alike."
        )
    return " ".join(said)


def _between(advice: Advice) -> str:
    assert advice.missed_interval is not None
    return f"{percent(advice.missed_interval.low)} to {percent(advice.missed_interval.high)}"


def _wrapped(line: str, indent: str) -> str:
    return "\n".join(textwrap.wrap(line, WIDTH - _INDENT, subsequent_indent=indent, break_on_hyphens=False))


def _spread(missed: Sequence[float], most: int) -> list[int]:
    """Return places of the curve: none, the end, and those nearest to shares that fall evenly on a logarithmic scale.

    >>> _spread([0.5, 0.4, 0.1, 0.01, 0.0], 4)
    [0, 2, 3, 4]
    """
    positive = np.array([share for share in missed if share > 0])
    if len(missed) <= most or not len(positive):
        return list(range(len(missed)))
    wanted = np.geomspace(positive[0], positive[-1], most - 1)
    places = {int(np.abs(np.log(positive) - np.log(each)).argmin()) for each in wanted}
    return [*sorted(places), len(missed) - 1]
