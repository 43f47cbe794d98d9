"""What the driver does around the batches of a query, besides writing rows: files for people, figures, the end."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from slackwater.errors import ParameterError, StateError
from slackwater.paths import local_folder
from slackwater.plan.contract_text import parse_contract
from slackwater.quality.batch_log import RULES, ruling_contract
from slackwater.spark.about_file import About
from slackwater.spark.batch_report import BatchReports
from slackwater.spark.ending import Ending
from slackwater.spark.latency import BatchLatency
from slackwater.spark.plan_file import Begun
from slackwater.spark.replayed import InputCheck
from slackwater.spark.spread_file import SpreadFile


@dataclass(frozen=True)
class Hooks:
    """Called by `batch_writer`: before the first batch of a run, and when a batch is written."""

    checkpoint: str | os.PathLike[str]
    begun: Begun
    about: About
    latency: BatchLatency
    check: InputCheck
    spread: SpreadFile
    ending: Ending = field(default_factory=Ending)

    def for_writer(self) -> dict[str, Callable[..., Any]]:
        """Return them by their names."""
        folder = local_folder(self.checkpoint)
        self.ending.checkpoint = folder
        reports = BatchReports(folder, self.ending.after, self._under)
        rules = None if folder is None else ruling_contract(folder, self.about.of)
        if rules is not None:
            self._resume(rules)
        return {
            "begin": self._begin,
            "check": self.check.on_batch,
            "measure": self.latency.on_batch,
            "reports": reports.on_batch,
        }

    def _begin(self) -> None:
        self.begun.keep(self.checkpoint)
        self.about.keep(self.checkpoint)
        self.spread.keep(self.checkpoint)

    def _resume(self, rules: str) -> None:
        """Go on under the contract that was changed to in an earlier run."""
        try:
            self._under(self.about.of, rules)
        except ParameterError as error:
            raise StateError(
                f"{RULES} with the contract {rules!r}",
                expected="one that can be read",
                remedy="delete the file: buckets know which contract rules; a changed deadline is not measured",
            ) from error

    def _under(self, of: str, text: str) -> None:
        """Count what is past the deadline of the contract that rules now."""
        deadline = parse_contract(text).deadline if of == self.about.of else None
        if deadline is not None:
            self.latency.limit = deadline.limit.microseconds
