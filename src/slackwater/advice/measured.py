"""From what was measured to the advice: which constants to compare with, how sure they are, what to warn of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from slackwater.advice.bootstrap import Bootstrap, Interval
from slackwater.advice.enough import enough_of
from slackwater.advice.needed import ROUNDING, Needed, Periods
from slackwater.advice.result import Advice, Curve, Kind, Part, Policy
from slackwater.advice.snippet import Query, contract_code, in_process, on_spark
from slackwater.advice.spark_delay import watermark_text
from slackwater.advice.wish import Wish, percent
from slackwater.disorder.text import span
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.time import Times

BATCHES = (
    "Spark drops by the watermark of an earlier batch: with long batches it drops less than said here, and a result "
    "waits for its batches besides the delay."
)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What was measured on a sample; `measure` takes a kind, a constant slack, and what is needed."""

    source: str
    what: Literal["rows", "results"]
    rows: int
    needed: Needed
    spark_needed: Needed | None  # None where there are too many results to look at each
    contract: Policy
    measure: Callable[..., Policy]
    curve: Curve
    mean_limit: int | None  # the slack with which rows wait no longer than the limit on average
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def advice_of(
    facts: Facts, wish: Wish, query: Query, *, parts: Callable[[int], tuple[Part, ...]] = lambda slack: ()
) -> Advice:
    """Put an advice together."""
    needed, periods = facts.needed, facts.needed.periods(wish.period, wish.every)
    constants, spark = _constants(facts, wish, periods), _spark(facts, wish)
    sureness = _sureness(facts, wish, _first(constants, "overall", "limit"))
    return Advice(
        source=facts.source,
        what=facts.what,
        rows=facts.rows,
        total=needed.total,
        length=int(needed.at[-1] - needed.at[0]) if len(needed.at) else 0,
        period=wish.period,
        contract=wish.contract,
        wish=wish.sentence(facts.what),
        allowed=wish.allowed,
        policies=(facts.contract, *constants),
        spark=spark,
        spark_code=_watermark(query, spark),
        slack_interval=sureness.slack,
        missed_interval=sureness.missed,
        curve=sureness.curve,
        enough=enough_of(needed, wish.allowed, wish.period) if wish.allowed else None,
        parts=parts(int(_first(constants, "every_period", "overall", "limit").slack)),
        warnings=(*_warnings(facts, wish, constants, periods), *facts.warnings),
        notes=(*facts.notes, BATCHES),
        code=contract_code(wish.contract),
        snippet=in_process(query),
        spark_snippet=on_spark(query),
    )


class _Sureness(NamedTuple):
    slack: Interval | None
    missed: Interval | None
    curve: Curve


def _sureness(facts: Facts, wish: Wish, constant: Policy) -> _Sureness:
    """Say how far the smallest slack, what it misses and the curve may be off; nothing where there are few periods."""
    drawn = Bootstrap(facts.needed, block=wish.period)
    if not drawn.says_something:
        return _Sureness(None, None, facts.curve)
    low, high = drawn.band(facts.curve.slack)
    slack = None if wish.allowed is None else drawn.smallest(wish.allowed)
    return _Sureness(slack, drawn.missed(int(constant.slack)), replace(facts.curve, low=low, high=high))


def _first(policies: tuple[Policy, ...], *kinds: Kind) -> Policy:
    """Return the policy of the first kind that is there; one of them always is."""
    return next(each for kind in kinds for each in policies if each.kind == kind)


def as_often(needs: Times, kept: float) -> int:
    """Return the smallest constant that keeps this share of the periods, given what each needs.

    >>> as_often(np.array([5, 1, 9, 3]), 0.5), as_often(np.array([5, 1, 9, 3]), 0)
    (3, 1)
    """
    place = max(math.ceil(kept * len(needs) - ROUNDING), 1) - 1
    return int(np.sort(needs)[place])


def _constants(facts: Facts, wish: Wish, periods: Periods) -> tuple[Policy, ...]:
    found = []
    if wish.allowed is not None and wish.in_period is not None:
        if len(periods):
            each = periods.smallest(wish.in_period)
            found.append(facts.measure("every_period", int(each.max())))
            if facts.contract.kept is not None and facts.contract.kept < 1:
                found.append(facts.measure("as_often", as_often(each, facts.contract.kept)))
        found.append(facts.measure("overall", facts.needed.smallest(wish.allowed)))
    if wish.limit is not None:
        found.append(facts.measure("limit", wish.limit))
        if facts.mean_limit is not None:
            found.append(facts.measure("mean_limit", facts.mean_limit))
    return tuple(found)


def _spark(facts: Facts, wish: Wish) -> Policy | None:
    """Measure the fixed delay that Spark needs; the limit, where the wish is a latency alone."""
    needed = facts.spark_needed
    if needed is None:
        return None
    if wish.allowed is None or wish.in_period is None:
        assert wish.limit is not None
        return facts.measure("spark", wish.limit // 1_000 * 1_000, needed)
    periods = needed.periods(wish.period, wish.every)
    delay = int(periods.smallest(wish.in_period).max()) if len(periods) else needed.smallest(wish.allowed)
    return facts.measure("spark", delay, needed)


def _watermark(query: Query, spark: Policy | None) -> str:
    if spark is None:
        return ""
    text = watermark_text(int(spark.slack))
    return "; ".join(f'{each.name}.withWatermark("{each.event_time}", "{text}")' for each in query.sources)


def _warnings(facts: Facts, wish: Wish, constants: tuple[Policy, ...], periods: Periods) -> list[str]:
    found = []
    if wish.allowed and wish.in_period:
        found += enough_of(facts.needed, wish.allowed, wish.period).warnings(facts.what, wish.in_period, wish.period)
    elif wish.allowed is not None:
        found.append("No sample can show how long to wait so that nothing is missed, ever: the largest need is shown.")
    if not len(periods):
        found.append(f"The sample has no whole period of {Duration(wish.period)}: nothing is known of single periods.")
    limit = next((each for each in constants if each.kind == "limit"), None)
    every = next((each for each in constants if each.kind == "every_period"), None)
    if limit is not None and every is not None and every.slack > limit.slack:
        found.append(
            f"The wish cannot be met: it takes {span(every.slack)} in the worst period, and with waits of at most "
            f"{span(limit.slack)} a period misses up to {percent(limit.worst or 0.0)} ({percent(limit.missed)} of all)."
        )
    elif facts.contract.kept is not None and facts.contract.kept < 1:
        found.append(
            f"The contract does not keep every period here: {percent(1 - facts.contract.kept)} of the measurements are "
            f"short of the wish ({percent(facts.contract.missed)} missed over all). It learns from what it has seen: "
            "disorder that is new to it is lost in part."
        )
    return found
