"""What a fault led to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    """What a fault led to: an error, or none; and whether that is as it should be."""

    fault: str
    error: BaseException | None
    good: bool  # recovered with nothing lost, or refused in clear words
    skipped: str = ""  # why it was not tried

    @property
    def words(self) -> str:
        """The outcome in a line."""
        if self.skipped:
            return self.skipped
        if self.error is None:
            return "recovered, nothing lost" if self.good else "WRONG: went on, and what it wrote is not right"
        said = str(self.error).split("\n")[0]
        return said if self.good else f"WRONG: {type(self.error).__name__}: {said}"
