"""Words that errors and reports share: what was probably meant, times as people read them, text of others."""

from __future__ import annotations

import datetime as dt
import difflib
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def did_you_mean(
    word: str, choice: Iterable[str], *, shown: Mapping[str, str] | None = None, cutoff: float = 0.6
) -> str:
    """Return the question to begin a remedy with, where one of the choice is near to what was written, or nothing.

    `shown` has what to write instead of what is near. Whether letters are large or small makes nothing less near.

    >>> did_you_mean("sny3", ["syn3", "soccer"]), did_you_mean("x", ["syn3"]), did_you_mean("At", ["at"])
    ('did you mean syn3? ', '', 'did you mean at? ')
    """
    known = {each.lower(): each for each in choice}
    near = [known[each] for each in difflib.get_close_matches(word.lower(), known, n=1, cutoff=cutoff)]
    return f"did you mean {(shown or {}).get(near[0], near[0])}? " if near else ""


def as_share(value: object) -> str:
    """Return how a remedy begins where a share was written as text: with the number to write, or with nothing.

    >>> as_share("1%"), as_share("0.05"), as_share(1.5), as_share("100%"), as_share("few")
    ('write 0.01: ', 'write 0.05: ', '', '', '')
    """
    if not isinstance(value, str):
        return ""
    number = value.strip()
    try:
        share = Decimal(number.removesuffix("%").rstrip()) / (100 if number.endswith("%") else 1)
        return f"write {float(share):g}: " if 0 < share < 1 else ""
    except InvalidOperation:
        return ""


def time_in_words(event_time: int | None) -> str:
    """Return an event time as people read it, where it is one.

    >>> time_in_words(7), time_in_words(None)
    ('1970-01-01T00:00:00.000007Z', 'none')
    """
    if event_time is None:
        return "none"
    try:
        moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=event_time)
    except OverflowError:
        return f"{event_time} us"
    return moment.isoformat().replace("+00:00", "Z")


def printable(line: str) -> str:
    r"""Return a line of somebody's text as terminals may show it: as long as it is, without control characters.

    >>> printable("a\x1b[31m\tb")
    'a [31m b'
    """
    return "".join(each if each.isprintable() else " " for each in line)
