"""Runs the blocks of a page of documentation, one after the other, as its reader would.

A ```python block runs in the namespace of its page. One with a title is a file: it is written, and run by a later line
`python <title>`; files of other languages are written too. Lines of an ```sh block run as commands. A ```text block
that follows at once is what the block before it prints, and `...` in it stands for anything; `print(x)  # this` says
the same in a line. Before a block, `<!-- spark -->` says that it needs a session, and `<!-- not run: why -->` that it
cannot run here.
"""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

from slackwater.cli.main import app

_BLOCK = re.compile(
    r"(?:<!-- (?P<note>[^\n]*?) -->\n+)?"
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]*)\")?[^\n]*\n(?P<body>.*?)^```$"
    r"(?:\n+```text\n(?P<printed>.*?)^```$)?",
    flags=re.MULTILINE | re.DOTALL,
)
_SAID = re.compile(r"print\(.*\)  # (.*)")
_PATH = re.compile(r'"((?:incoming|trams|out)(?:/\w+)?)"')  # the folders that blocks on Spark use
_SETTING_UP = {"git", "make", "cd", "source", "pip"}  # what a reader has done once, and a test has not to do again
_ANYWHERE = {"head", "cat", "ls", "cp", "mkdir"}


@dataclass(frozen=True)
class Block:
    """One block of a page: what is in it, and what it is said to print."""

    language: str
    body: str
    title: str | None
    note: str
    printed: str | None

    @property
    def needs_spark(self) -> bool:
        return self.note == "spark"

    @property
    def runs(self) -> bool:
        return not self.note.startswith("not run: ")


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page in their order."""
    return [
        Block(found["language"], found["body"], found["title"], found["note"] or "", found["printed"])
        for found in _BLOCK.finditer(page.read_text(encoding="utf-8"))
    ]


@dataclass
class Reader:
    """Does what a page says, in a folder of its own, and remembers the names that its blocks have defined.

    The Java process of a shared session does not go along into the folder, so paths on Spark become absolute.
    """

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def follow(self, block: Block, page: Path) -> None:
        """Run a block and compare what it prints with what the page says."""
        code = _PATH.sub(rf'"{self.folder}/\1"', block.body) if block.needs_spark else block.body
        if block.title is not None:
            (self.folder / block.title).write_text(code, encoding="utf-8")
        elif block.language == "python":
            check(_expected(block), self._run(code, page), block.body)
        elif block.language == "sh":
            printed = "".join(self._command(line) for line in _lines(block.body))
            check(block.printed, printed, block.body)

    def _run(self, code: str, page: Path) -> str:
        with redirect_stdout(StringIO()) as out:
            exec(compile(code, str(page), "exec"), self.names)
        return out.getvalue()

    def _command(self, line: str) -> str:
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program in _SETTING_UP or not program:
            return ""
        if program == "slackwater":
            return _of_slackwater(arguments)
        if program == "python":
            with redirect_stdout(StringIO()) as out, patch.object(sys, "argv", arguments):
                runpy.run_path(str(self.folder / arguments[0]), run_name="__main__")
            return out.getvalue()
        assert program in _ANYWHERE, f"nobody has said how to run {line!r}"
        return subprocess.run([program, *arguments], cwd=self.folder, text=True, check=True, capture_output=True).stdout


def check(expected: str | None, printed: str, source: str) -> None:
    """Compare what was printed with what was said, where something was said."""
    if expected is None:
        return
    expected, printed = (_without_ends(text) for text in (expected, printed))
    if not doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS):
        raise AssertionError(f"{source}\nis said to print\n{expected}\nbut prints\n{printed}")


def _expected(block: Block) -> str | None:
    if block.printed is not None:
        return block.printed
    said = _SAID.findall(block.body)
    return "".join(f"{line}\n" for line in said) if said else None


def _of_slackwater(arguments: list[str]) -> str:
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "100"})
    assert 0 == done.exit_code, done.output
    return done.stdout


def _lines(body: str) -> Iterator[str]:
    yield from body.replace("\\\n", " ").splitlines()


def _without_ends(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.strip().splitlines())
