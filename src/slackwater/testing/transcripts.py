"""Behavior written down as transcripts: what arrives, step by step, and what must come of it.

A transcript is a YAML document. Its times are seconds, so that 5.5 is five and a half.

    title: A delay equal to the slack is in time
    from: JI16 Sec. III-A
    contract: FixedSlack 2 seconds        # or NoSlack, MaxSlack, Script 1 second, 3 seconds
    steps:
      - {arrive: [10, 8, 7], expect: {released: [8], late: [7], buffered: [10], clock: 10}}
      - {drain: true, expect: {released: [10]}}

Each step is one batch. In `arrive`, a list within the list arrived together and null has no event time. Further keys
of a transcript: cap, interval (of adaptation), speculative (alpha), release, late, max_ahead, broken_on (a reason for
each runner that cannot pass), fails (for transcripts that test the checker: what it must say). Further keys of a step:
now (processing time of the arrivals). Keys of `expect` are described at `Expected`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from slackwater.contracts import Contract, ControllerConfig, FixedSlack, MaxSlack, NoSlack
from slackwater.control import Speculative
from slackwater.control.choose import default_controller
from slackwater.core.late import LatePolicy
from slackwater.errors import ParameterError
from slackwater.plan.nodes import ReorderNode, StreamNode
from slackwater.testing.scripted import Scripted
from slackwater.time import Duration

try:
    import yaml
except ImportError as error:
    raise ImportError("slackwater.testing needs pyyaml: pip install slackwater[testing]") from error

Seconds: TypeAlias = float | None  # None: the event has no time

_ENDS_OF_TIME = 253_000_000_000  # seconds: the default of `now`, before which nothing is in the future


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What must be seen after a step. Nothing else may have been released or late; None is not looked at."""

    released: tuple[Seconds, ...] = ()  # event times, in order
    late: tuple[Seconds, ...] = ()  # original event times, by (event time), null first
    reasons: tuple[str, ...] | None = None  # of the late events, in the same order
    late_by: tuple[Seconds, ...] | None = None
    dropped: int = 0  # late and discarded by policy
    buffered: tuple[Seconds, ...] | None = None  # by event time
    clock: Seconds = None
    slack: Seconds = None  # in force from now on
    decided: tuple[Seconds, ...] | None = None  # slack of each decision of this step
    error: str | None = None  # the reason that a LateEventError gives; it ends the transcript

    def __add__(self, later: Expected) -> Expected:
        """Return what must be seen after both; what was not always looked at is not looked at."""
        late = sorted([*self._late_events(), *later._late_events()], key=lambda event: time_order(event[0]))
        decided = None if self.decided is None or later.decided is None else self.decided + later.decided
        return replace(
            later,
            released=() if later.error else self.released + later.released,
            late=() if later.error else tuple(time for time, _ in late),
            reasons=tuple(why for _, why in late) if all(why for _, why in late) else None,
            late_by=None,
            dropped=self.dropped + later.dropped,
            decided=decided,
        )

    def _late_events(self) -> list[tuple[Seconds, str]]:
        return list(zip(self.late, self.reasons or [""] * len(self.late), strict=True))


@dataclass(frozen=True, kw_only=True)
class Step:
    """One batch, or the end of the input."""

    arrive: tuple[Seconds | tuple[Seconds, ...], ...] = ()
    drain: bool = False
    now: float = _ENDS_OF_TIME
    expect: Expected = field(default_factory=Expected)

    def __add__(self, later: Step) -> Step:
        return replace(later, arrive=self.arrive + later.arrive, expect=self.expect + later.expect)

    def arrivals(self) -> Iterator[tuple[Seconds, bool]]:
        """Yield the event times, and of each whether it arrived together with the one before."""
        for entry in self.arrive:
            together = entry if isinstance(entry, tuple) else (entry,)
            yield from ((time, position > 0) for position, time in enumerate(together))


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """A story with a title, and where it was found."""

    title: str
    source: str
    node: ReorderNode
    steps: tuple[Step, ...]
    broken_on: Mapping[str, str]  # runner -> reason
    fails: str | None = None

    def __str__(self) -> str:
        return f"{self.title} ({self.source})"

    def in_batches(self, count: int) -> Transcript:
        """Return the same story told in about this many steps: how arrivals are cut into batches must not matter."""
        size = -(-len(self.steps) // max(count, 1))
        merged: list[Step] = []
        for number, step in enumerate(self.steps):
            begins = number % size == 0 or merged[-1].drain or merged[-1].now != step.now
            merged[-1:] = [*merged[-1:], step] if begins else [merged[-1] + step]
        return replace(self, steps=tuple(merged))


def time_order(time: Seconds) -> tuple[bool, float]:
    """Return what sorts event times, with those that are missing first."""
    return time is not None, time or 0.0


def read_transcripts(path: str | Path) -> list[Transcript]:
    """Read a YAML file, or all of a folder in the order of their names."""
    files = sorted(Path(path).glob("*.yaml")) if Path(path).is_dir() else [Path(path)]
    return [
        read_transcript(story, source=file.stem) for file in files for story in yaml.safe_load_all(file.read_text())
    ]


def read_transcript(story: dict[str, Any], *, source: str = "") -> Transcript:
    """Read one transcript from what YAML gives; an unknown key is an error."""
    _check_keys("transcript", story, _KEYS)
    stream = StreamNode(
        name="stream",
        event_time="event_time",
        unit="us",
        arrival="arrival",
        arrival_time="arrival_time",
        max_ahead=None if "max_ahead" not in story else Duration.of(story["max_ahead"], parameter="max_ahead"),
    )
    return Transcript(
        title=story["title"],
        source=story.get("from", source),
        node=ReorderNode(
            stream=stream,
            contract=_contract(story),
            late=LatePolicy.of(story.get("late", "side")),
            release=story.get("release", "arrival"),
        ),
        steps=tuple(_step(step) for step in story["steps"]),
        broken_on=_reasons(story.get("broken_on", {})),
        fails=story.get("fails"),
    )


_KEYS = (
    *("title", "from", "contract", "cap", "interval", "speculative", "release"),
    *("late", "max_ahead", "steps", "broken_on", "fails"),
)


def _contract(story: dict[str, Any]) -> Contract:
    name, _, rest = story["contract"].partition(" ")
    options = {"cap": story.get("cap"), "adaptation_interval": story.get("interval", "1 second")}
    match name:
        case "NoSlack" | "MaxSlack":
            plain: Contract = (NoSlack if name == "NoSlack" else MaxSlack)(**options)
        case "FixedSlack":
            plain = FixedSlack(rest, **options)
        case "Script":
            plain = MaxSlack(**options, controller=Scripted(tuple(rest.split(", "))))
        case _:
            raise ParameterError(
                "contract", story["contract"], must="be a known one", remedy='such as "FixedSlack 2 seconds"'
            )
    return _speculative(plain, story["speculative"], options) if "speculative" in story else plain


def _speculative(plain: Contract, alpha: float, options: dict[str, Any]) -> Contract:
    inner: ControllerConfig = plain.controller or default_controller(plain)
    return MaxSlack(**options, controller=Speculative(inner, alpha=alpha))


def _step(step: dict[str, Any]) -> Step:
    _check_keys("step", step, [each.name for each in fields(Step)])
    expect = step.get("expect", {})
    _check_keys("expect", expect, [each.name for each in fields(Expected)])
    return Step(**{**_frozen(step), "expect": Expected(**_frozen(expect))})


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def _reasons(broken_on: Any) -> Mapping[str, str]:
    if not isinstance(broken_on, dict) or not all(isinstance(why, str) and why for why in broken_on.values()):
        raise ParameterError(
            "broken_on", broken_on, must="give a reason for each runner", remedy='write {query: "why it cannot pass"}'
        )
    return broken_on


def _check_keys(what: str, given: dict[str, Any], known: Any) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ParameterError(what, unknown, must="have known keys only", remedy=f"known are: {', '.join(known)}")
