"""What the command `replay` was given, and whether it goes together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slackwater.errors import ParameterError
from slackwater.wording import did_you_mean

EXAMPLE = 'slackwater replay syn3 --contract "recall 0.95 over 1 minute"'
FILES = 'slackwater replay a.parquet b.parquet --event-time ts --on key --within "5 seconds" --contract "recall 0.95"'
QUERY = 'slackwater replay a.parquet --event-time ts --query "mean(x) as x size 1 minute" --contract "error 3%"'
FILE = 'slackwater replay a.parquet --event-time ts --contract "drop 1%"'


@dataclass(frozen=True)
class Given:
    """What is to be replayed, as the command line says it."""

    sources: Sequence[str]
    of_files: dict[str, Any]
    seed: int | None
    duration: str | None
    query: str | None = None
    early: float | None = None

    @property
    def is_dataset(self) -> bool:
        """Whether it is one by its name; files have an ending."""
        return len(self.sources) == 1 and not Path(self.sources[0]).suffix

    @property
    def of_dataset(self) -> dict[str, Any]:
        """What says how much of a data set, and which."""
        return {"seed": 1 if self.seed is None else self.seed, "duration": self.duration}

    def check(self) -> None:
        """Refuse what belongs to the other kind of source."""
        if self.is_dataset:
            _check_known(self.sources[0])
            refuse(self.of_files, f"the data set {self.sources[0]}, which has its own query")
        else:
            refuse({"seed": self.seed, "duration": self.duration}, "files")


def check_one_file(given: Given, what: str, example: str) -> None:
    """Check that there is one file, and nothing that only a join needs."""
    if len(given.sources) > 1:
        raise ParameterError("files", ", ".join(given.sources), must=f"be one for {what}", remedy=f"such as {example}")
    refuse({name: given.of_files.get(name) for name in ("on", "where", "within")}, f"{what}, which joins nothing")
    require(given.of_files, ("event_time",), example)


def require(given: dict[str, Any], names: Sequence[str], example: str) -> None:
    """Check that files come with what says how to read them."""
    for name in names:
        if name not in given:
            raise ParameterError(_option(name), None, must="be given for files", remedy=f"such as {example}")


def refuse(given: dict[str, Any], of_what: str) -> None:
    """Refuse options that mean nothing there."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(_option(name), value, must=f"be left out for {of_what}", remedy=f"such as {EXAMPLE}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _check_known(name: str) -> None:
    """Refuse what is no data set for any contract, and has no ending that would make it a file."""
    from slackwater.experiments.deadline import SETS
    from slackwater.experiments.event_stream import SETTINGS as STREAMS
    from slackwater.experiments.queries import QUERIES
    from slackwater.experiments.window_stream import SETTINGS as WINDOWS

    known = list(dict.fromkeys((*QUERIES, *STREAMS, *WINDOWS, *SETS)))
    if name not in known:
        remedy = f"{did_you_mean(name, known)}the data sets are {', '.join(known)}; files have an ending: {FILE}"
        raise ParameterError("sources", name, must="be a data set or files", remedy=remedy)
