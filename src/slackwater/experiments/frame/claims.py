"""What a document says, and whether our rows say the same.

How near is near enough is the same for all claims: `NEAR` of a number, `POINTS` of a share; a trend has to be
`NOTICEABLE`. A number also agrees if it lies within the spread over our seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from slackwater.experiments.frame.description import Row, Scale
from slackwater.experiments.frame.rows import MissingRowsError, Rows

Verdict: TypeAlias = Literal["pass", "differs", "cannot be compared"]

NEAR = 0.1
POINTS = 0.02
NOTICEABLE = 0.05
_ROUNDING = 1e-12
_UNKNOWN = "The reason is not known."


@dataclass(frozen=True)
class Judged:
    """Our number as text, and whether it agrees; None where nobody can say."""

    ours: str
    agrees: bool | None


@dataclass(frozen=True)
class Claim:
    """A sentence of the document that rows can be held against.

    Args:
        says: what the document says, with its number.
        where: in which section, figure or table.
        check: from rows to our number.
        why: the reason, where ours differs or cannot be compared.
        at_paper_scale: whether only streams as long as the document's can be compared with it.
    """

    says: str
    where: str
    check: Callable[[Rows], Judged]
    why: str = ""
    at_paper_scale: bool = False


def judge(claim: Claim, rows: Rows, scale: Scale) -> Row:
    """Return the claim with our number and the verdict, as JSON can hold it."""
    verdict, ours, reason = _verdict(claim, rows, scale)
    return {"says": claim.says, "where": claim.where, "ours": ours, "verdict": verdict, "reason": reason}


def _verdict(claim: Claim, rows: Rows, scale: Scale) -> tuple[Verdict, str, str]:
    try:
        judged = claim.check(rows)
    except MissingRowsError:
        return "cannot be compared", "", f"The {scale} scale does not run what this is about."
    if claim.at_paper_scale and scale != "paper":
        return "cannot be compared", judged.ours, "It depends on the length of the streams: see the paper scale."
    if judged.agrees is None:
        return "cannot be compared", judged.ours, claim.why
    return ("pass", judged.ours, "") if judged.agrees else ("differs", judged.ours, claim.why or _UNKNOWN)


def number(
    quoted: float, metric: str, unit: str = "", *, within: float | None = None, **where: object
) -> Callable[[Rows], Judged]:
    """Compare a metric with a quoted number; for a share, `unit` is "%" and the number between 0 and 1.

    `within` is for numbers that are quoted more finely than `NEAR` and `POINTS` could tell.
    """

    def check(rows: Rows) -> Judged:
        spread = rows.where(**where).spread(metric)
        near = within if within is not None else POINTS if unit == "%" else NEAR * abs(quoted)
        agrees = spread.low <= quoted <= spread.high or abs(spread.mean - quoted) <= near + _ROUNDING
        return Judged(spread.text(unit), agrees)

    return check


def at_least(bound: float, metric: str, unit: str = "", **where: object) -> Callable[[Rows], Judged]:
    """Compare the lowest mean over seeds of all configurations with a bound."""
    return _extreme(lambda means: min(means) >= bound, min, metric, unit, where)


def at_most(bound: float, metric: str, unit: str = "", **where: object) -> Callable[[Rows], Judged]:
    """Compare the highest mean over seeds of all configurations with a bound."""
    return _extreme(lambda means: max(means) <= bound, max, metric, unit, where)


def _extreme(
    holds: Callable[[list[float]], bool],
    pick: Callable[[list[float]], float],
    metric: str,
    unit: str,
    where: dict[str, object],
) -> Callable[[Rows], Judged]:
    def check(rows: Rows) -> Judged:
        chosen = rows.where(**where)
        spreads = [Rows(same).spread(metric) for same in by_cell(chosen)]
        if not spreads:
            raise MissingRowsError(metric)
        means = [each.mean for each in spreads]
        end = spreads[means.index(pick(means))]
        return Judged(f"{'lowest' if pick is min else 'highest'} {end.text(unit)}", holds(means))

    return check


def rises(metric: str, along: str, unit: str = "", *, falls: bool = False, **where: object) -> Callable[[Rows], Judged]:
    """Whether a metric rises (or falls) from the smallest to the largest value of what it is drawn over.

    The ends must differ by `NOTICEABLE`, or noise would agree every other time.
    """

    def check(rows: Rows) -> Judged:
        chosen = rows.where(**where)
        values = sorted(chosen.distinct(along))
        if len(values) < 2:
            raise MissingRowsError(metric)
        first, last = (chosen.where(**{along: value}).spread(metric) for value in (values[0], values[-1]))
        low, high = (last.mean, first.mean) if falls else (first.mean, last.mean)
        agrees = high > low and high >= low * (1 + (NOTICEABLE if unit != "%" else 0))
        return Judged(f"{first.text(unit)} to {last.text(unit)}", agrees)

    return check


def by_cell(rows: Rows) -> list[list[Row]]:
    """Group rows that differ by their seed alone."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row.get("cell", "")) + str(row.get("policy", "")), []).append(row)
    return list(groups.values())
