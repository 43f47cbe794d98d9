"""What happens to events that could not be used in time: drop, side, adjust or raise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from slackwater.errors import LateEventError, ParameterError
from slackwater.events import REASONS, Events, Late, Reason, code_of

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Times


class _Action(Enum):
    DROP = "drop"
    SIDE = "side"
    ADJUST = "adjust"
    RAISE = "raise"


@dataclass(frozen=True, slots=True)
class LatePolicy:
    """A named choice; every event is counted whichever is made.

    >>> LatePolicy.side(), LatePolicy.adjust()
    (LatePolicy.side(), LatePolicy.adjust())
    """

    action: _Action

    @classmethod
    def drop(cls) -> LatePolicy:
        """Count late events and discard them."""
        return cls(_Action.DROP)

    @classmethod
    def side(cls) -> LatePolicy:
        """Send late events to the `late` output, with the reason: the default."""
        return cls(_Action.SIDE)

    @classmethod
    def adjust(cls) -> LatePolicy:
        """Raise the event time of a late event to what was already passed on, and release it in order.

        Events without a usable time (reasons null_time, future) cannot be adjusted and go to `late`.
        """
        return cls(_Action.ADJUST)

    @classmethod
    def fail(cls) -> LatePolicy:
        """Raise LateEventError when an event could not be used."""
        return cls(_Action.RAISE)

    @classmethod
    def of(cls, value: LatePolicy | str) -> LatePolicy:
        """Read a policy from its name.

        >>> LatePolicy.of("raise") == LatePolicy.fail()
        True
        """
        if isinstance(value, LatePolicy):
            return value
        try:
            return cls(_Action(value))
        except ValueError:
            raise ParameterError(
                "late", value, must="be drop, side, adjust or raise", remedy='"side" keeps every row'
            ) from None

    def __repr__(self) -> str:
        name = "fail" if self.action is _Action.RAISE else self.action.value
        return f"LatePolicy.{name}()"

    @property
    def changes_times(self) -> bool:
        """Whether released events may leave with another event time than they came with."""
        return self.action is _Action.ADJUST

    def route(self, in_order: Events, late: Late, behind: Times, follows: Rows, *, stream: str) -> Routed:
        """Decide for the late events of a batch.

        When each of them left, `behind` had been passed on, and `follows` of the events that left in order.
        """
        match self.action:
            case _Action.SIDE:
                return Routed(in_order, late, len(late))
            case _Action.DROP:
                return Routed(in_order, Late.none(), len(late))
            case _Action.ADJUST:
                return _adjust(in_order, late, behind, follows)
            case _Action.RAISE:
                if len(late):
                    raise _first_error(late, stream)
                return Routed(in_order, late, 0)

    def keep(self, late: Late, *, stream: str) -> Late:
        """Return what of the late events goes to the `late` output, for operators that cannot adjust times."""
        if self.action is _Action.RAISE and len(late):
            raise _first_error(late, stream)
        return Late.none() if self.action is _Action.DROP else late


@dataclass(frozen=True, slots=True)
class Routed:
    """Where the events of a batch went."""

    released: Events
    side: Late  # the rows of the `late` output
    late: int  # how many count as late, whether they are in `side` or dropped


def _adjust(in_order: Events, late: Late, behind: Times, follows: Rows) -> Routed:
    fixable = np.isin(late.code, (code_of(Reason.LATE), code_of(Reason.OVER_CAP)))
    raised, side, at = late.events[fixable], late[~fixable], follows[fixable]
    released = Events(
        np.insert(in_order.time, at, behind[fixable]),
        np.insert(in_order.arrival, at, raised.arrival),
        np.insert(in_order.row, at, raised.row),
    )
    return Routed(released, side, len(side))


def _first_error(late: Late, stream: str) -> LateEventError:
    reason = REASONS[late.code[0]]
    return LateEventError(
        stream=stream,
        reason=str(reason),
        event_time=None if reason is Reason.NULL_TIME else int(late.events.time[0]),
        late_by=int(late.late_by[0]) if reason in (Reason.LATE, Reason.OVER_CAP) else None,
    )
