"""Which folders an output may be written to: one of its own, without batches of a run that the checkpoint is not of.

What is not on a file system that the driver has mounted cannot be looked into: its address alone is compared, and the
batches in it are taken on trust.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from pathlib import Path

from slackwater.errors import ParameterError
from slackwater.paths import local_folder, overlap
from slackwater.quality.batch_log import ABOUT
from slackwater.spark.checkpoint_files import numbers_in

_BATCH = "batch="


def check_apart(name: str, folder: str, others: Iterable[tuple[str, str]]) -> None:
    """Refuse a folder that is, holds or is within that of something else, by its name, however it is spelled."""
    for other, taken in others:
        if overlap(folder, taken):
            must = f"not be that of {other} ({taken!r}), nor within or around it"
            raise ParameterError(name, folder, must=must, remedy="give each its own folder")


def check_batches(name: str, folder: str, checkpoint: str) -> None:
    """Refuse batches that a run would leave in place beside its own.

    The first batch of a run replaces all that there is under its number, in every output. Later ones replace only what
    they have rows for: late rows that an abandoned run has left under the number of such a batch would stay.
    """
    where, begun = local_folder(folder), local_folder(checkpoint)
    if where is None or begun is None:
        return
    if not (begun / "offsets").exists():
        if any(where.glob(f"{_BATCH}*")):
            remedy = "give a new folder, or the checkpoint that belongs to it"
            raise ParameterError(name, folder, must="be empty when the checkpoint is new", remedy=remedy)
        return
    first = _first_batch(begun)
    if unknown := [number for number in _batches_in(where) if number > first]:
        batches = " to ".join(dict.fromkeys(f"{_BATCH}{end(unknown)}" for end in (min, max)))
        raise ParameterError(
            name,
            folder,
            must=f"have no batch after {first}, with which the checkpoint goes on",
            remedy=f"a run that the checkpoint does not know has written {batches}: move or delete these folders, in "
            "every output, or give the checkpoint of that run",
        )
    if first > 0 and not _batches_in(where) and not _is_elsewhere(name, begun):
        warnings.warn(
            f"{name} has no batch in {folder!r}, although the checkpoint goes on with batch {first}: those before are "
            "not written again; if they were deleted by mistake, restore them from a copy, or write all anew with a "
            "new checkpoint and new folders",
            stacklevel=2,
        )


def _is_elsewhere(name: str, checkpoint: Path) -> bool:
    """Return whether the query had no such output when it last began, or has batches of it in another folder."""
    try:
        before = json.loads((checkpoint / ABOUT).read_text())["outputs"].get(name)
        return name != "results" if before is None else bool(_batches_in(Path(before)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _first_batch(checkpoint: Path) -> int:
    """Return the batch that a run begins with: the last that was planned, unless it is committed; else the next.

    Spark notes what a batch reads before it runs, so that this one is the last that can have been written.
    """
    last = max(numbers_in(checkpoint / "offsets"), default=-1)
    is_done = last in (-1, *numbers_in(checkpoint / "commits"))
    return last + 1 if is_done else last


def _batches_in(folder: Path) -> list[int]:
    names = (path.name.removeprefix(_BATCH) for path in folder.glob(f"{_BATCH}*"))
    return [int(name) for name in names if name.isdecimal()]
