"""What happens to files: each fault ends in recovery, or in one error that names cause and remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq


def newest(folder: Path) -> Path:
    """Return the file with the largest number that Spark has written to a log."""
    files = [file for file in folder.iterdir() if file.name[:1].isdigit()]
    return max(files, key=lambda file: int(file.name.split(".")[0]))


def flip(file: Path) -> None:
    """Change bytes in the middle of a file."""
    body = bytearray(file.read_bytes())
    middle = len(body) // 2
    body[middle : middle + 4] = bytes(byte ^ 0xFF for byte in body[middle : middle + 4])
    file.write_bytes(body)


def flip_all(folder: Path) -> None:
    """Change bytes in every file of a folder."""
    for file in folder.glob("part-*"):
        flip(file)


def flip_behind_its_checksum(file: Path) -> None:
    """Change bytes where the file system has no checksum of its own to notice it."""
    flip(file)
    without_checksum(file)


def empty(file: Path) -> None:
    """Leave a name without content, as a crash of the machine may."""
    file.write_bytes(b"")
    without_checksum(file)


def without_checksum(file: Path) -> None:
    """Delete the checksum that Hadoop keeps beside a file."""
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def delete(where: Path) -> None:
    """Delete a file with its checksum, or a folder."""
    if where.is_dir():
        shutil.rmtree(where)
    else:
        where.unlink()
        without_checksum(where)


def each_state_file(folder: Path, damage: Callable[[Path], None]) -> None:
    """Damage everything that Spark keeps of the state, but for its description."""
    for file in sorted((folder / "checkpoint" / "state" / "0").glob("[0-9]*/**/*")):
        if file.is_file() and not file.name.startswith("."):
            damage(file)


def uncommit(folder: Path) -> None:
    """Let the last batch come again, as if the driver had died before its commit."""
    delete(newest(folder / "checkpoint" / "commits"))


def reread(folder: Path, change: Callable[[Path], None]) -> None:
    """Let the last batch come again from a source that has changed meanwhile."""
    uncommit(folder)
    change(sorted((folder / "in" / "a").glob("*.parquet"))[-2])  # the last one is new


def without_a_row(file: Path) -> None:
    pq.write_table(pq.read_table(file)[1:], file)
    without_checksum(file)


def with_other_times(file: Path) -> None:
    table = pq.read_table(file)
    pq.write_table(table.set_column(0, "ts", table["ts"].take(list(range(table.num_rows))[::-1])), file)
    without_checksum(file)


def in_another_order(file: Path) -> None:
    table = pq.read_table(file)
    pq.write_table(table.take(list(range(table.num_rows))[::-1]), file)
    without_checksum(file)


RECOVERS = None


@dataclass(frozen=True)
class Fault:
    """Something that is done to the files of a query that has stopped, and what its next start must say."""

    inject: Callable[[Path], None]
    says: str | None = RECOVERS  # a pattern of the error; None: it goes on, and nothing is lost


def _log(name: str, damage: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda folder: damage(newest(folder / "checkpoint" / name))


def _file(name: str, damage: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda folder: damage(folder / name)


def _state(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda folder: each_state_file(folder, damage)


def _again(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    """Let the last batch come again, and harm what it had written."""

    def inject(folder: Path) -> None:
        uncommit(folder)
        damage(folder / "results" / f"batch={newest(folder / 'checkpoint' / 'offsets').name}")

    return inject


_PLAN = "checkpoint/slackwater/plan.json"
_DAMAGED = "state files are damaged or missing"
FAULTS: Mapping[str, Fault] = {
    "offsets: bytes changed": Fault(_log("offsets", flip), "offsets"),
    "offsets: bytes changed, no checksum": Fault(_log("offsets", flip_behind_its_checksum), "offsets"),
    "offsets: empty": Fault(_log("offsets", empty), "offsets"),
    "offsets: last one missing": Fault(_log("offsets", delete), "offsets"),
    "offsets: all missing": Fault(_file("checkpoint/offsets", delete), "offsets"),
    "commits: bytes changed": Fault(_log("commits", flip), "commits"),
    "commits: empty": Fault(_log("commits", empty), "commits"),
    "commits: last one missing": Fault(_log("commits", delete)),
    "commits: all missing": Fault(_file("checkpoint/commits", delete)),
    "metadata: empty": Fault(_file("checkpoint/metadata", empty), "metadata"),
    "metadata: missing": Fault(_file("checkpoint/metadata", delete), "metadata"),
    "source log: bytes changed": Fault(_log("sources/0", flip), "sources"),
    "source log: empty": Fault(_log("sources/0", empty), "sources"),
    "source log: last one missing": Fault(_log("sources/0", delete), "sources"),
    "source log: all missing": Fault(_file("checkpoint/sources", delete), "sources"),
    "plan: not JSON": Fault(_file(_PLAN, empty), r"plan\.json"),
    "plan: missing": Fault(_file(_PLAN, delete)),
    "figures: not JSON": Fault(_file("checkpoint/slackwater/latency/0000000000.jsonl", flip)),
    "input: not JSON": Fault(_file("checkpoint/slackwater/input.json", flip)),
    "state: bytes changed": Fault(_state(flip), _DAMAGED),
    "state: bytes changed, no checksum": Fault(_state(flip_behind_its_checksum), _DAMAGED),
    "state: empty files": Fault(_state(empty), _DAMAGED),
    "state: files missing": Fault(_state(delete), _DAMAGED),
    "state: folder missing": Fault(_file("checkpoint/state", delete), "state"),
    "state: description missing": Fault(_file("checkpoint/state/0/_metadata", delete), _DAMAGED),
    "source: a row less in a batch that comes again": Fault(lambda f: reread(f, without_a_row), "came again"),
    "source: other times in a batch that comes again": Fault(lambda f: reread(f, with_other_times), "came again"),
    "source: another order in a batch that comes again": Fault(lambda f: reread(f, in_another_order)),
    "source: a file of a batch that comes again is gone": Fault(lambda f: reread(f, delete), "came again"),
    "output: files of a batch that comes again are damaged": Fault(_again(flip_all)),
    "output: a batch that comes again is missing": Fault(_again(delete)),
}
