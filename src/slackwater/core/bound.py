"""Combinations under way: who asks for partners, and what is bound to it so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask, Times


@dataclass(frozen=True, slots=True)
class Seeds:
    """Events of one stream that ask for the other members of their combinations."""

    stream: int
    row: Rows
    low: tuple[Times, ...]  # for each stream, the earliest time of a partner
    high: tuple[Times, ...]  # and the latest
    before: Rows  # partners were there before this position

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True)
class Bound:
    """Combinations under way: the seed of each, and the rows of the streams that are bound, in that order."""

    seed: Rows
    rows: dict[int, Rows]

    def __len__(self) -> int:
        return len(self.seed)

    def __getitem__(self, which: slice | Rows | Mask) -> Bound:
        return Bound(self.seed[which], {stream: rows[which] for stream, rows in self.rows.items()})

    def extended(self, stream: int, parent: Rows, rows: Rows) -> Bound:
        """Each combination once for every partner in another stream."""
        return Bound(self.seed[parent], {**{s: r[parent] for s, r in self.rows.items()}, stream: rows})

    def sample(self, most: int) -> Bound:
        """Return about so many of them, evenly spread."""
        return self[:: max(1, len(self) // most)]

    @classmethod
    def none(cls, streams: tuple[int, ...]) -> Bound:
        """No combinations of these streams."""
        nothing = np.empty(0, np.int64)
        return cls(nothing, dict.fromkeys(streams, nothing))

    @classmethod
    def concat(cls, parts: list[Bound]) -> Bound:
        """Put combinations of the same streams one after the other."""
        if len(parts) == 1:
            return parts[0]
        rows = {stream: np.concatenate([part.rows[stream] for part in parts]) for stream in parts[0].rows}
        return cls(np.concatenate([part.seed for part in parts]), rows)
