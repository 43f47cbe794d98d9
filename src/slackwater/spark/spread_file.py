"""How the rows of a query find their buckets, in a small file of its checkpoint: for those who split buckets later.

State says neither which columns rows were spread by nor how they were hashed. Nothing that a query does depends on it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slackwater.paths import local_folder
from slackwater.plan.nodes import AggregateNode, JoinNode, ReorderNode
from slackwater.spark.control_stream import put
from slackwater.spark.plan_file import FOLDER
from slackwater.spark.read_back import read_file

if TYPE_CHECKING:
    from slackwater.spark.buckets import Spread

_FILE = "spread.json"


@dataclass(frozen=True, slots=True)
class SpreadFile:
    """What of a plan depends on the number of its buckets."""

    operator: str
    buckets: int
    identity: Sequence[str]  # what state is written for, before and behind that number
    columns: Sequence[Sequence[str]]  # for each stream, what it is spread by; empty: every bucket has all its rows
    key: str | None = None  # as in `Spread`
    refused: str | None = None  # why buckets of it cannot be split; None: they can

    @classmethod
    def of(cls, node: Any, spread: Spread | None, identity: Callable[[int], str], *, chained: bool) -> SpreadFile:
        """Describe a plan; `identity` says what its state is written for with so many buckets."""
        columns = (node.by,) if spread is None else spread.columns
        key = None if spread is None else spread.key
        refused = _refusal(node, columns, chained=chained)
        around = ("", "") if refused else around_number(identity, node.buckets)
        return cls(node.operator, node.buckets, around, columns, key, refused)

    @property
    def by_keys(self) -> bool:
        """Whether rows are spread by the keys of the one stream that there is."""
        return self.operator in (ReorderNode.operator, AggregateNode.operator)

    def identity_with(self, buckets: int) -> str:
        """Return what state is written for with so many buckets."""
        return str(buckets).join(self.identity)

    def keep(self, checkpoint: str | os.PathLike[str]) -> None:
        """Write it into a checkpoint that Spark has made; one that the driver cannot look into gets none."""
        folder = local_folder(checkpoint)
        if folder is not None and (folder / "offsets").exists():
            put(folder / FOLDER / _FILE, json.dumps(asdict(self)) + "\n")

    @classmethod
    def read(cls, folder: Path) -> SpreadFile:
        """Return what was written into a checkpoint; `StateError` if nothing was, or it cannot be that."""
        remedy = "start the query as it is and stop it after a batch, which writes it; then try again"
        return read_file(cls, folder / FOLDER / _FILE, remedy=remedy)


def around_number(text: Callable[[int], str], number: int) -> tuple[str, str]:
    """Return what is written before and behind a number, given the text with any number.

    >>> around_number(lambda n: f"4 = 4 in {n} buckets", 4)
    ('4 = 4 in ', ' buckets')
    """
    other = 8 if str(number).startswith("9") else 9  # begins with another digit
    one, changed = text(number), text(other)
    start = next(place for place, (a, b) in enumerate(zip(one, changed, strict=False)) if a != b)
    before, behind = one[:start], one[start + len(str(number)) :]
    if f"{before}{other}{behind}" != changed:
        raise ValueError(f"the number is not written once: {one}")
    return before, behind


def _refusal(node: Any, columns: Sequence[Sequence[str]], *, chained: bool) -> str | None:
    """Return why buckets of a plan cannot be split, or None."""
    if chained:
        return f"results of its {node.operator} are aggregated in the same query, and the two states belong together"
    if isinstance(node, JoinNode) and node.scope == "global":
        return 'its driver decides for all buckets (scope="global") and remembers what each of them has told'
    if not any(columns):
        return f"{node.operator} without by= has one order over all rows, so it is one bucket"
    return None
