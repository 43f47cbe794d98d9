"""Two contracts at once: the first is kept as far as the second allows, and where it is not, decisions say so.

One of them is a deadline. `Recall(0.99) & Deadline("5 seconds")` waits as long as the recall needs, but never past the
deadline; `Deadline("5 seconds") & Recall(0.99)` waits as long as the recall needs, and says where that broke the
deadline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from slackwater.contracts import Contract, Goal, PerPeriod, RelativeError, Shares
from slackwater.deadline import Deadline
from slackwater.errors import ParameterError
from slackwater.time import Duration, Mask, Times, is_over_cap


@dataclass(frozen=True, init=False, repr=False)
class Combined(Contract):
    """What `first & second` is: see the head of this file. Interval, cap and controller are those of the target.

    >>> from slackwater.contracts import DropRatio
    >>> both = DropRatio(0.01) & Deadline("5 seconds", latency="1 second")
    >>> both
    DropRatio(0.01, over='1 minute') & Deadline('5 seconds', latency='1 second')
    >>> both.longest_wait, both.stated
    (Duration('4 seconds'), 0.01)
    >>> both.ruled(np.array([1_000_000, 4_000_000]), np.array([0, 0]))
    ['DropRatio', 'Deadline']
    """

    first: Contract
    second: Contract

    def __init__(self, first: Contract, second: Contract) -> None:
        for each in (first, second):
            if not isinstance(each, Contract) or isinstance(each, Combined):
                raise _not_a_pair(each)
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)
        promise = self.promise
        interval, controller = promise.adaptation_interval, promise.controller
        super().__init__(cap=self._cap(promise), adaptation_interval=interval, controller=controller)
        if self.deadline.controller is not None or self.deadline.cap is not None:
            raise ParameterError(
                "contract",
                "a Deadline with a cap or a controller",
                must="have neither where it is one of two",
                remedy="the other contract says how to wait, the deadline how long at most",
            )

    def __repr__(self) -> str:
        return f"{self.first!r} & {self.second!r}"

    @property
    def promise(self) -> Contract:
        """The contract that says how good the results must be."""
        match self.first, self.second:
            case PerPeriod() as promise, Deadline():
                return promise
            case Deadline(), PerPeriod() as promise:
                return promise
        raise _not_a_pair(self)

    def after(self, latency: Duration) -> Combined:
        """Return the same where more of the deadline is no waiting."""
        return Combined(*(each.after(latency) for each in (self.first, self.second)))

    @property
    def deadline(self) -> Deadline:
        """The contract that says how long it may take."""
        return self.second if isinstance(self.second, Deadline) else self._first_deadline()

    @property
    def deadline_rules(self) -> bool:
        """Whether the deadline has its way where both cannot be kept: the second of two has."""
        return self.second is self.deadline

    @property
    def quality(self) -> float | None:
        """The quality to reach."""
        return self.promise.quality

    @property
    def stated(self) -> float | None:
        """The target as it is stated."""
        return self.promise.stated

    @property
    def counts_events(self) -> bool:
        """As the target."""
        return self.promise.counts_events

    @property
    def period(self) -> Duration:
        """The period of the target."""
        return self.promise.period

    @property
    def patience(self) -> Duration | None:
        """What the deadline leaves, where it rules."""
        return self.deadline.left if self.deadline_rules else None

    def shown(self, quality: Shares) -> Shares:
        """Return qualities in the terms of the target."""
        return self.promise.shown(quality)

    def gate(self, slack: Times) -> tuple[Times | None, Times | int]:
        """Wait for stragglers as the target needs; for slower streams as the deadline allows, where that rules."""
        left = np.broadcast_to(np.int64(self.deadline.left.microseconds), slack.shape)
        return left if self.deadline_rules else None, slack

    def is_past(self, ready: Mask, stall: Times) -> Mask:
        """Where the deadline does not rule, events are past it that have waited longer."""
        return ~ready if self.deadline_rules else is_over_cap(stall, self.deadline.left.microseconds)

    def slack_ready(self, past: Times) -> Times:
        """Nothing leaves before it is ready where the deadline does not rule."""
        return past if self.deadline_rules else np.zeros_like(past)

    def ruled(self, slack: Times, past: Times) -> list[str]:
        """Return the second contract where the two were in conflict, so that it had its way, else the first.

        They are where the target would wait as long as the deadline allows, or longer; and where events were past the
        deadline: they left although streams should have been waited for, or were waited for all the same.
        """
        left = self.deadline.left.microseconds
        conflict = (past > 0) | ((slack >= left) if self.deadline_rules else (slack > left))
        names = type(self.first).__name__, type(self.second).__name__
        return [names[int(each)] for each in conflict]

    def goal(self, windows: tuple[int, ...] = ()) -> Goal:
        """Return the goal of the target, within the deadline where that rules."""
        own = self.deadline.goal()
        return replace(super().goal(windows), deadline=own.deadline, latency=own.latency)

    def _first_deadline(self) -> Deadline:
        if not isinstance(self.first, Deadline):
            raise _not_a_pair(self)
        return self.first

    def _cap(self, promise: Contract) -> Duration | None:
        """Return the longest wait: that of the target, and no longer than the deadline leaves where that rules."""
        both = promise.longest_wait, self.deadline.left if self.deadline_rules else None
        return min((cap for cap in both if cap is not None), default=None)


def _not_a_pair(found: object) -> ParameterError:
    remedy = 'such as Recall(0.99) & Deadline("5 seconds"), or DropRatio(0.01) & Deadline("5 seconds")'
    must = "be a Deadline and a Recall or a DropRatio"
    if not isinstance(found, Combined):
        return ParameterError("contract", found, must=must, remedy=remedy)
    pair = found.first, found.second
    about_values = next((each for each in pair if isinstance(each, RelativeError)), None)
    deadline = next((each for each in pair if isinstance(each, Deadline)), None)
    if about_values is not None and deadline is not None:
        cap = f'RelativeError({about_values.bound:g}, cap="{deadline.left}")'
        remedy = f"windows of an aggregate always wait for the slack, so {cap} says as much: never wait longer"
    return ParameterError("contract", " & ".join(type(each).__name__ for each in pair), must=must, remedy=remedy)
