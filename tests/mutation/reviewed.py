"""Changes that were read and change nothing that can be seen, each with the reason: `reviewed.json`.

A change is known by the text of its line, not by its number, so that a line that is written anew is reviewed anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("reviewed.json")


class Reviewed:
    """What is written down, and which row of a run it is about."""

    def __init__(self, root: Path, file: Path = FILE) -> None:
        self._root = root
        self.entries = json.loads(file.read_text())
        self._why = {(each["file"], each["text"], each["change"]): each["why"] for each in self.entries}

    def why(self, row: Mapping[str, Any]) -> str | None:
        """Return why a mutant is equivalent; None if nobody said so."""
        return self._why.get((row["file"], self._text(row["file"], row["line"]), row["change"]))

    def gone(self) -> list[dict[str, str]]:
        """Return entries whose line is no longer there."""
        lines = {each["file"]: self._lines(each["file"]) for each in self.entries}
        return [each for each in self.entries if each["text"] not in lines[each["file"]]]

    def _text(self, file: str, line: int) -> str:
        lines = self._lines(file)
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _lines(self, file: str) -> list[str]:
        return [line.partition("  #")[0].strip() for line in (self._root / file).read_text().splitlines()]
