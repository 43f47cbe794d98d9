"""Keeps events without a usable time away from the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from slackwater.events import Events, Late, Reason, code_of
from slackwater.time import MAX_TIME, Duration, has_no_place, is_future

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from slackwater.plan.nodes import StreamNode
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Incoming:
    """A batch as it came, in arrival order, before anything is known of its times."""

    events: Events
    has_time: Mask | None = None  # None: all have
    processing_time: Times | int = MAX_TIME  # when each event arrived; the default knows of no future

    def __getitem__(self, which: slice | npt.NDArray[np.intp]) -> Incoming:
        known = None if self.has_time is None else self.has_time[which]
        arrived_at = self.processing_time if isinstance(self.processing_time, int) else self.processing_time[which]
        return Incoming(self.events[which], known, arrived_at)

    def usable(self, max_ahead: Duration | None) -> tuple[Mask, Mask]:
        """Return which events have a time that can be used, and of the others, which are from the future."""
        unplaced = has_no_place(self.events.time)
        if self.has_time is not None:
            unplaced |= ~self.has_time
        ahead = None if max_ahead is None else max_ahead.microseconds
        future = is_future(self.events.time, self.processing_time, ahead) & ~unplaced
        return ~(unplaced | future), future

    def in_batches(self, rows: int) -> Iterator[Incoming]:
        """Cut into batches of about this many events; events that arrived together stay together."""
        arrival, start = self.events.arrival, 0
        while start < len(arrival):
            stop = int(np.searchsorted(arrival, arrival[min(start + rows, len(arrival)) - 1], side="right"))
            yield self[start:stop]
            start = stop


def batches_together(incoming: Sequence[Incoming], rows: int) -> Iterator[list[Incoming]]:
    """Cut several streams at the same arrival values, into batches of about this many events of all of them.

    Events that arrived together stay together. Without events there is one batch, which has none.
    """
    # a stable sort only has to merge what is sorted stream by stream
    arrival = np.sort(np.concatenate([each.events.arrival for each in incoming]), kind="stable")
    limits = np.unique(arrival[rows::rows])
    cuts = [[0, *np.searchsorted(each.events.arrival, limits).tolist(), len(each.events)] for each in incoming]
    for number in range(len(limits) + 1):
        yield [each[cut[number] : cut[number + 1]] for each, cut in zip(incoming, cuts, strict=True)]


def turn_away(incoming: Incoming, max_ahead: Duration | None) -> tuple[Events, Late]:
    """Split a batch into events with a usable time and events that are turned away, with the reason.

    >>> good, bad = turn_away(Incoming(Events.of([5, 90]), processing_time=10), Duration(20))
    >>> good.time.tolist(), bad.events.time.tolist(), bad.reason
    ([5], [90], [<Reason.FUTURE: 'future'>])
    """
    events = incoming.events
    good, future = incoming.usable(max_ahead)
    if good.all():
        return events, Late.none()
    bad = ~good
    code = np.where(future[bad], code_of(Reason.FUTURE), code_of(Reason.NULL_TIME)).astype(np.int8)
    turned_away = events[bad]
    return events[good], Late(turned_away, np.zeros(len(turned_away), np.int64), code)


def turn_away_all(incoming: Sequence[Incoming], streams: Sequence[StreamNode]) -> list[tuple[Events, Late]]:
    """Split a batch of each of several streams."""
    return [turn_away(own, stream.max_ahead) for own, stream in zip(incoming, streams, strict=True)]
