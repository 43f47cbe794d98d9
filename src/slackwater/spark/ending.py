"""The end of a query that a control record asks for: after the batch that was drained is committed, not before."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_LOOKS_EVERY = 0.1  # seconds
_LONGEST = 120.0  # seconds: a commit that takes longer has failed, and with it the query


class Ending:
    """Stops a query when a batch is done. Where it cannot be reached, it is drained, and goes on."""

    def __init__(self) -> None:
        self.query: StreamingQuery | None = None  # known once it runs

    def after(self, batch: int) -> None:
        """Stop the query after a batch, which is still under way: from another thread, since it waits for this one."""
        threading.Thread(target=self._stop, args=(batch,), name="slackwater-ending", daemon=True).start()

    def _stop(self, batch: int) -> None:
        until = time.monotonic() + _LONGEST
        while time.monotonic() < until:
            query = self.query
            if query is not None:
                done = query.lastProgress
                if done is not None and done["batchId"] >= batch:
                    with suppress(Exception):  # whoever waited for the end may have closed the session by now
                        query.stop()
                    return
                if not query.isActive:
                    return
            time.sleep(_LOOKS_EVERY)
