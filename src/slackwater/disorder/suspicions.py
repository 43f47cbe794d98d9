"""What looks wrong with the clocks of a stream: units, time zones, the future."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from slackwater.disorder.text import moment, name_of, span
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.disorder.result import DisorderProfile, Part

_YEAR_1990 = 631_152_000_000_000
_HALF_HOUR = 1_800_000_000
_FACTORS = ((1_000, "a thousand"), (1_000_000, "a million"), (1_000_000_000, "a billion"))
LONG = 600_000_000  # what delays rarely are, and wrong clocks often, in us


def suspicions_of(profile: DisorderProfile, *, present: int, transit: tuple[int, int]) -> Iterator[str]:
    """Yield what looks wrong, one sentence each, with what to do; `transit`: least and most of arrival - event time."""
    if profile.future:
        what = "past the present by more than max_ahead, or than their arrival; they have no say in the other figures"
        yield f"{profile.future:,} rows claim a time {what}"
    if profile.first is None or profile.last is None:
        return
    unit = wrong_unit(profile.first, profile.last, present)
    if unit:
        yield f"event times lie from {moment(profile.first)} to {moment(profile.last)}: {unit}"
    for part in () if unit else (*profile.streams, *profile.keys):
        own = wrong_unit(part.first, part.last, present)
        if own:
            yield f"event times of {name_of(part)} lie from {moment(part.first)} to {moment(part.last)}: {own}"
    if profile.first == profile.last and profile.delays.events > 1:
        yield f"all {profile.delays.events:,} events have the same time, {moment(profile.first)}"
    yield from _offsets(profile, transit)
    yield from _leap(profile)


def wrong_unit(first: int, last: int, present: int) -> str | None:
    """Return why times look like those of another unit, if they do.

    >>> wrong_unit(1_700_000_000_000, 1_700_000_100_000, 1_750_000_000_000_000).split(":")[0]
    'a thousand times as much would be from 2023-11-14 22'
    >>> wrong_unit(1_700_000_000_000_000, 1_700_000_000_000_000, 1_750_000_000_000_000)
    """
    if last >= _YEAR_1990:
        return None
    for factor, word in _FACTORS:
        if first * factor >= _YEAR_1990 and last * factor <= present + 86_400_000_000:
            return (
                f"{word} times as much would be from {moment(first * factor)}: "
                "seconds read as milliseconds, or the like? check the unit"
            )
    return None


def _offsets(profile: DisorderProfile, transit: tuple[int, int]) -> Iterator[str]:
    if profile.ahead:
        yield f"{profile.ahead:,} rows arrived before they happened, by up to {span(-transit[0])}"
    if LONG <= transit[0] <= transit[1]:
        yield f"every row arrived at least {span(transit[0])} after it happened{_zone(transit[0])}"
    for part in (*profile.streams, *profile.keys):
        yield from _constant_offset(part)


def _constant_offset(part: Part) -> Iterator[str]:
    """A clock that is behind all the time, by about the same: not what transport does."""
    least, most = part.skew.quantile(0.05), part.skew.quantile(0.95)
    if least is not None and most is not None and least >= LONG and most - least <= 0.2 * least:
        yield f"the clock of {name_of(part)} is behind that of all by about {span(least)} throughout{_zone(least)}"


def _zone(offset: int) -> str:
    near = max(1, round(offset / _HALF_HOUR)) * _HALF_HOUR
    return f": a time zone of {Duration(near)}?" if abs(offset - near) <= 0.03 * near else ""


def _leap(profile: DisorderProfile) -> Iterator[str]:
    """One event far ahead leaves all that follow behind."""
    median = profile.delays.quantile(0.5)
    if median is None or median < LONG or not profile.gaps:
        return
    gap = profile.gaps[0]
    if gap.end - gap.start >= 0.9 * median:
        yield (
            f"the clock jumped by {span(gap.end - gap.start)} to {moment(gap.end)}, and half of all events lie "
            f"{span(median)} or more behind it: one clock from the future? leave such rows out"
        )
