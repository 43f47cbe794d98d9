"""The two fixed slacks that SSG17 Sec. 6 compares with: a low one and a high one."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.control.fixed import Fixed
from slackwater.time import DurationLike


@dataclass(frozen=True)
class StaticLow(Fixed):
    """Waits briefly, whatever happens: no deadline is missed, and much is passed on before it is ready.

    >>> StaticLow().build().next_slack()
    Duration('1 second')
    """

    slack: DurationLike = "1 second"


@dataclass(frozen=True)
class StaticHigh(Fixed):
    """Waits long, whatever happens: everything is ready when it is passed on, and deadlines are missed.

    >>> StaticHigh("2 minutes").build().next_slack()
    Duration('2 minutes')
    """

    slack: DurationLike = "20 seconds"
