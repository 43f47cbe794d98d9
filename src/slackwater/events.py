"""The columns that the core works on: int64 microseconds and row numbers, never payload."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from slackwater.time import Times

Rows: TypeAlias = npt.NDArray[np.int64]


class Reason(StrEnum):
    """Why an event could not be used in time."""

    LATE = "late"  # behind what was already passed on
    OVER_CAP = "over_cap"  # late, and even the longest wait that the contract allows would not have helped
    FUTURE = "future"  # claims a time too far past its arrival, or past the year 9999
    NULL_TIME = "null_time"  # has no event time, or one before the year 1
    PUNCTUATION = "punctuation"  # behind a punctuation, which had promised that no such event would come


REASONS = tuple(Reason)
PROD: Final = "prod"  # what marks a row that is no event, but asks for early results
PUNCTUATION: Final = "punctuation"  # or promises that no more events will come
LATE_COLUMNS = ("late_by", "reason", "stream")  # what the late output adds to the columns of its input


def code_of(reason: Reason) -> int:
    """Return the position of a reason in REASONS: how columns hold it."""
    return REASONS.index(reason)


def picking(which: slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Callable[[Any], Any]:
    """Return what picks some values of columns: a mask is looked through once, and `take` is quicker than brackets.

    >>> [picking(np.array([True, False]))(np.array(column)).tolist() for column in ([1, 2], [3, 4])]
    [[1], [3]]
    """
    if isinstance(which, slice):
        return lambda column: column[which]
    places = np.flatnonzero(which) if which.dtype == np.bool_ else which
    return lambda column: column.take(places)


@dataclass(frozen=True, slots=True)
class Events:
    """Events as columns of equal length.

    `arrival` orders them by when they came: equal values arrived together. `row` is where the payload is found;
    whoever made the events knows what it means. Where both are the same column it is kept once.

    >>> Events.of([3, 1], arrival=[0, 1]).time.tolist()
    [3, 1]
    """

    time: Times
    arrival: Times
    row: Rows

    @classmethod
    def of(cls, time: Iterable[int], *, arrival: Iterable[int] | None = None) -> Events:
        """Make events from plain numbers: for tests and examples. Arrival and row default to the position."""
        times = np.fromiter(time, np.int64)
        position = np.arange(len(times), dtype=np.int64)
        return cls(times, position if arrival is None else np.fromiter(arrival, np.int64), position)

    @classmethod
    def none(cls) -> Events:
        """No events."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty, empty)

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, which: slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Events:
        pick = picking(which)
        row = pick(self.row)
        return Events(pick(self.time), row if self.arrival is self.row else pick(self.arrival), row)

    def __add__(self, other: Events) -> Events:
        return Events.concat([self, other])

    @classmethod
    def concat(cls, parts: Sequence[Events]) -> Events:
        """Put events one after the other."""
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else cls.none()
        row = np.concatenate([part.row for part in parts])
        same = all(part.arrival is part.row for part in parts)
        arrival = row if same else np.concatenate([part.arrival for part in parts])
        return cls(np.concatenate([part.time for part in parts]), arrival, row)

    def by_time(self) -> Events:
        """The same events by (event time, arrival), given that they are in arrival order.

        >>> Events.of([3, 1, 3]).by_time().row.tolist()
        [1, 0, 2]
        """
        return self[np.argsort(self.time, kind="stable")]


@dataclass(frozen=True, slots=True)
class Tagged:
    """Events of several streams as columns of equal length: `stream` is the number of the stream.

    >>> Tagged.of([(0, 3), (1, 1)]).stream.tolist()
    [0, 1]
    """

    stream: npt.NDArray[np.int8]
    time: Times
    arrival: Times
    row: Rows

    @classmethod
    def of(cls, events: Iterable[tuple[int, int]]) -> Tagged:
        """Make events from (stream, time): for tests and examples. Arrival and row are the position."""
        pairs = np.array(list(events), np.int64).reshape(-1, 2)
        position = np.arange(len(pairs), dtype=np.int64)
        return cls(pairs[:, 0].astype(np.int8), pairs[:, 1], position, position)

    @classmethod
    def none(cls) -> Tagged:
        """No events."""
        empty = np.empty(0, np.int64)
        return cls(np.empty(0, np.int8), empty, empty, empty)

    @classmethod
    def from_stream(cls, stream: int, events: Events) -> Tagged:
        """The events of one stream."""
        return cls(np.full(len(events), stream, np.int8), events.time, events.arrival, events.row)

    def of_stream(self, stream: int) -> Events:
        """Return the events of one stream, in the same order."""
        mine = np.flatnonzero(self.stream == stream)
        return Events(self.time.take(mine), self.arrival.take(mine), self.row.take(mine))

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, which: slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Tagged:
        pick = picking(which)
        return Tagged(pick(self.stream), pick(self.time), pick(self.arrival), pick(self.row))

    def __add__(self, other: Tagged) -> Tagged:
        return Tagged.concat([self, other])

    @classmethod
    def concat(cls, parts: Sequence[Tagged]) -> Tagged:
        """Put events one after the other."""
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else cls.none()
        columns = zip(*((part.stream, part.time, part.arrival, part.row) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


@dataclass(frozen=True, slots=True)
class Late:
    """Events that could not be used in time: why, and how far behind what was already passed on."""

    events: Events
    late_by: Times
    code: npt.NDArray[np.int8]  # the position of the reason in REASONS

    def __len__(self) -> int:
        return len(self.events)

    @property
    def reason(self) -> list[Reason]:
        """The reason of each event, in words."""
        return [REASONS[code] for code in self.code.tolist()]

    @classmethod
    def none(cls) -> Late:
        """No late events."""
        return cls(Events.none(), np.empty(0, np.int64), np.empty(0, np.int8))

    @classmethod
    def because(cls, events: Events, reason: Reason, late_by: Times | None = None) -> Late:
        """Late events that share one reason."""
        by = np.zeros(len(events), np.int64) if late_by is None else late_by
        return cls(events, by, np.full(len(events), code_of(reason), np.int8))

    def __getitem__(self, which: slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Late:
        return Late(self.events[which], self.late_by[which], self.code[which])

    def __add__(self, other: Late) -> Late:
        return Late.concat([self, other])

    @classmethod
    def concat(cls, parts: Sequence[Late]) -> Late:
        """Put late events one after the other."""
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else cls.none()
        return cls(
            Events.concat([part.events for part in parts]),
            np.concatenate([part.late_by for part in parts]),
            np.concatenate([part.code for part in parts]),
        )
