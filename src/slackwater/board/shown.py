"""Values of the data as text that is safe to show: short, and without anything that a screen would obey."""

from __future__ import annotations

import datetime as dt
import unicodedata
from typing import Any

MOST_LETTERS = 120
_OBEYED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, marks of direction, halves of letters, line ends


def shown(value: Any, most: int = MOST_LETTERS) -> str | None:
    r"""Return a value as text; None stays None.

    >>> shown("a\x1b[2Jb"), shown("\u202egnp.exe"), shown(b"\x00\xff"), shown(None)
    ('a\\x1b[2Jb', '\\u202egnp.exe', '00ff', None)
    """
    if value is None:
        return None
    if isinstance(value, bytes):
        text = value[:most].hex()
    elif isinstance(value, dt.datetime):
        text = value.isoformat(sep=" ")
    else:
        text = str(value)
    cut = text[:most] + ("..." if len(text) > most else "")
    return "".join(map(_visible, cut))


def _visible(letter: str) -> str:
    return ascii(letter)[1:-1] if unicodedata.category(letter) in _OBEYED else letter
