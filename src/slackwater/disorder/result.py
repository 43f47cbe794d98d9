"""What a profile says: a frozen value that prints as a table, converts to JSON and draws the curve of any slack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from slackwater.as_json import AsJson
from slackwater.disorder import text
from slackwater.disorder.delays import Delays
from slackwater.displayed import Displayed, text_block


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What was profiled: where the rows came from, and what the columns mean."""

    source: str
    event_time: str
    unit: str | None  # of integer event times
    unit_is_guessed: bool = False
    arrival: str | None = None
    by: str | None = None
    stream: str | None = None


@dataclass(frozen=True)
class Slice:
    """The events that arrived while the clock was in `[start, end)`, in us."""

    start: int
    end: int
    delays: Delays


@dataclass(frozen=True)
class Gap:
    """The clock jumped from `start` to `end`, in us: no event between them had come before the one at `end`."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Part:
    """One stream, or the events of one key.

    `own` has the delays against its own clock, `behind` those against the clock of all events. `skew` says how far its
    own clock was behind the clock of all, as of each of its events.
    """

    name: str | None
    first: int  # event times in us
    last: int
    own: Delays
    behind: Delays
    skew: Delays

    @property
    def events(self) -> int:
        """How many events it has."""
        return self.own.events


@dataclass(frozen=True, kw_only=True)
class DisorderProfile(Displayed, AsJson):
    """How disordered a stream is. Made by `sw.profile`.

    `rows` = `delays.events` + `nulls` + `future`: rows without a time, and those with a time past `max_ahead`, have no
    say in anything else. `keys` and `streams` are the worst first; rows of keys past the first 10,000 are only
    counted (`other_key_rows`, `other_stream_rows`), and keys past the first 1,000 have no histogram.
    """

    subject: Subject
    rows: int
    nulls: int
    future: int
    ahead: int  # rows that arrived before they happened, where the arrival column has times
    first: int | None  # event times in us
    last: int | None
    delays: Delays
    slices: tuple[Slice, ...]
    gaps: tuple[Gap, ...]  # the longest first
    streams: tuple[Part, ...] = ()
    keys: tuple[Part, ...] = ()
    other_stream_rows: int = 0
    other_key_rows: int = 0
    suspicions: tuple[str, ...] = ()

    @property
    def rate(self) -> float | None:
        """Events per second of event time; None where no time passed."""
        if self.first is None or self.last is None or self.first == self.last:
            return None
        return self.delays.events / ((self.last - self.first) / 1e6)

    def table(self) -> str:
        """Return the profile as text for a terminal."""
        return text.table_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, histograms included, as values that JSON can hold; times and durations in us."""
        return {
            "subject": asdict(self.subject),
            **{name: getattr(self, name) for name in ("rows", "nulls", "future", "ahead")},
            "first_us": self.first,
            "last_us": self.last,
            "rate_per_s": self.rate,
            "delays": self.delays.to_dict(),
            "slices": [
                {"start_us": each.start, "end_us": each.end, "delays": each.delays.to_dict()} for each in self.slices
            ],
            "gaps": [{"start_us": each.start, "end_us": each.end} for each in self.gaps],
            "streams": [_part(each) for each in self.streams],
            "keys": [_part(each) for each in self.keys],
            "other_stream_rows": self.other_stream_rows,
            "other_key_rows": self.other_key_rows,
            "suspicions": list(self.suspicions),
        }

    def __repr__(self) -> str:
        late, most = f"{self.delays.share_out_of_order:.1%}", text.span(self.delays.largest)
        return f"<DisorderProfile of {self.subject.source}: {self.rows:,} rows, {late} out of order, at most {most}>"

    def __str__(self) -> str:
        return self.table()

    def _shown(self) -> Iterable[str]:
        yield text_block(self.table())


def _part(part: Part) -> dict[str, Any]:
    delays = {name: getattr(part, name).to_dict() for name in ("own", "behind", "skew")}
    return {"name": part.name, "first_us": part.first, "last_us": part.last, "events": part.events, **delays}
