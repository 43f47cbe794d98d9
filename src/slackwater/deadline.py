"""The contract that says how long it may take, and leaves open how good the results are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.contracts import Contract, ControllerConfig, Goal
from slackwater.errors import ParameterError
from slackwater.time import Duration, DurationLike


@dataclass(frozen=True, repr=False)
class Deadline(Contract):
    """Give every row out within `limit` of its arrival, and as deterministic as that allows (SSG17).

    Streams wait for each other, so that the order does not depend on who came first, until waiting would exceed what
    the limit leaves: `limit - latency`. Rows that leave before they are ready are marked, and counted in decisions.
    Nobody waits for stragglers within a stream, which are late: `DropRatio(0.01) & Deadline("6 seconds")` does. The
    limit holds from the first row on: there is nothing to learn, unless a controller such as `SLTuner` is named.

    Args:
        limit: the longest latency, from the arrival of a row until it is given out.
        latency: what of it is not waiting: reading, the operator, writing. On Spark `start()` adds the interval of its
            trigger, because rows wait for the next batch; what batches take is `written - read` in `sw.latency`.

    >>> Deadline("6 seconds", latency="1500 ms").left
    Duration('4.5 seconds')
    >>> Deadline("1 second", latency="2 seconds")
    Traceback (most recent call last):
        ...
    slackwater.errors.ParameterError: limit must be more than the 2 seconds that are no waiting, got '1 second'; \
2.001 seconds is the shortest deadline that can be kept
    """

    limit: Duration
    latency: Duration

    def __init__(
        self,
        limit: DurationLike,
        *,
        latency: DurationLike = Duration.ZERO,
        cap: DurationLike | None = None,
        adaptation_interval: DurationLike = "1 second",
        controller: ControllerConfig | None = None,
    ) -> None:
        object.__setattr__(self, "limit", Duration.of(limit, parameter="limit"))
        object.__setattr__(self, "latency", Duration.of(latency, parameter="latency"))
        super().__init__(cap=cap, adaptation_interval=adaptation_interval, controller=controller)
        if self.limit <= self.latency:
            raise ParameterError(
                "limit",
                str(self.limit),
                must=f"be more than the {self.latency} that are no waiting",
                remedy=f"{Duration(self.latency.microseconds + 1_000)} is the shortest deadline that can be kept",
            )

    @property
    def left(self) -> Duration:
        """How long events may wait."""
        return Duration(self.limit.microseconds - self.latency.microseconds)

    @property
    def deadline(self) -> Deadline:
        """Itself."""
        return self

    @property
    def patience(self) -> Duration:
        """What is left: nothing may be held for longer."""
        return self.left

    def after(self, latency: Duration) -> Deadline:
        """Return the same where more of the limit is no waiting.

        >>> Deadline("6 seconds", latency="1 second").after(Duration.of("2 seconds")).left
        Duration('3 seconds')
        """
        return replace(self, latency=Duration(self.latency.microseconds + latency.microseconds))

    def goal(self, windows: tuple[int, ...] = ()) -> Goal:
        """Return what a controller is to reach; it never waits past the deadline.

        The period is for how long a slack holds that was set from outside; after that, the deadline alone decides.
        """
        goal, limit = super().goal(windows), self.limit.microseconds
        cap = limit if goal.cap is None else min(goal.cap, limit)
        return replace(goal, period=60_000_000, cap=cap, deadline=limit, latency=self.latency.microseconds)
