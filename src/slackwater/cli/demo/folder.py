"""The folder of a demo: made anew each time, and never at the cost of somebody's files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from slackwater.errors import ParameterError

MARKER = ".slackwater-demo"
_ENTRIES = ("data", "policies", "work", "report.html", "spark.log")


@dataclass(frozen=True)
class DemoFolder:
    """Where things are in the folder."""

    root: Path

    @property
    def data(self) -> Path:
        """The dataset."""
        return self.root / "data"

    @property
    def work(self) -> Path:
        """Checkpoints and control streams: needed only while the queries run."""
        return self.root / "work"

    @property
    def log(self) -> Path:
        """What Spark has to say."""
        return self.root / "spark.log"

    @property
    def page(self) -> Path:
        """The report."""
        return self.root / "report.html"

    def outputs(self, policy: str) -> Path:
        """Return the folder of a policy's results, late rows and decisions."""
        return self.root / "policies" / policy


def prepare(output: Path) -> DemoFolder:
    """Make the folder, or empty one that an earlier demo made; refuse any other that has something in it.

    Only what a demo writes is removed: a file that somebody put beside it stays.
    """
    if output.exists() and not output.is_dir():
        raise ParameterError("output", str(output), must="be a folder", remedy="choose another with --output")
    if output.is_dir() and any(output.iterdir()) and not (output / MARKER).is_file():
        raise ParameterError(
            "output",
            str(output),
            must="be a new or empty folder, or one that an earlier demo made",
            remedy="choose another with --output",
        )
    output.mkdir(parents=True, exist_ok=True)
    (output / MARKER).write_text("Made by `slackwater demo`; the next one replaces what it wrote here.\n")
    for entry in _ENTRIES:
        _remove(output / entry)
    return DemoFolder(output.resolve())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
