"""Changes that were read and change nothing that can be seen, each with the reason: `reviewed.json`.

A change is known by the text of its line, not by its number, so that a line that is written anew is reviewed anew.
`nth` says which one is meant where a line has several changes that read the same, from 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutation.mutants import mutants_of

FILE = Path(__file__).with_name("reviewed.json")


class Reviewed:
    """What is written down, and which row of a run it is about."""

    def __init__(self, root: Path, file: Path = FILE) -> None:
        self._root = root
        self.entries = json.loads(file.read_text())
        self._why = {
            (each["file"], each["text"], each["change"], each.get("nth")): each["why"] for each in self.entries
        }
        self._numbered = {(file, text, change) for file, text, change, nth in self._why if nth is not None}

    def why(self, row: Mapping[str, Any]) -> str | None:
        """Return why a mutant is equivalent; None if nobody said so."""
        place = row["file"], self._text(row["file"], row["line"]), row["change"]
        return self._why.get((*place, self._nth(row) if place in self._numbered else None))

    def gone(self) -> list[dict[str, str]]:
        """Return entries whose line is no longer there."""
        lines = {each["file"]: self._lines(each["file"]) for each in self.entries}
        return [each for each in self.entries if each["text"] not in lines[each["file"]]]

    def _nth(self, row: Mapping[str, Any]) -> int:
        """Return how many changes before it on its line read the same."""
        same = [each for each in mutants_of(self._root, row["file"]) if each.line == row["line"]]
        return sum(each.change == row["change"] and each.number < row["number"] for each in same)

    def _text(self, file: str, line: int) -> str:
        lines = self._lines(file)
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _lines(self, file: str) -> list[str]:
        return _lines_of(self._root / file)


@cache
def _lines_of(path: Path) -> list[str]:
    return [line.partition("  #")[0].strip() for line in path.read_text().splitlines()]
