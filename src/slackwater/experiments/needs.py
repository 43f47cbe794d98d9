"""What every result of a join needs, exactly: no sampling, all results, from arrivals alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slackwater.advice.needed import Needed
from slackwater.advice.spark_delay import spark_delay_needed
from slackwater.core.arrivals import Arrivals
from slackwater.core.join import WindowJoin
from slackwater.core.merged import MergedArrivals
from slackwater.core.needs import Needs, NeedsProfile, NeedsState
from slackwater.events import Events
from slackwater.local.join import batches_of
from slackwater.pipeline.guard import turn_away
from slackwater.pipeline.predicates import bind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slackwater.local.join import LocalJoin

_ALL = 2**40  # events of an interval that are looked at
_FOR_EVER = 2**60  # us that events are kept for late ones; small enough to be subtracted from a time


class ResultNeeds(NamedTuple):
    """By result: the slack that it needs, and the delay of Spark's watermark."""

    slack: Needed
    spark: Needed


def needs_of(plan: LocalJoin) -> ResultNeeds:
    """Find all results of a join and what they need; all of them are in memory."""
    found = Needs.concat([needs for _, needs in _profiled(plan, one_by_one=False)])
    return ResultNeeds(Needed.of(found.time, found.slack, found.weight), _spark_needs(plan))


def _spark_needs(plan: LocalJoin) -> Needed:
    """Return the watermark delay with which Spark finds each result.

    It does unless the last member is dropped when it comes: the others are kept for as long as the watermark says,
    which follows the slowest stream. Rows that came together are taken one by one: that can only ask for more.
    """
    at, delay, weight = [], [], []
    for merged, needs in _profiled(plan, one_by_one=True):
        own = np.zeros(merged.steps, np.int64)  # the event time of each step, which is one event
        for stream, arrivals in enumerate(merged.streams):
            own[merged.per_event(stream, np.arange(merged.steps))] = arrivals.events.time
        at.append(needs.time)
        delay.append(spark_delay_needed(own, merged.before)[needs.step])
        weight.append(needs.weight)
    return Needed.of(np.concatenate(at), np.concatenate(delay), np.concatenate(weight))


def _profiled(plan: LocalJoin, *, one_by_one: bool) -> Iterator[tuple[MergedArrivals, Needs]]:
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
    for merged in _merged(plan, one_by_one=one_by_one):
        yield merged, profile.on_batch(merged, np.zeros(merged.steps, np.int64), intervals=1)


def _merged(plan: LocalJoin, *, one_by_one: bool) -> Iterator[MergedArrivals]:
    clocks: list[int | None] = [None] * len(plan.tables)
    before = 0
    for batch in batches_of(plan.node, plan.tables, plan.processing_time):
        usable = [turn_away(each, s.max_ahead)[0] for each, s in zip(batch, plan.node.streams, strict=True)]
        usable = _apart(usable, before) if one_by_one else usable
        before += sum(map(len, usable))
        arrivals = [Arrivals.after(clock, events) for clock, events in zip(clocks, usable, strict=True)]
        merged = MergedArrivals.of(arrivals, clocks)
        clocks = [int(each.clock[-1]) if each.steps else clock for each, clock in zip(arrivals, clocks, strict=True)]
        yield merged


def _apart(streams: list[Events], before: int) -> list[Events]:
    """Number arrivals anew, each event by itself; of those that came together, the first stream's come first."""
    order = np.argsort(np.concatenate([each.arrival for each in streams]), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = before + np.arange(len(order))
    ranks = np.split(rank, np.cumsum([len(each) for each in streams])[:-1])
    return [Events(each.time, own, each.row) for each, own in zip(streams, ranks, strict=True)]
