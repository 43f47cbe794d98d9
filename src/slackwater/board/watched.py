"""One query as the page shows it: everything in one document of values that JSON can hold."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from slackwater.board.decided import Decided
from slackwater.board.figures import StateSize, batches_of, delays_of, held_of, latency_of, rate_of
from slackwater.board.found import FoundQuery
from slackwater.board.late_rows import LateRows
from slackwater.board.shown import shown

_FRESH = 1.0  # seconds for which a look is good enough for everybody who asks


class Watched:
    """Looks at a query. Several may ask at once: they are answered one after the other, from one look."""

    def __init__(self, checkpoint: Path) -> None:
        self.checkpoint = checkpoint
        self._lock = threading.Lock()
        self._decided: tuple[Path, Decided] | None = None
        self._late: tuple[Path, LateRows] | None = None
        self._state = StateSize(checkpoint)
        self._looked: tuple[float, dict[str, Any]] | None = None

    @property
    def query(self) -> FoundQuery:
        """What the query says of itself now."""
        return FoundQuery.of(self.checkpoint)

    def look(self) -> dict[str, Any]:
        """Return all that the page shows."""
        with self._lock:
            if self._looked is None or time.monotonic() - self._looked[0] >= _FRESH:
                self._looked = time.monotonic(), self._look()
            return {**self._looked[1], "now": time.time() * 1e3}

    def _look(self) -> dict[str, Any]:
        query = self.query
        batches = batches_of(self.checkpoint)
        last = batches[-1] if batches else None
        decided = self._look_at_decisions(query)
        return {
            "query": _words(query),
            "decided": decided,
            "said": [*_end(query), *((decided or {}).get("said") or [])],
            "late": self._look_at_late(query),
            "latency": latency_of(query.outputs.get("latency", self.checkpoint)),
            "delays": delays_of(batches),
            "held": held_of(batches),
            "state_on_disk": self._state.look(),
            "rows_per_second": rate_of(batches),
            "last": None if last is None else {name: last[name] for name in ("batch", "written", "slack", "buffered")},
            "arrived": sum(row["arrived"] for row in batches),
            "late_rows": sum(row["late"] for row in batches),
        }

    def _look_at_decisions(self, query: FoundQuery) -> dict[str, Any] | None:
        folder = query.outputs.get("decisions")
        if folder is None:
            return None
        if self._decided is None or self._decided[0] != folder:
            self._decided = folder, Decided(folder)
        return self._decided[1].look()

    def _look_at_late(self, query: FoundQuery) -> dict[str, Any] | None:
        folder = query.outputs.get("late")
        if folder is None:
            return None
        if self._late is None or self._late[0] != folder:
            self._late = folder, LateRows(folder)
        return self._late[1].look()


def _end(query: FoundQuery) -> list[dict[str, Any]]:
    """Return what there is to say of the end: nothing while the query runs; its moment is not one of event time."""
    return [] if query.ended is None else [{"at": None, "words": "drain: all that was held has left, the query ended"}]


def _words(query: FoundQuery) -> dict[str, Any]:
    return {
        "name": shown(query.name),
        "operator": shown(query.operator),
        "streams": [shown(name) for name in query.streams],
        "contract": shown(query.contract, 1_000),
        "buckets": query.buckets,
        "control": query.control is not None,
        "early": query.early,
        "by": [shown(name) for name in query.by],
        "began": query.operator is not None,
        "ended": None if query.ended is None else query.ended / 1e3,
    }
