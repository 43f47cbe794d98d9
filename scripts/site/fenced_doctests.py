"""Doctests of docstrings as blocks of code: in Markdown, lines that begin with >>> would be quotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe


class FencedDoctests(griffe.Extension):
    """Puts a fence around every doctest before docstrings are read as Markdown."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of whatever was found."""
        if obj.docstring is not None:
            obj.docstring.value = "\n".join(fenced(obj.docstring.value.splitlines()))


def fenced(lines: list[str]) -> Iterator[str]:
    """Yield the lines, those from a >>> to the next empty one in a block of their own.

    >>> list(fenced(["Add.", "", ">>> 1 + 1", "2", "", "That is all."]))
    ['Add.', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'That is all.']
    """
    inside = False
    for line in lines:
        begins = line.lstrip().startswith(">>> ")
        if begins and not inside:
            yield "```pycon"
            inside = True
        elif inside and not line.strip():
            yield "```"
            inside = False
        yield line
    if inside:
        yield "```"
