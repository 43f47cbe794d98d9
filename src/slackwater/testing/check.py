"""Compares what a runner did with what a transcript expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from slackwater.measurement import Counts
from slackwater.testing.transcripts import Expected, Seconds, Transcript, time_order


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a runner saw in one step. Where a runner cannot look, the field is None."""

    released: tuple[Seconds, ...] = ()
    late: tuple[tuple[Seconds, str, Seconds], ...] = ()  # (event time, reason, late by)
    buffered: tuple[Seconds, ...] | None = None
    clock: Seconds = None
    slack: Seconds = None
    decided: tuple[Seconds, ...] | None = None
    counts: Counts | None = None  # from the start
    error: str | None = None


# A runner plays a transcript and yields what it saw after each step.
Runner: TypeAlias = Callable[[Transcript], Iterator[Seen]]


class TranscriptError(AssertionError):
    """A runner did not do what a transcript says."""

    def __init__(self, transcript: Transcript, step: int, what: str, expected: object, got: object) -> None:
        super().__init__(f"{transcript}, step {step}: expected {what} {expected}, got {got}")
        self.step = step
        self.what = what
        self.expected = expected
        self.got = got


def check_transcript(transcript: Transcript, run: Runner) -> None:
    """Play a transcript, and raise TranscriptError at the first step that goes another way.

    After every step, every event must be accounted for: arrived = released + late + buffered.
    """
    tally = _Tally()
    plays = run(transcript)
    for number, step in enumerate(transcript.steps, start=1):
        seen = next(plays)
        tally.add(len(list(step.arrivals())), step.expect.dropped, seen)
        for what, expected, got in (*_compared(step.expect, seen), *tally.claims(seen)):
            if expected != got:
                raise TranscriptError(transcript, number, what, expected, got)


def _compared(expect: Expected, seen: Seen) -> Iterator[tuple[str, Any, Any]]:
    late = sorted(seen.late, key=lambda event: time_order(event[0]))
    yield "error", expect.error, seen.error
    yield "released", expect.released, seen.released
    yield "late", expect.late, tuple(time for time, _, _ in late)
    optional = {
        "reasons": tuple(reason for _, reason, _ in late),
        "late_by": tuple(by for _, _, by in late),
        "buffered": seen.buffered,
        "clock": seen.clock,
        "slack": seen.slack,
        "decided": seen.decided,
    }
    for what, got in optional.items():
        expected = getattr(expect, what)
        if expected is not None and got is not None:
            yield what, expected, got


class _Tally:
    """Adds up where the events are, by what came out and by what the runner itself counts."""

    def __init__(self) -> None:
        self._arrived = self._released = self._late = 0

    def add(self, arrived: int, dropped: int, seen: Seen) -> None:
        self._arrived += arrived
        self._released += len(seen.released)
        self._late += len(seen.late) + dropped

    def claims(self, seen: Seen) -> Iterator[tuple[str, Any, Any]]:
        """Yield what must hold after every step, unless an error ended the story."""
        if seen.error is None and seen.buffered is not None:
            yield (
                "arrived = released + late + buffered,",
                self._arrived,
                self._released + self._late + len(seen.buffered),
            )
        if seen.counts is not None and seen.buffered is not None:
            yield "counts", Counts(self._arrived, self._released, self._late, len(seen.buffered)), seen.counts
