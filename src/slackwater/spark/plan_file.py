"""What a checkpoint was begun with, in a small file beside Spark's own: another plan is refused before it runs.

A bucket refuses state of another plan too, but only when rows come, from within a worker. A checkpoint that the driver
cannot look into, or that was begun before there was such a file, has that alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from slackwater.errors import AnotherQueryError, StateError
from slackwater.paths import local_folder
from slackwater.spark.control_stream import put
from slackwater.spark.read_back import read_file

FOLDER = "slackwater"
OPERATOR = "operator"  # the name of the parameter that says which one it is
NONE = "none"  # the value of a parameter that was not given
START_ANEW = "drain the query as it was, then start with a new checkpoint and new folders"
_MORE = "let `slackwater rescale` write a checkpoint with more buckets"
_MAY_CHANGE = (
    "contract, late policy, outputs and trigger may change, as far as timers stay; "
    "streams, columns, condition, windows, buckets and whether there is a control stream may not"
)
_AROUND = 4  # words that are shown on both sides of a difference


@dataclass(frozen=True, slots=True)
class Begun:
    """What the inputs and the state of a query depend on."""

    plan: str  # the identity that buckets check too
    timers: bool  # whether silent streams step aside
    control: bool  # whether there is a control stream
    parameters: Mapping[str, str] = field(default_factory=dict)  # the identity in parts; older files have none

    def check(self, checkpoint: str | os.PathLike[str]) -> None:
        """Refuse a checkpoint that was begun with something else, where that is known."""
        folder = local_folder(checkpoint)
        if folder is None or not (folder / "offsets").exists() or not begun_file(folder).exists():
            return
        before = read_begun(begun_file(folder))
        if before.plan != self.plan:
            raise self._refusal(before)
        if before.timers != self.timers:
            words = {False: "no timers for silent streams", True: "timers for silent streams"}
            why = "idle_after and Deadline need them, and no query with availableNow has any"
            raise AnotherQueryError(
                words[before.timers], expected=words[self.timers], remedy=f"{why}: start it as before, or {START_ANEW}"
            )
        if before.control != self.control:
            words = {False: "no control stream", True: "a control stream"}
            change = "give" if before.control else "leave out"
            raise AnotherQueryError(
                words[before.control],
                expected=words[self.control],
                remedy=f"{change} control= as before, or {START_ANEW}",
            )

    def _refusal(self, before: Begun) -> StateError:
        """Return the error that names what was changed, or shows an excerpt where the parts are not known."""
        differing = changed(before.parameters, self.parameters) if before.parameters and self.parameters else {}
        if not differing:
            found, expected = difference(before.plan, self.plan)
            remedy = f"change it back, or {START_ANEW}; {_MAY_CHANGE}"
            return AnotherQueryError(f"been begun for {found!r}", expected=repr(expected), remedy=remedy)
        found, expected = (" and ".join(f"{name} = {both[i]}" for name, both in differing.items()) for i in (0, 1))
        more = f"{_MORE}, or " if list(differing) == ["buckets"] else ""
        remedy = f"change {' and '.join(differing)} back, or {more}{START_ANEW}; {_MAY_CHANGE}"
        return AnotherQueryError(f"been begun with {found}", expected=expected, remedy=remedy)

    def keep(self, checkpoint: str | os.PathLike[str]) -> None:
        """Write it down for a checkpoint of which nothing was committed yet; Spark has made its folder by now."""
        folder = local_folder(checkpoint)
        if folder is not None and (folder / "offsets").exists() and not any((folder / "commits").glob("[0-9]*")):
            put(begun_file(folder), json.dumps(asdict(self)) + "\n")


def begun_file(folder: Path) -> Path:
    """Return where it is in a checkpoint."""
    return folder / FOLDER / "plan.json"


def read_begun(file: Path, *, remedy: str = "restore it, or delete it") -> Begun:
    """Return what a file says; `StateError` if it is missing, or cannot be what was written."""
    return read_file(Begun, file, remedy=remedy)


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the parameters that are not what they were, each with both values; only the operator if it is another.

    >>> changed({"buckets": "4", "size": "2 s"}, {"buckets": "8", "size": "2 s", "early": "yes"})
    {'buckets': ('4', '8'), 'early': ('none', 'yes')}
    """
    other = before.get(OPERATOR) != now.get(OPERATOR)  # then nearly all else differs too
    names = [OPERATOR] if other else dict.fromkeys([*before, *now])
    both = {name: (before.get(name, NONE), now.get(name, NONE)) for name in names}
    return {name: (old, new) for name, (old, new) in both.items() if old != new}


def difference(one: str, other: str) -> tuple[str, str]:
    """Return two texts without what they begin and end with alike, but for a few words around.

    >>> difference("join of a and b within 2 s in 4 buckets", "join of a and b within 2 s in 8 buckets")
    ('... within 2 s in 4 buckets', '... within 2 s in 8 buckets')
    """
    words = one.split(" "), other.split(" ")
    start = _alike(*words)
    end = min(_alike(words[0][::-1], words[1][::-1]), min(map(len, words)) - start)
    start, end = max(start - _AROUND, 0), max(end - _AROUND, 0)
    begins, ends = ["..."] * (start > 0), ["..."] * (end > 0)
    first, second = (" ".join([*begins, *each[start : len(each) - end], *ends]) for each in words)
    return first, second


def _alike(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
