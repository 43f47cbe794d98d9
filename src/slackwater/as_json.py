"""What answers share that can be kept as JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any


class AsJson(ABC):
    """An answer that says all it knows as values that JSON can hold.

    >>> class Answer(AsJson):
    ...     def to_dict(self):
    ...         return {"slack_us": 5}
    >>> print(Answer().to_json())
    {
     "slack_us": 5
    }
    """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values that JSON can hold."""

    def to_json(self, path: Path | None = None) -> str:
        """Return `to_dict` as JSON, and write it to a file if one is named."""
        written = json.dumps(self.to_dict(), indent=1)
        if path is not None:
            path.write_text(written + "\n", encoding="utf-8")
        return written
