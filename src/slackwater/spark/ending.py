"""The end of a query that a control record asks for: after the batch that was drained is committed, not before."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from slackwater.errors import SlackwaterError
from slackwater.quality.batch_log import ENDED
from slackwater.spark.control_stream import put

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_LOOKS_EVERY = 0.1  # seconds
_LONGEST = 120.0  # seconds: a commit that takes longer has failed, and with it the query


@dataclass
class Ending:
    """Stops a query when a batch is done. Where it cannot be reached, it is drained, and goes on."""

    checkpoint: Path | None = None  # where a file says that it has ended; None: nowhere that the driver can look
    query: StreamingQuery | None = None  # known once it runs

    def runs(self, query: StreamingQuery) -> None:
        """Take note of a query that has begun: what says that an earlier one has ended here is no longer so."""
        if self.checkpoint is not None:
            with suppress(OSError):
                (self.checkpoint / ENDED).unlink(missing_ok=True)
        self.query = query

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
                    self._say(batch)  # first: whoever waits for the end may end the program with it
                    with suppress(Exception):  # whoever waited for the end may have closed the session by now
                        query.stop()
                    return
                if not query.isActive:
                    return
            time.sleep(_LOOKS_EVERY)

    def _say(self, batch: int) -> None:
        """Write down for people that the query ends; a disk that is full does not keep it from that."""
        if self.checkpoint is not None:
            with suppress(OSError, SlackwaterError):
                said = {"batch": batch, "written": time.time_ns() // 1_000, "by": "drain"}
                put(self.checkpoint / ENDED, json.dumps(said) + "\n")
