"""What every result of a join needs, exactly: no sampling, all results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slackwater.advice.needed import Needed
from slackwater.advice.spark_delay import spark_delay_needed
from slackwater.contracts import FixedSlack
from slackwater.core.arrivals import Arrivals
from slackwater.core.join import WindowJoin
from slackwater.core.merged import MergedArrivals
from slackwater.core.needed import Needs, NeedsState
from slackwater.core.needs import NeedsProfile
from slackwater.events import Events
from slackwater.local.join import batches_of, run_join
from slackwater.pipeline.guard import turn_away
from slackwater.pipeline.predicates import bind
from slackwater.time import Duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slackwater.local.join import LocalJoin
    from slackwater.time import Times

MOST_LISTED = 5_000_000  # results whose members are looked at: some seconds
_ALL = 2**40  # events of an interval that are looked at
_FOR_EVER = 2**60  # us that events are kept for late ones; small enough to be subtracted from a time


def needs_of(plan: LocalJoin) -> Needed:
    """Find all results of a join, and the slack that each needs: from arrivals alone, nothing is run."""
    node = plan.node
    windows = tuple(window.microseconds for window in node.windows)
    profile = NeedsProfile(
        WindowJoin(windows, node.closed, node.situation2),
        bind(node.condition, plan.tables),
        [Events.none()] * len(windows),
        NeedsState(longest_lag=_FOR_EVER, looking=True),
        late=_ALL,
        others=_ALL,
        most_lag=_FOR_EVER,
    )
    parts = [profile.on_batch(each, np.zeros(each.steps, np.int64), intervals=1) for each in _merged(plan)]
    found = Needs.concat([Needs.none(), *parts])
    return Needed.of(found.time, found.slack, found.weight)


def spark_needs_of(plan: LocalJoin) -> Needed:
    """Find all results of a join, and the watermark delay with which Spark finds each.

    It does unless a member is dropped when it comes; what was not dropped is kept for as long as it may have partners.
    The watermark is that of the slowest stream, and there is none until each has spoken.
    """
    delays = [np.zeros(table.num_rows, np.int64) for table in plan.tables]
    for merged in _merged(plan):
        slowest = np.minimum.reduce(merged.clocks_before)
        for stream, (own, delay) in enumerate(zip(merged.streams, delays, strict=True)):
            before = merged.per_event(stream, slowest)
            delay[own.events.row] = spark_delay_needed(own.events.time, before)
    return _largest_of_members(plan, delays)


def _largest_of_members(plan: LocalJoin, delays: list[Times]) -> Needed:
    node = replace(plan.node, contract=FixedSlack(Duration.MAX))
    time, needed = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for outcome in run_join(node, plan.tables, processing_time=plan.processing_time):
        if outcome.results is not None:
            members = [delay[rows] for delay, rows in zip(delays, outcome.results.rows, strict=True)]
            time.append(outcome.results.time)
            needed.append(np.maximum.reduce(members))
    return Needed.of(np.concatenate(time), np.concatenate(needed))


def _merged(plan: LocalJoin) -> Iterator[MergedArrivals]:
    clocks: list[int | None] = [None] * len(plan.tables)
    for batch in batches_of(plan.node, plan.tables, plan.processing_time):
        usable = [turn_away(each, s.max_ahead)[0] for each, s in zip(batch, plan.node.streams, strict=True)]
        arrivals = [Arrivals.after(clock, events) for clock, events in zip(clocks, usable, strict=True)]
        merged = MergedArrivals.of(arrivals, clocks)
        clocks = [int(each.clock[-1]) if each.steps else clock for each, clock in zip(arrivals, clocks, strict=True)]
        yield merged
