"""Units of durations: reading and writing them as text."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from slackwater.errors import ParameterError
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

UNITS: Mapping[str, int] = {
    **dict.fromkeys(("us", "µs", "microsecond", "microseconds"), 1),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1_000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000_000),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60_000_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000_000),
    **dict.fromkeys(("week", "weeks"), 604_800_000_000),
}
_TERM = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zµ]+)\s*", re.IGNORECASE)
EXAMPLES = 'write it with a unit, such as "5 seconds", "250 ms" or timedelta(seconds=5)'


def in_units(count: int | Decimal, unit: str) -> str:
    """Write a number with its unit.

    >>> in_units(1, "day"), in_units(2, "day")
    ('1 day', '2 days')
    """
    return f"{Decimal(count):f} {unit}{'' if count == 1 else 's'}"


def parsed(text: str, parameter: str) -> int:
    """Return the microseconds that a text stands for; `parameter` names it in errors.

    >>> parsed("1 minute 30 s", "slack")
    90000000
    """
    if text.lstrip().startswith(("-", "\u2212")):  # the second is a minus as people copy it
        remedy = f'leave the sign out: "{text.lstrip()[1:].lstrip()}"'
        raise ParameterError(parameter, text, must="not be negative", remedy=remedy)
    position, total = 0, Decimal(0)
    while position < len(text):
        term = _TERM.match(text, position)
        if term is None or term[2].lower() not in UNITS:
            meant = "" if term is None else _meant(text, term[2])
            raise ParameterError(parameter, text, must="be a duration with a unit", remedy=meant + EXAMPLES)
        total += Decimal(term[1]) * UNITS[term[2].lower()]
        position = term.end()
    if position == 0:
        raise ParameterError(parameter, text, must="be a duration with a unit", remedy=EXAMPLES)
    if total != int(total):
        raise ParameterError(parameter, text, must="be a whole number of microseconds", remedy=EXAMPLES)
    return int(total)


def _meant(text: str, unit: str) -> str:
    """Return the question whether a misspelled unit is one that we know; short ones are too like each other.

    >>> _meant("5 secnds", "secnds"), _meant("5 m", "m")
    ('did you mean 5 seconds? ', '')
    """
    known = {word: text.strip().replace(unit, word, 1) for word in UNITS if len(word) > 3}
    return did_you_mean(unit.lower(), known, shown=known)
