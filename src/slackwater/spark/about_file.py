"""What runs on a checkpoint and where its outputs are: a small file for people and dashboards, written at every start.

Nothing that a query does depends on it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slackwater.paths import local_folder
from slackwater.quality.batch_log import ABOUT
from slackwater.spark.control_stream import put
from slackwater.spark.ruling import text_of


@dataclass(frozen=True)
class About:
    """A query in words; outputs are folders that can be looked into from here, or None."""

    operator: str
    streams: tuple[str, ...]
    contract: str  # the plan's, as text
    of: str  # the same, as `Ruling.stated`
    plan: Mapping[str, Any]  # what those who send control records should know
    buckets: int = 1
    name: str | None = None
    outputs: Mapping[str, str | None] | None = None
    control: str | None = None

    @classmethod
    def query(cls, node: Any, plan: Mapping[str, Any], name: str | None, **folders: Any) -> About:
        """Describe a plan and its outputs, as given to `start`."""
        streams = node.streams if hasattr(node, "streams") else (node.stream,)
        places = {each: _place(where) for each, where in folders.items()}
        return cls(
            operator=plan.get("operator", node.operator),
            streams=tuple(stream.name for stream in streams),
            contract=text_of(node.contract),
            of=repr(node.contract),
            plan=plan,
            buckets=node.buckets,
            name=name,
            control=places.pop("control", None),
            outputs=places,
        )

    def keep(self, checkpoint: str | os.PathLike[str]) -> None:
        """Write it into a checkpoint that Spark has made; one that the driver cannot look into gets none."""
        folder = local_folder(checkpoint)
        if folder is not None and folder.exists():
            put(folder / ABOUT, json.dumps({**vars(self), "started": time.time()}) + "\n")


def _place(where: object) -> str | None:
    """Return a folder as a path that means the same from everywhere on this machine."""
    if not isinstance(where, str | os.PathLike):
        return None
    folder = local_folder(where)
    return None if folder is None else str(Path(folder).absolute())
