"""What the members of a combination must satisfy, bound to numbered rows: what the search for partners asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from slackwater.events import Rows
    from slackwater.time import Mask

NO_CELL = int(np.iinfo(np.int64).min)


class Predicate(Protocol):
    """A condition over rows of some streams."""

    @property
    def streams(self) -> tuple[int, ...]:
        """The streams whose rows it needs."""

    def holds(self, rows: Sequence[Rows]) -> Mask:
        """Whether it holds for aligned rows, one column for each of its streams."""


class Nearness(Protocol):
    """A band between two streams: what must be near to be a result lies at most one cell apart."""

    @property
    def streams(self) -> tuple[int, int]:
        """The two streams."""

    @property
    def usable(self) -> bool:
        """Whether it can be used with these rows: a compiled predicate over the same streams must imply it."""

    def cells(self, stream: int) -> Rows:
        """Return the cell of each row; NO_CELL: it has no partner."""


class Condition(Protocol):
    """What the members of a result must satisfy, bound to numbered rows."""

    @property
    def key_streams(self) -> tuple[tuple[int, ...], ...]:
        """For each key class, the streams that have a column of it: their codes must be equal."""

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """What else must hold, over two streams or more."""

    @property
    def bands(self) -> tuple[Nearness, ...]:
        """What follows from the predicates, and narrows the search."""

    def codes(self, key_class: int, stream: int) -> Rows:
        """Return the code of each row, equal where the keys are; negative where there is none."""

    def code_count(self, key_class: int) -> int:
        """Return how many codes there are."""

    def passes(self, stream: int) -> Mask | None:
        """Which rows satisfy the conditions on this stream alone; None: all."""
