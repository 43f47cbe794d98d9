"""Patience with a machine that is busy: Spark gives a Python process ten seconds to start, then the query fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.errors import QueryError

TRIES = 20  # of a query whose Python did not start in time


def is_slow_start(error: QueryError) -> bool:
    """Whether a query failed because the machine was busy, so that the same call goes on."""
    return "did not start in time" in str(error)


class Patient:
    """A query that is started again where a busy machine did not start Python in time."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start, self._left, self.query = start, TRIES, start()

    def __enter__(self) -> Patient:
        return self

    def __exit__(self, *_: object) -> None:
        self.query.stop()

    def check(self) -> None:
        """Raise if it has failed."""
        if not self.query.isActive:
            self._again(self.query.awaitTermination)

    def work_off(self) -> None:
        """Wait until all that is there was read and written."""
        while not self._again(self.query.processAllAvailable):
            pass

    def _again(self, call: Callable[[], Any]) -> bool:
        """Return whether a call went well; if not, and that is no reason to raise, start the query again."""
        try:
            call()
            done = self.query.isActive
        except QueryError as error:
            self._left -= 1
            if not self._left or not is_slow_start(error):
                raise
            done = False
        if not done:
            self.query = self._start()
        return done
