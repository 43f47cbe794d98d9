"""The query of a checkpoint: where its outputs are, what it was started with, which contract rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slackwater.errors import ParameterError, SlackwaterError
from slackwater.quality.batch_log import ABOUT, ended_at, ruling_contract


@dataclass(frozen=True)
class FoundQuery:
    """What a query has written down about itself; before its first batch, nothing."""

    checkpoint: Path
    name: str
    operator: str | None = None
    streams: tuple[str, ...] = ()
    contract: str | None = None
    buckets: int = 1
    outputs: Mapping[str, Path] = field(default_factory=dict)
    control: Path | None = None
    early: bool = False
    by: tuple[str, ...] = ()
    ended: int | None = None  # when a drain ended it, in us since 1970

    @classmethod
    def of(cls, checkpoint: Path) -> FoundQuery:
        """Read it anew: a query that was started again may have other outputs."""
        try:
            about: dict[str, Any] = json.loads((checkpoint / ABOUT).read_text())
            return cls._read(checkpoint, about)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return cls(checkpoint, checkpoint.name)

    @classmethod
    def _read(cls, checkpoint: Path, about: dict[str, Any]) -> FoundQuery:
        plan = about.get("plan") or {}
        outputs = {name: Path(where) for name, where in (about.get("outputs") or {}).items() if where}
        return cls(
            checkpoint,
            str(about.get("name") or checkpoint.parent.name + "/" + checkpoint.name),
            operator=str(about["operator"]),
            streams=tuple(map(str, about["streams"])),
            contract=ruling_contract(checkpoint, about["of"]) or str(about["contract"]),
            buckets=int(about["buckets"]),
            outputs=outputs,
            control=Path(about["control"]) if about.get("control") else None,
            early=bool(plan.get("early")),
            by=tuple(map(str, plan.get("by") or ())),
            ended=ended_at(checkpoint),
        )

    def check_runs(self) -> None:
        """Refuse to ask something of a query that a drain has ended: the record would drain or change the next one.

        Raises:
            SlackwaterError: it has ended.
        """
        if self.ended is not None:
            raise SlackwaterError("the query has ended: start it again")


def checked_checkpoint(checkpoint: Path) -> Path:
    """Return the folder of a checkpoint, or say what is wrong with it."""
    if not checkpoint.is_dir():
        raise ParameterError(
            "checkpoint", str(checkpoint), must="be a folder", remedy="give that of start(checkpoint=)"
        )
    if not (checkpoint / "offsets").is_dir() and not (checkpoint / ABOUT).is_file():
        raise ParameterError(
            "checkpoint",
            str(checkpoint),
            must="be the checkpoint of a query that has begun",
            remedy="give that of start(checkpoint=), and wait for its first batch",
        )
    return checkpoint.resolve()
