"""Makes a checkpoint out of another's logs and state that was written elsewhere.

Spark's state has a version, which is in the names of its files: after batch N it must be N + 1. A query of one batch
has written version 1 as whole snapshots, so these get another name. Where Spark's files depend on a path or on the
number of partitions, they are changed; all else is copied as it is.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slackwater.errors import StateError
from slackwater.spark.checkpoint_files import numbers_in
from slackwater.spark.control_stream import put
from slackwater.spark.own_settings import PARTITIONS
from slackwater.spark.plan_file import START_ANEW

_STATE = "state"
_AGAIN = "start the query as it is and stop it once more"


@dataclass(frozen=True, slots=True)
class StoppedQuery:
    """A checkpoint whose last batch is committed."""

    folder: Path
    batch: int
    settings: Mapping[str, str]  # of Spark's, that the query has kept since it began

    @classmethod
    def of(cls, folder: Path) -> StoppedQuery:
        """Look through a checkpoint; `StateError` if it is damaged, of another kind, or its last batch is not done."""
        offsets, commits = numbers_in(folder / "offsets"), numbers_in(folder / "commits")
        if not commits or offsets[-1] != commits[-1]:
            done = f"committed batch {commits[-1]}, not {offsets[-1]}" if commits else "committed no batch"
            raise StateError(done, expected="the last one to be", remedy=_AGAIN)
        batch = commits[-1]
        if _line(folder / "commits" / str(batch)).get("stateUniqueIds"):
            raise _other_kind(
                "files of state with names of their own", "checkpointFormatVersion 1 of Spark's state store"
            )
        operators = sorted(path.name for path in (folder / _STATE).iterdir() if path.name.isdigit())
        if operators != ["0"]:
            raise _other_kind(f"{len(operators)} stateful operators", "ours alone")
        return cls(folder, batch, _settings(folder / "offsets" / str(batch)))

    @property
    def partitions(self) -> int:
        """How many the stateful operator has."""
        return int(self.settings[PARTITIONS])

    def maps(self) -> list[str]:
        """Return the names of the maps that its state has."""
        file = _metadata(self.folder / _STATE)
        try:
            variables = json.loads(_line(file)["operatorPropertiesJson"])["stateVariables"]
            return [each["stateName"] for each in variables if each["stateVariableType"] == "MapState"]
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(file) from error

    def check_unchanged(self) -> None:
        """Refuse to go on if a batch came meanwhile."""
        if numbers_in(self.folder / "offsets")[-1:] != [self.batch]:
            raise StateError(
                "got another batch meanwhile", expected="a query that does not run", remedy="stop it first"
            )

    def copied(self, to: Path, state: Path, *, partitions: int) -> None:
        """Write the same checkpoint with other state, which is moved."""
        shutil.copytree(self.folder, to, ignore=lambda folder, names: [_STATE] if Path(folder) == self.folder else [])
        shutil.move(state, to / _STATE)
        _rename_version(to / _STATE / "0", self.batch + 1)
        set_place(to, to)
        _set_partitions(to / "offsets" / str(self.batch), partitions)


def set_place(checkpoint: Path, place: Path) -> None:
    """Let the operator find its schemas where a checkpoint is, or is about to be."""
    file = _metadata(checkpoint / _STATE)
    version, text = file.read_text().rstrip("\n").split("\n")
    metadata = json.loads(text)
    for store in metadata["stateStoreInfo"]:
        names = (path.rpartition(f"/{_STATE}/0/")[2] for path in store["stateSchemaFilePaths"])
        store["stateSchemaFilePaths"] = [f"file:{place}/{_STATE}/0/{name}" for name in names]
    _replace(file, f"{version}\n{json.dumps(metadata)}")


def _other_kind(found: str, expected: str) -> StateError:
    return StateError(found, expected=expected, remedy=START_ANEW)


def _line(file: Path) -> dict[str, Any]:
    """Return the first entry of a log file of Spark's; `StateError` if it has none."""
    try:
        found = json.loads(file.read_text().split("\n")[1])
    except (OSError, ValueError, IndexError, RecursionError) as error:
        raise _damaged(file) from error
    if not isinstance(found, dict):
        raise _damaged(file)
    return found


def _settings(offsets: Path) -> dict[str, str]:
    """Return the settings that are in the log of a batch; `StateError` if they are not what Spark has written."""
    found = _line(offsets).get("conf")
    texts = found if isinstance(found, dict) and all(isinstance(value, str) for value in found.values()) else {}
    if not texts.get(PARTITIONS, "").isdecimal():
        raise _damaged(offsets)
    return texts


def _damaged(file: Path) -> StateError:
    return StateError(
        f"a damaged file {file}", expected="one written by Spark", remedy="restore the checkpoint from a copy"
    )


def _metadata(state: Path) -> Path:
    """Return the file that says what the operator's state is made of: the newest."""
    folder = state / "0" / "_metadata" / "v2"
    numbers = numbers_in(folder) if folder.is_dir() else []
    if not numbers:
        raise _damaged(folder)
    return folder / str(numbers[-1])


def _rename_version(operator: Path, version: int) -> None:
    for snapshot in operator.glob("[0-9]*/1.zip"):
        for name in ("{}.zip", ".{}.zip.crc"):  # Hadoop's checksum beside it
            if (old := snapshot.with_name(name.format(1))).exists():
                old.rename(snapshot.with_name(name.format(version)))


def _set_partitions(file: Path, partitions: int) -> None:
    version, text, *offsets = file.read_text().split("\n")
    metadata = json.loads(text)
    metadata["conf"][PARTITIONS] = str(partitions)
    _replace(file, "\n".join([version, json.dumps(metadata), *offsets]))


def _replace(file: Path, text: str) -> None:
    """Write a file anew, without checksums of what it was."""
    for checksum in (file.with_name(f".{file.name}.crc"), file.with_name(f"{file.name}.crc")):
        checksum.unlink(missing_ok=True)
    put(file, text)
