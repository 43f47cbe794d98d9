"""Looks through the small files of a checkpoint before Spark does: one that is damaged or missing is named.

Spark's own words for it come late and are obscure, and some losses it does not notice: without its log of files it
reads all of them again. State files are larger, and are checked when they are read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from slackwater.errors import StateError
from slackwater.paths import local_folder
from slackwater.spark.replayed import logs_of_sources, noted_logs

ID_FILE = "metadata"  # has the id of a query, from when it was first started
_REMEDY = "restore the checkpoint from a copy; or start with a new checkpoint and new folders"
_LAST = (
    "; if no commit has its number, it can be deleted: the batch is put together anew. With a Kafka sink leave "
    "slackwater/input.json as it is, which finds out if the batch then has other rows than were written"
)


def check_files(checkpoint: str | os.PathLike[str]) -> None:
    """Refuse a checkpoint whose logs cannot be read, or do not belong together; one that is elsewhere is not checked.

    Raises:
        StateError: it names the file.
    """
    folder = local_folder(checkpoint)
    if folder is None or not folder.is_dir():
        return
    offsets, commits = numbers_in(folder / "offsets"), numbers_in(folder / "commits")
    if not offsets and not commits and not _state_of(folder):
        return
    read_id(folder)
    last = max([*offsets, *commits], default=0)
    if last not in offsets:
        raise _missing(folder / "offsets" / str(last))
    sources = _read_log(folder / "offsets" / str(last), last=last not in commits)[1:]
    if commits:
        _read_log(folder / "commits" / str(commits[-1]))
    _check_sources(folder, sources)
    if commits and not _state_of(folder):
        raise _missing(folder / "state")


def _state_of(folder: Path) -> bool:
    """Whether there is state of any partition."""
    return any((folder / "state").glob("[0-9]*/[0-9]*"))


def _check_sources(folder: Path, offsets: Sequence[Any]) -> None:
    """Check the logs of sources of files, whose offsets are numbers of their entries; named ones are left to Spark.

    A frame that is used twice is one source with one log, and has an offset for each use; which log an offset is of
    cannot be told then, but one of them must have come as far, and none may have gaps.
    """
    logs = logs_of_sources(folder)
    for name in noted_logs(folder):
        if name not in logs:
            raise _missing(folder / "sources" / name)
    dicts = {at: each for at, each in enumerate(offsets) if isinstance(each, dict)}
    reached = {at: each["logOffset"] for at, each in dicts.items() if isinstance(each.get("logOffset"), int)}
    if not reached or not all(map(str.isdigit, logs)):
        return
    if len(logs) >= len(offsets):
        for number, last in reached.items():
            _check_source(folder / "sources" / str(number), last)
        return
    of_sources = [folder / "sources" / name for name in logs]
    for log in (log for log in of_sources if _entries(log)):  # one that has read nothing yet is empty
        _check_source(log, min(_last_of(log), max(reached.values())))
    furthest = max(of_sources, key=_last_of, default=folder / "sources" / "0")
    _check_source(furthest, max(reached.values()))


def numbers_in(log: Path) -> list[int]:
    """Return the numbers of the files of a log, in order."""
    return sorted(int(path.name) for path in log.glob("[0-9]*") if path.name.isdigit())


def read_id(checkpoint: Path) -> str:
    """Return the id that Spark knows the query by; `StateError` if there is none to be read."""
    file = checkpoint / ID_FILE
    try:
        return str(json.loads(file.read_text())["id"])
    except FileNotFoundError:
        raise _missing(file) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(file) from error


def _read_log(file: Path, *, last: bool = False) -> Sequence[Any]:
    """Return the entries of a log file of Spark's: a version, then lines of JSON; "-" is nothing."""
    try:
        version, *lines = file.read_text().rstrip("\n").split("\n")
        if version[:1] != "v" or not version[1:].isdigit() or not lines:
            raise ValueError(version)
        return [None if line == "-" else json.loads(line) for line in lines]
    except (ValueError, RecursionError) as error:  # not UTF-8 and not JSON are values, too
        raise _damaged(file, _LAST if last else "") from error


def _entries(log: Path) -> dict[int, Path]:
    return {int(path.name.split(".")[0]): path for path in log.glob("[0-9]*")}


def _last_of(log: Path) -> int:
    return max(_entries(log), default=-1)


def _check_source(log: Path, last: int) -> None:
    """Check the log of which files were read: without a part of it, these would be read again."""
    found = _entries(log)
    compacted = max((number for number, path in found.items() if path.suffix == ".compact"), default=0)
    for number in range(compacted, max(compacted, last) + 1):  # a compact one has all before it, which go in time
        if number not in found:
            raise _missing(log / str(number))
        _read_log(found[number])


def _missing(file: Path) -> StateError:
    return StateError(f"no file {file}", expected="it, since others refer to it", remedy=_REMEDY)


def _damaged(file: Path, more: str = "") -> StateError:
    return StateError(f"a damaged file {file}", expected="one written by Spark", remedy=f"{_REMEDY}{more}")
