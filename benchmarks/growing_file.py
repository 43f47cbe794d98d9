"""Files of JSON lines in benchmarks/results/ that grow: who ends a run early keeps what there is."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class GrowingFile:
    """A file; what is `known` of the machine and the code is in each of its lines."""

    path: Path
    known: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def new(cls, prefix: str = "", known: Mapping[str, Any] | None = None) -> GrowingFile:
        """Begin a file that is named after the time."""
        RESULTS.mkdir(exist_ok=True)
        return cls(RESULTS / f"{prefix}{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.jsonl", known or {})

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row."""
        with self.path.open("a") as file:
            file.write(json.dumps({**row, **self.known}) + "\n")
