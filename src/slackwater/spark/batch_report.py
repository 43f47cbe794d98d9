"""What buckets tell the driver of each batch besides rows: figures for people, and what control records led to.

The driver adds the figures up and writes a line for each batch into the checkpoint, for the dashboard. A contract that
rules from now on is in a file beside it: buckets know it from their state, the driver and people from there.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slackwater.quality.batch_log import IN_CHECKPOINT, RULES
from slackwater.quality.delay_bins import added_up, counted_delays
from slackwater.quality.latency_log import add_line
from slackwater.spark.call import REPORT
from slackwater.spark.control_stream import put

if TYPE_CHECKING:
    from slackwater.spark.call import Call


@dataclass(frozen=True, slots=True)
class Heard:
    """What control records led to in a call, for the driver: only the first bucket says it."""

    contract: tuple[str, str] | None = None  # what rules from now on, and instead of which
    stop: bool = False  # whether the query is to end with this batch

    def as_dict(self) -> dict[str, Any]:
        """Return what is to be said."""
        rules = {} if self.contract is None else {"contract": list(self.contract)}
        return {**rules, **({"stop": True} if self.stop else {})}


def report_packets(bucket: int, heard: Heard, call: Call | None = None, written: int = 0) -> Iterator[dict[str, Any]]:
    """Return the packet of a call; without one, only control records came, and there may be nothing to say."""
    said = {**({} if call is None else _figures(call, written)), **(heard.as_dict() if bucket == 0 else {})}
    if said:
        yield {"kind": REPORT, "bucket": bucket, "body": json.dumps(said).encode()}


def _figures(call: Call, written: int) -> dict[str, Any]:
    before, after = call.before, call.counts
    return {
        "bucket": call.bucket,
        **{name: getattr(after, name) - getattr(before, name) for name in ("arrived", "released", "late")},
        "buffered": after.buffered,
        "slack": call.slack,
        "state_bytes": written,
        "delays": counted_delays(call.delays),
    }


def last_contract(said: Iterable[bytes]) -> list[str] | None:
    """Return the contract that rules from a batch on, and instead of which, where buckets said that it changed."""
    found = [each["contract"] for body in said if "contract" in (each := json.loads(body))]
    return found[-1] if found else None


@dataclass
class BatchReports:
    """The driver's part. Figures are for people: where they cannot be written, results do not stop."""

    checkpoint: Path | None  # None: it is where the driver cannot look
    on_stop: Callable[[int], object] = lambda batch: None  # a batch asks that the query ends with it
    on_contract: Callable[[str, str], object] = lambda of, text: None

    def __post_init__(self) -> None:
        """Nothing is known of any bucket yet."""
        self._buffered: dict[int, int] = {}

    def on_batch(self, bodies: Sequence[bytes], batch: int) -> None:
        """Take in what buckets said of a batch that has just been written."""
        said = [json.loads(body) for body in bodies]
        for each in said:
            if "contract" in each:
                self._rules(*each["contract"])
        figures = [each for each in said if "arrived" in each]
        if figures and self.checkpoint is not None and self.checkpoint.exists():
            self._write(add_line, self.checkpoint / IN_CHECKPOINT, self._line(figures, batch))
        if any(each.get("stop") for each in said):
            self.on_stop(batch)

    def _rules(self, of: str, text: str) -> None:
        self.on_contract(of, text)
        if self.checkpoint is not None and self.checkpoint.exists():
            self._write(put, self.checkpoint / RULES, json.dumps({"of": of, "contract": text}) + "\n")

    def _line(self, figures: Sequence[Mapping[str, Any]], batch: int) -> dict[str, Any]:
        self._buffered.update({each["bucket"]: each["buffered"] for each in figures})
        total = added_up(each["delays"] for each in figures)
        return {
            "batch": batch,
            "written": time.time_ns() // 1_000,
            **{name: sum(each[name] for each in figures) for name in ("arrived", "released", "late", "state_bytes")},
            "buffered": sum(self._buffered.values()),
            "slack": max(each["slack"] for each in figures),
            "delays": {str(place): count for place, count in enumerate(total) if count},
        }

    def _write(self, write: Callable[..., object], where: Path, what: Any) -> None:
        try:
            write(where, what)
        except OSError as error:
            warnings.warn(f"figures for the dashboard are not in {where}: {error}", stacklevel=2)
